// Shells as commands: `sh -c '…'`, `bash <<EOF`, `… | sh`, `eval`, `source`, `trap`, `alias`.
import { isUnsure } from './marks.ts';
import { optionValue, readOptions } from './options.ts';
import { usePath } from './paths.ts';
import { inside, type Scene } from './scene.ts';
import type { ShellWord } from './words.ts';
import { runText } from './wrappers.ts';

const SHELL = /^(?:r?(?:ba|z|da|k|mk|a|fi|c|tc|ya|pdk|hu|o|po|bo|sa|static-)?sh(?:-?[\d.]+)?|nu|elvish|xonsh|oil)$/;
/** Their grammar is not the one that is read here. */
const FOREIGN_SHELL = /^(?:(?:fi|c|tc)sh|nu|elvish|xonsh|oil)$/;
/** In these `[[ a && rm x ]]`, `((rm x))` and `$'\\''` run what bash would not. */
const POSIX_SHELL = /^(?:da|a|k|mk|ya|pdk)?sh(?:-?[\d.]+)?$/;
const OPTIONS = {
  flags: 'abefhiklmnprstuvxBCEHPTD',
  values: 'cOo',
  long: 'login noprofile norc posix restricted verbose noediting init-file= rcfile=',
};

export function isShell(name: string): boolean {
  return SHELL.test(name);
}

export function runShell(name: string, words: readonly ShellWord[], outside: Scene): boolean {
  const scene: Scene = { ...outside, isPosix: POSIX_SHELL.test(name) };
  const read = readOptions(words.slice(1), OPTIONS);
  const { gathering } = scene;
  if (!read.isSure || FOREIGN_SHELL.test(name)) {
    gathering.lose(`what ${name} runs cannot be told`);
    return false;
  }
  const started = optionValue(read, 'rcfile', 'init-file');
  if (started !== null && isUnsure(started.form))
    gathering.lose(`which file ${name} runs first is only known when it runs`);
  const code = findCode(words) ?? optionValue(read, 'c');
  if (code !== null) {
    // Files that a shell reads first (-l, -i, --rcfile) are not looked at: then an allow must name the shell too.
    const isPlain = words.slice(1).every(({ form }) => !/^-(?:-|[a-z]*[il])/.test(form));
    runText(code.form, inside(scene, `${name} -c`, -1, { stdin: scene.stdin }));
    return isPlain;
  }
  const [script] = read.rest;
  const readsStdin = script === undefined || /^-?s?$|^\/dev\/(?:stdin|fd\/)/.test(script.form) || hasStdinFlag(words);
  if (readsStdin) return runStdin(name, scene);
  if (isUnsure(script.form)) gathering.lose(`which file ${name} runs is only known when it runs`);
  else usePath('read', script.form, `${name} ${script.text}`, scene);
  return false;
}

/** Of `-c`, `-lc`, `-ec` … the word behind all options is the code. */
function findCode(words: readonly ShellWord[]): ShellWord | null {
  const at = words.findIndex(({ form }, index) => index > 0 && /^-[a-zA-Z]*c[a-zA-Z]*$/.test(form));
  if (at < 0) return null;
  return words.slice(at + 1).find(({ form }) => !form.startsWith('-') && !form.startsWith('+')) ?? null;
}

function hasStdinFlag(words: readonly ShellWord[]): boolean {
  return words.some(({ form }) => /^-[a-zA-Z]*s[a-zA-Z]*$/.test(form));
}

function runStdin(name: string, scene: Scene): boolean {
  const { stdin, gathering } = scene;
  if (stdin.kind === 'text') {
    scene.runner.runCode(stdin.text, inside(scene, `${name} <<`, -1, { stdin: { kind: 'none' } }));
    return true;
  }
  if (stdin.kind === 'unknown') gathering.lose(`what ${name} is given to run is only known when it runs`);
  return false;
}

export function runEval(words: readonly ShellWord[], scene: Scene): boolean {
  const code = words.slice(1).filter(({ form }, index) => index > 0 || form !== '--');
  const within = inside(scene, 'eval', -1);
  runText(code.map(({ form }) => form).join(' '), within);
  scene.cwds = within.cwds;
  // What it did to the folder was done to a copy of the scene in there.
  if (/\b(?:cd|pushd|popd)\b/.test(code.map(({ form }) => form).join(' '))) scene.cwds = null;
  return true;
}

export function runSource(words: readonly ShellWord[], scene: Scene): boolean {
  const file = words.slice(1).find(({ form }) => !form.startsWith('-'));
  if (file === undefined) return false;
  if (isUnsure(file.form) || /^\/dev\/(?:stdin|fd\/)/.test(file.form))
    scene.gathering.lose('which code is read in is only known when it runs');
  else usePath('read', file.form, `source ${file.text}`, scene);
  return false;
}

export function runTrap(words: readonly ShellWord[], scene: Scene): boolean {
  const [code] = words.slice(1).filter(({ form }) => form !== '--');
  if (code === undefined || /^-/.test(code.form) || words.length < 3) return true;
  runText(code.form, inside(scene, 'trap', -1));
  return true;
}

/** An alias means other words from here on: no pattern allows what follows. */
export function runAlias(words: readonly ShellWord[], scene: Scene): boolean {
  for (const { form } of words.slice(1)) {
    const equals = form.indexOf('=');
    if (equals < 0) continue;
    scene.gathering.lose('an alias changes what words mean');
    runText(form.slice(equals + 1), inside(scene, 'alias', -1));
  }
  return false;
}
