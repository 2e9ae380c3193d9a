// Shells as commands: `sh -c '…'`, `bash <<EOF`, `… | sh`, `eval`, `source`, `trap`, `alias`.
import { isUnsure, maySplit } from './marks.ts';
import { isStdinFile, usePath } from './paths.ts';
import { inside, type Scene } from './scene.ts';
import type { ShellWord } from './words.ts';
import { runText } from './wrappers.ts';

const SHELL = /^(?:r?(?:ba|z|da|k|mk|a|fi|c|tc|ya|pdk|hu|o|po|bo|sa|static-)?sh(?:-?[\d.]+)?|nu|elvish|xonsh|oil)$/;
/** Their grammar is not the one that is read here. */
const FOREIGN_SHELL = /^(?:(?:fi|c|tc)sh|nu|elvish|xonsh|oil)$/;
/** In these `[[ a && rm x ]]`, `((rm x))` and `$'\\''` run what bash would not. */
const POSIX_SHELL = /^(?:da|a|k|mk|ya|pdk)?sh(?:-?[\d.]+)?$/;
const FLAGS = /^[-+][abcefhiklmnprstuvxBCEHPTD]*[oO]?$/;
const LONG_FLAGS = /^--(?:login|noprofile|norc|posix|restricted|verbose|noediting)$/;
const START_FILE = /^--(?:init-file|rcfile)(?:=([\s\S]*))?$/;

export function isShell(name: string): boolean {
  return SHELL.test(name);
}

export function runShell(name: string, words: readonly ShellWord[], outside: Scene): boolean {
  const scene: Scene = { ...outside, isPosix: POSIX_SHELL.test(name) };
  const { letters, readsFiles, isUsual, startFile, rest, isSure } = readShellOptions(words.slice(1));
  const { gathering } = scene;
  if (!isSure || FOREIGN_SHELL.test(name)) {
    gathering.lose(`what ${name} runs cannot be told`);
    return false;
  }
  if (startFile !== null && isUnsure(startFile.form))
    gathering.lose(`which file ${name} runs first is only known when it runs`);
  else if (startFile !== null) usePath('read', startFile.form, `${name} ${startFile.text}`, scene);
  if (!isUsual) gathering.markUnproven(`an option of ${name} can change what its code does`);
  const [script] = rest;
  if (letters.includes('c')) {
    if (script !== undefined) runText(script.form, inside(scene, `${name} -c`, -1, { stdin: scene.stdin }));
    return !readsFiles;
  }
  if (script === undefined || letters.includes('s') || isStdinFile(script.form))
    return runStdin(name, scene) && !readsFiles;
  if (isUnsure(script.form)) gathering.lose(`which file ${name} runs is only known when it runs`);
  else usePath('read', script.form, `${name} ${script.text}`, scene);
  return false;
}

/** What else is said behind the script is the script's: `bash x.sh -c ls` runs x.sh. */
function readShellOptions(words: readonly ShellWord[]) {
  let letters = '';
  // Files that a shell reads first (-l, -i, --rcfile) are not looked at: then an allow must name the shell too.
  let readsFiles = false;
  let isUsual = true;
  let startFile: ShellWord | null = null;
  let index = 0;
  const done = (isSure: boolean) => ({ letters, readsFiles, isUsual, startFile, rest: words.slice(index), isSure });
  for (; index < words.length; index++) {
    const { form } = words[index] as ShellWord;
    // It may be no word, several, or an option.
    if (maySplit(form) || isUnsure(form[0] ?? '')) return done(false);
    if (form === '-' || form === '--') {
      index++;
      return done(true);
    }
    const started = START_FILE.exec(form);
    if (started !== null || LONG_FLAGS.test(form)) {
      readsFiles = true;
      if (started === null) continue;
      startFile = started[1] === undefined ? (words[++index] ?? null) : { form: started[1], text: started[1] };
    } else if (FLAGS.test(form)) {
      if (form.startsWith('-')) letters += form.slice(1).replace(/[oO]$/, '');
      // The word behind it is its own: `-euo pipefail`.
      const option = /[oO]$/.test(form) ? (words[++index]?.form ?? '') : 'errexit';
      readsFiles ||= /^-.*[il]/.test(form);
      isUsual &&= /^[-+][cefilnsuvx]*o?$/.test(form) && isUsualOption(option);
    } else return done(!/^[-+]/.test(form));
  }
  return done(true);
}

/** Those of `set -o` that do not change which commands there are. */
export function isUsualOption(name: string): boolean {
  return /^(?:errexit|noglob|nounset|pipefail|verbose|xtrace)$/.test(name);
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
  const within = inside(scene, 'eval', -1, { functions: scene.functions });
  runText(code.map(({ form }) => form).join(' '), within);
  scene.cwds = within.cwds;
  // What it did to the folder was done to a copy of the scene in there.
  if (/\b(?:cd|pushd|popd)\b/.test(code.map(({ form }) => form).join(' '))) scene.cwds = null;
  return true;
}

export function runSource(words: readonly ShellWord[], scene: Scene): boolean {
  const file = words.slice(1).find(({ form }) => !form.startsWith('-'));
  if (file === undefined) return false;
  if (isUnsure(file.form) || isStdinFile(file.form))
    scene.gathering.lose('which code is read in is only known when it runs');
  else usePath('read', file.form, `source ${file.text}`, scene);
  return false;
}

export function runTrap(words: readonly ShellWord[], scene: Scene): boolean {
  const [code] = words.slice(1).filter(({ form }) => form !== '--');
  if (code === undefined || /^-/.test(code.form) || words.length < 3) return true;
  runText(code.form, inside(scene, 'trap', -1, { functions: scene.functions }));
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
