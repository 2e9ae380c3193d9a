// The words of one command → that command, the files and hosts it uses, and the commands inside it.

import { byName, wordSet } from '../../lib/group.ts';
import { hasFileUses, useFiles } from './file-arguments.ts';
import { runGit } from './git.ts';
import { FROM_STDIN, isHarmlessSed, runContainer, runFind, runParallel, runSsh, runXargs } from './inner-commands.ts';
import {
  interpreterOf,
  isShell,
  MAX_CODE,
  readCode,
  runAlias,
  runEval,
  runInterpreter,
  runShell,
  runSource,
  runTrap,
  runWritten,
} from './interpreters.ts';
import { runKill } from './kill.ts';
import { useHosts } from './network.ts';
import { baseName, isStdinFile, moveTo, usePath, withLinks } from './paths.ts';
import { whyEvaluated } from './plain.ts';
import { PROGRAM_OPTIONS, type ProgramOptions, readMixedOptions, tellingWord, withDashes } from './program-options.ts';
import { runTargets, suspectExisting } from './project-code.ts';
import { type FoundCommand, IN_BARE_REPOSITORY, inside, PUSH, type Scene } from './scene.ts';
import { losesByOption, suspectTexts } from './suspects.ts';
import { alsoExports, checkUnseen, checkVariable, isHarmlessVariable } from './variables.ts';
import {
  ANYTHING,
  isUnsure,
  joinForms,
  type OptionSpec,
  type ReadOptions,
  readOptions,
  type ShellWord,
} from './words.ts';
import { isWrapper, lost, runPlainShell, runWrapper, wrapsCommand } from './wrappers.ts';
import { suspectWritten } from './written-files.ts';

/** Code inside code inside code ends here. */
const MAX_DEPTH = 24;

/** They do nothing beyond their own shell, so allows need not name them; what is in their words is judged by itself. */
const IDLE = wordSet('true false : exit return break continue shift wait test [ echo pwd');
/** They change what words or options mean in ways that are not followed. */
const CHANGES_SHELL = wordSet(
  'shopt setopt unsetopt emulate enable zmodload autoload bind bindkey fc complete compopt functions zle add-zsh-hook sched zpty',
);

export function runWords(words: readonly ShellWord[], scene: Scene, sets: readonly string[] = []): void {
  const [first] = words;
  const { gathering } = scene;
  if (first === undefined || gathering.isFull()) return;
  if (scene.depth > MAX_DEPTH) {
    gathering.lose('it is too deep in itself to be looked through');
    return;
  }
  const found: FoundCommand = {
    text: words.map(({ text }) => text).join(' '),
    words: words.map(({ text }) => text),
    form: joinForms(words.map(({ form }) => form)),
    isDynamic: words.some(({ form }) => isUnsure(form)),
    wrappers: scene.wrappers,
    isTransparent: false,
    within: scene.within,
    sets,
  };
  const self = gathering.addCommand(found);
  // Look-alikes and names that file systems fold to others are not plain ASCII, and neither are the marks.
  if (/[^\x20-\x7e]/.test(first.form)) {
    const isMarked = isUnsure(first.form);
    gathering.lose(isMarked ? 'a command is only known when it runs' : 'the name of a command is not plain ASCII');
    return;
  }

  if (/^\/(?:proc\/(?:self|thread-self|\d+)\/(?:fd\/|exe$)|dev\/fd\/)/.test(first.form))
    gathering.lose('which program is behind a descriptor is only known when it runs');
  const own: Scene = { ...scene, self };
  const names = namesOf(first.form, own);
  const telling = names.map((name) => tellingWord(name, words)).find((at) => at !== undefined);
  if (telling !== undefined) found.telling = telling;
  for (const name of names) {
    useFiles(name, words, own);
    useHosts(name, words, own);
    // As the shell names it: `/bin/rm` is `rm` inside.
    found.isTransparent = runNamed(name, words, own) && isFromSystem(first.form, name);
  }
  suspectScript(words, own);
  suspectOtherNames(words, own);
  suspectGlued(words, own);
  if (/^(?:g?make|npm|pnpm|yarn|bun)$/.test(names.at(-1) ?? '')) runTargets(names.at(-1) ?? '', words, own);
  if (first.form.includes('/')) runWritten(first.form, first.text, own);
  losesByOption(names, words, own);
  if (isRemoval(names, words)) gathering.alsoKnownAs(() => own.runner.runWords([RM], inside(own, first.form, -1)));
  // Whoever puts objects and branches into a bare repository (`x.git`) pushes to it.
  if (names.some((name) => COPIES.has(name)) && words.some(({ form }) => IN_BARE_REPOSITORY.test(form)))
    gathering.alsoKnownAs(() => own.runner.runWords(PUSH, inside(own, first.form, -1)));
  for (const name of names) {
    suspectWritten(name, words, own);
    suspectExisting(name, words, own);
  }
  for (const name of names) if (!isShell(name) && !wrapsCommand(name, words)) suspectTexts(name, words, own);
  // A request to the server that answers an approval, or logs in to do so, is the same as the command.
  if (words.some(({ form }) => ANSWERING_ADDRESS.test(form)))
    own.gathering.alsoKnownAs(() => own.runner.runWords(ANSWERS, inside(own, first.form, -1)));
  scene.cwds = own.cwds;
  if (own.functions.has(first.form)) found.isTransparent = true;
  // No allow looks at the variables of a command that it need not name, but the commands inside get them, too.
  const unknown = found.isTransparent ? sets.find((name) => !isHarmlessVariable(name)) : undefined;
  if (unknown !== undefined) gathering.markUnproven(`${unknown} is set, which can change what is run`);
}

/** `./echo` and `ECHO` are programs that anybody may have put there. */
function isFromSystem(form: string, name: string): boolean {
  return form === name || /^(?:\/usr)?\/bin\/[^/]+$/.test(form);
}

/** Letters and values that stand together are also read apart: `codex -cx=y` is `codex -c x=y`, `gemini -yp x` is `gemini -y -p x`. */
function suspectGlued([first, ...rest]: readonly ShellWord[], scene: Scene): void {
  const name = baseName(first?.form ?? '');
  if (KNOWN.has(name) || hasFileUses(name) || isWrapper(name) || isShell(name) || interpreterOf(name) !== null) return;
  if (!rest.some(({ form }) => GLUED.test(form))) return;
  const word = (form: string): ShellWord => ({ form, text: form });
  const readAs = (split: (form: string) => readonly string[]): void =>
    scene.gathering.alsoKnownAs(() =>
      scene.runner.runWords(
        [word(name), ...rest.flatMap((one) => (GLUED.test(one.form) ? split(one.form).map(word) : [one]))],
        inside(scene, name, -1),
      ),
    );
  readAs((form) => [form.slice(0, 2), form.slice(2).replace(/^=/, '')]);
  readAs((form) => [...form.slice(1, 9).replace(/=.*$/s, '')].map((letter) => `-${letter}`));
}

const GLUED = /^-[A-Za-z](?=[^-\s])/;

/** `git-push` is `git push`, and a program that this call has given a name of its own is run under that one. */
function suspectOtherNames([first, ...rest]: readonly ShellWord[], scene: Scene): void {
  const form = first?.form ?? '';
  const [, verb] = /^git-([a-z-]+)$/.exec(baseName(form)) ?? [];
  const word = (text: string): ShellWord => ({ form: text, text });
  if (verb !== undefined)
    scene.gathering.alsoKnownAs(() =>
      scene.runner.runWords([word('git'), word(verb), ...rest], inside(scene, form, -1)),
    );
  if (!form.includes('/') || isFromSystem(form, '')) return;
  for (const program of scene.gathering.copiedPrograms)
    if (program !== baseName(form))
      scene.gathering.alsoKnownAs(() => scene.runner.runWords([word(program), ...rest], inside(scene, form, -1)));
}

/** `node x/troupe.js stop`, `x/troupe.js stop` and `node .bin/troupe stop` are held against denies of `troupe stop`. */
function suspectScript(words: readonly ShellWord[], scene: Scene): void {
  const isInterpreter = RUNS_SCRIPTS.has(baseName(words[0]?.form ?? ''));
  const nameOf = (form: string): string | undefined =>
    scriptName(form) ?? (isInterpreter && baseName(form) === 'troupe' ? 'troupe' : undefined);
  const index = isInterpreter ? words.findIndex(({ form }) => nameOf(form) !== undefined) : 0;
  const script = nameOf(words[index]?.form ?? '');
  // `yarn troupe stop` runs the program of a package that is installed.
  const own = /^(?:yarn|pnpm|bun)$/.test(words[0]?.form ?? '') ? words.findIndex(({ form }) => form === 'troupe') : -1;
  if (own > 0) scene.gathering.alsoKnownAs(() => scene.runner.runWords(words.slice(own), inside(scene, 'troupe', -1)));
  if (script === undefined) return;
  const name = { form: script, text: script };
  scene.gathering.alsoKnownAs(() =>
    scene.runner.runWords([name, ...words.slice(index + 1)], inside(scene, script, -1)),
  );
}

/** What does the same as `rm`, by another name. */
function isRemoval(names: readonly string[], words: readonly ShellWord[]): boolean {
  const has = (option: RegExp): boolean => words.some(({ form }) => option.test(form));
  return names.some(
    (name) =>
      name === 'unlink' ||
      (name === 'find' && has(/^-delete$/)) ||
      (name === 'rsync' && has(/^--del/)) ||
      (name === 'shred' && has(/^-\w*u|^--remove/)),
  );
}

const ANSWERS: readonly ShellWord[] = [
  { form: 'troupe', text: 'troupe' },
  { form: 'guard', text: 'guard' },
  { form: 'answer', text: 'answer' },
];
/** Logging in to a server that somebody develops, at the ports that are usual for that, is nothing special. */
const ANSWERING_ADDRESS =
  /\/api\/(?:asks|pairing)(?![\w-])|(?<!:(?:3000|3001|4000|5000|5173|8000|8080|8888|9000))\/api\/login\b/;
const COPIES = wordSet('cp mv rsync ln install ditto tar cpio pax unzip dd');
const RUNS_SCRIPTS = wordSet('node nodejs bun deno tsx ts-node esno');

/** Without folder and ending; undefined where it is not a script of JavaScript. */
function scriptName(form: string): string | undefined {
  if (isUnsure(form)) return undefined;
  return (/(?:^|\/)([\w-]+)\.(?:[cm]?[jt]s|cmd|exe|ps1|bat)$/.exec(form) ?? /(?:^|\/)\.bin\/([\w-]+)$/.exec(form))?.[1];
}

/** The name of a program, and the name of the one that a link leads to. Links are followed first, so the written one counts last. */
function namesOf(form: string, scene: Scene): readonly string[] {
  // Debian has `vim.tiny` and `parallel.moreutils`.
  const base = baseName(form).toLowerCase();
  const name = base.includes('.') ? base.replace(/\.(?:tiny|basic|nox|gtk3|moreutils|traditional|openbsd)$/, '') : base;
  if (!form.includes('/')) return [name];
  const places = (scene.cwds ?? []).flatMap(
    (cwd) => withLinks(form.startsWith('/') ? form : `${cwd}/${form}`, scene.context) ?? [],
  );
  return [
    ...new Set([...places.map((place) => baseName(place).toLowerCase()).filter((other) => other !== name), name]),
  ];
}

/** May allows look through it to the commands inside? */
function runNamed(name: string, words: readonly ShellWord[], scene: Scene): boolean {
  const why = whyEvaluated(name, words);
  if (why !== null) scene.gathering.markUnproven(why);
  if (isShell(name)) return runShell(name, words, scene);
  const interpreter = interpreterOf(name);
  if (interpreter !== null) {
    runInterpreter(name, interpreter, words, scene);
    return false;
  }
  if (CHANGES_SHELL.has(name)) return changesShell(name, scene);
  if (IDLE.has(name)) return true;
  const run = RUNNERS.get(name);
  if (run !== undefined) return run(words, scene, name);
  if (isWrapper(name)) return runWrapper(name, words, scene);
  suspectInner(name, words, scene);
  return false;
}

function changesShell(name: string, scene: Scene): false {
  scene.gathering.lose(`${name} changes what the shell does with words`);
  return false;
}

/** `jobs -x rm x`, `mapfile -C 'rm x'`, `compgen -W '$(rm x)'`, `let "$x"`: builtins that run what they are given. */
function runBuiltin(words: readonly ShellWord[], scene: Scene, name: string): boolean {
  const args = words.slice(1);
  const forms = args.map(({ form }) => form);
  if (name !== 'jobs' && name !== 'compgen')
    for (const form of forms) {
      const [variable = ''] = /^[A-Za-z_]\w*/.exec(form) ?? [];
      if (variable !== '') checkUnseen(variable, scene);
    }
  if (name === 'jobs') {
    const at = forms.findIndex((form) => /^-\w*x/.test(form));
    if (at >= 0) scene.runner.runWords(args.slice(at + 1), inside(scene, 'jobs -x', at + 2));
  } else if (
    name === 'let' ? forms.some(isUnsure) : forms.some((form) => /^-\w*[CFW]|[$`]/.test(form) || isUnsure(form))
  )
    scene.gathering.lose(`${name} runs code from its arguments`);
  return false;
}

type RunCommand = (words: readonly ShellWord[], scene: Scene, name: string) => boolean;

/** Commands that run others or change what follows them, with the same answer as `runNamed`. */
const RUNNERS = byName<RunCommand>({
  eval: runEval,
  'source .': runSource,
  trap: runTrap,
  alias: runAlias,
  read: runRead,
  printf: runPrintf,
  'cd chdir pushd popd': moveTo,
  // `set -- words` gives $1 …, and letters change how careful the shell is; -k makes arguments variables.
  set: (words) => words.slice(1).every(({ form }) => /^(?:[-+][a-jl-z]+|pipefail|errexit|nounset|xtrace)$/.test(form)),
  'export declare typeset local readonly': declareVariables,
  'xargs gxargs': runXargs,
  'find gfind bfs': runFind,
  'fd fdfind': runFd,
  parallel: runParallel,
  ssh: runSsh,
  'docker podman nerdctl kubectl docker-compose': runContainer,
  git: runGit,
  'make gmake': runMake,
  hash: runHash,
  'awk gawk mawk nawk': runAwk,
  'sed gsed': runSed,
  'tar sort wc du': runTable,
  cmake: runCmake,
  'kill pkill killall fuser skill': runKill,
  'jobs mapfile readarray compgen let': runBuiltin,
  history: (words, scene) =>
    words.slice(1).every(({ form }) => /^(?:\d+|-c)$/.test(form)) || changesShell('history', scene),
  'rsync scp sftp nix-shell tmux screen at batch crontab': runToldPrograms,
});

function runRead(words: readonly ShellWord[], scene: Scene): boolean {
  for (const { form } of words.slice(1)) checkUnseen(form, scene);
  return words.every(({ form }) => /^[-\w]+$/.test(form));
}

function runPrintf(words: readonly ShellWord[], scene: Scene): boolean {
  const at = words.findIndex(({ form }) => /^-v/.test(form));
  const name = words[at]?.form === '-v' ? words[at + 1] : words[at];
  if (at > 0 && name !== undefined) checkUnseen(name.form.replace(/^-v/, ''), scene);
  return at < 0;
}

function runHash(words: readonly ShellWord[], scene: Scene): boolean {
  if (words.some(({ form }) => /^-\w*p/.test(form))) scene.gathering.lose('hash gives a command another meaning');
  return false;
}

function declareVariables(words: readonly ShellWord[], scene: Scene, name: string): boolean {
  let isPlain = true;
  for (const { form } of words.slice(1)) {
    const [, variable, value] = /^([A-Za-z_]\w*)\+?=([\s\S]*)$/.exec(form) ?? [];
    if (variable !== undefined && value !== undefined) {
      checkVariable(variable, value, scene);
      if (name !== 'export') alsoExports(variable, value, scene);
    }
    // No program gets it any more.
    else if (name === 'export' && words[1]?.form === '-n') alsoUnsets(form, scene);
    // -n makes a name stand for another one, -f and -F are about functions.
    else if (form.startsWith('-') || isUnsure(form)) isPlain = false;
  }
  return isPlain || name === 'local';
}

function alsoUnsets(name: string, scene: Scene): void {
  const words = ['unset', name].map((form) => ({ form, text: form }));
  if (/^[A-Z]/.test(name))
    scene.gathering.alsoKnownAs(() => scene.runner.runWords(words, inside(scene, 'export -n', -1)));
}

/** A program of awk is another language: harmless unless it starts programs or writes, which its signs tell. */
function runAwk(words: readonly ShellWord[], scene: Scene, name: string): boolean {
  const read = readOptions(words.slice(1), PROGRAM_OPTIONS['awk'] ?? {});
  if (!read.isSure) lost(name, scene);
  useOptionFiles(name, PROGRAM_OPTIONS['awk'] ?? {}, read, scene);
  const files = read.options.filter(({ name: option }) => /^(?:f|file|E|exec|i|include|l|load)$/.test(option));
  for (const { value } of files) {
    scene.gathering.miss(`${name} runs a program that is not looked into`);
    if (value === null || value.form === '-' || isUnsure(value.form) || isStdinFile(value.form)) lost(name, scene);
  }
  const given = read.options.filter(({ name: option }) => option === 'e' || option === 'source');
  const isInFile = files.some(({ name: option }) => /^(?:f|file|E|exec)$/.test(option));
  const programs = [...given.map(({ value }) => value), ...(isInFile || given.length > 0 ? [] : [read.rest[0]])];
  for (const program of programs)
    if (
      program &&
      (program.form.length > MAX_CODE ||
        isUnsure(program.form) ||
        // What is printed goes to a file; elsewhere the sign compares.
        /\bprintf?\b[^;}\n]*>/.test(program.form) ||
        /system|getline|\||close|printf?\s[^}]*>|@|>|ARG[VC][^=<>!]*=(?!=)/.test(
          program.form.replace(/\|\||[<>]=|[$\w)\]]\s*>\s*[\d$"(]/g, ''),
        ))
    )
      readCode(name, `${program.form} system`, scene);
  return false;
}

function runSed(words: readonly ShellWord[], scene: Scene, name: string): boolean {
  const read = readMixedOptions(words.slice(1), PROGRAM_OPTIONS['sed'] ?? {});
  if (!read.isSure) lost(name, scene);
  const valuesOf = (letter: string, long: string): readonly ShellWord[] =>
    read.options.flatMap(({ name: option, value }) => ((option === letter || option === long) && value) || []);
  if (valuesOf('f', 'file').length > 0) scene.gathering.lose(`${name} runs a program that is not looked into`);
  const given = valuesOf('e', 'expression');
  // On macOS -i takes the next word, often an empty one.
  const programs = given.length > 0 ? given : read.rest.slice(0, read.rest[0]?.form === '' ? 2 : 1);
  for (const { form } of programs)
    if (form.length > MAX_CODE || isUnsure(form) || !isHarmlessSed(form))
      scene.gathering.lose(`${name} may run commands, or write other files`);
  return false;
}

/** What stands in its files is not looked at; what it is told on the command line is no shell's language, and runs shells. */
function runMake(words: readonly ShellWord[], scene: Scene, name: string): boolean {
  const read = readMixedOptions(words.slice(1), PROGRAM_OPTIONS['make'] ?? {});
  const lose = (): void => scene.gathering.lose(`what ${name} runs is said on its command line`);
  if (!read.isSure) lost(name, scene);
  for (const { name: option, value } of read.options) {
    const isFile = /^(?:f|file|makefile)$/.test(option);
    const form = value?.form ?? '';
    if (/^(?:E|eval)$/.test(option) || (isFile && (form === '-' || form === '' || isStdinFile(form) || isUnsure(form))))
      lose();
  }
  for (const { form } of read.rest) {
    const [, variable, value = ''] = /^([^=\s]*?)\s*[:?+!]{0,3}=([\s\S]*)$/.exec(form) ?? [];
    if (variable === undefined) continue;
    if (/^\.?SHELL|!$/.test(variable) || /\$[({]|`|!=/.test(form)) lose();
    else suspectCode(value, inside(scene, name, -1));
  }
  return false;
}

/** Files and code that options name, for programs with a table. */
function runTable(words: readonly ShellWord[], scene: Scene, name: string): boolean {
  const options = PROGRAM_OPTIONS[name] ?? {};
  const args = name === 'tar' ? withDashes(words.slice(1), options) : words.slice(1);
  const read = readMixedOptions(args, options);
  if (!read.isSure) lost(name, scene);
  useOptionFiles(name, options, read, scene);
  return false;
}

function useOptionFiles(name: string, options: ProgramOptions, read: ReadOptions, scene: Scene): void {
  const among = (list: string | undefined, option: string): boolean =>
    list?.split(' ').includes(option.length === 1 ? option : `${option}=`) ?? false;
  for (const { name: option, value } of read.options) {
    if (value === null) continue;
    const via = `${name} ${option.length === 1 ? '-' : '--'}${option}`;
    const isAction = option === 'checkpoint-action';
    if (among(options.code, option) && /^\.{0,2}\//.test(value.form)) lost(name, scene);
    if (among(options.code, option) && (!isAction || value.form.startsWith('exec=')))
      runPlainShell(isAction ? value.form.slice(5) : value.form, inside(scene, via, -1));
    if (among(options.writes, option)) usePath('write', value.form, via, scene);
    if (among(options.reads, option) || among(options.lists, option)) usePath('read', value.form, via, scene);
    if (!among(options.lists, option)) continue;
    // Which files a list names is in the list.
    const { stdin } = scene;
    const names = value.form === '-' && stdin.kind === 'text' ? stdin.text.split(/[\n\0]/) : [ANYTHING];
    for (const file of names) usePath('read', file, via, scene, 'all');
  }
}

/** What may be run as code, and may be no more than a text. */
function suspectCode(form: string, within: Scene): void {
  if (form !== '' && !isUnsure(form)) within.gathering.suspect(() => within.runner.runCode(form, within));
}

function runFd(words: readonly ShellWord[], scene: Scene): boolean {
  const [, attached] =
    /^--exec(?:-batch)?=([\s\S]*)$/.exec(words.find(({ form }) => /^--exec/.test(form))?.form ?? '') ?? [];
  if (attached !== undefined)
    scene.runner.runWords([{ form: attached, text: attached }], inside(scene, 'fd --exec', -1));
  const at = words.findIndex(({ form }) => /^(?:-[A-Za-z0-9]*[xX]|--exec|--exec-batch)$/.test(form));
  // What it finds stands behind the words, or in place of {}.
  if (at >= 0) scene.runner.runWords([...words.slice(at + 1), FROM_STDIN], inside(scene, 'fd -x', at + 1));
  return false;
}

/** Programs with options that name other programs, or that are given code for later. */
function runToldPrograms(words: readonly ShellWord[], scene: Scene, name: string): boolean {
  const run = (code: string, wrapper = name): void => runPlainShell(code, inside(scene, wrapper, -1));
  const isCopier = name === 'scp' || name === 'sftp';
  for (const [index, { form }] of words.entries()) {
    if (index === 0) continue;
    const next = words[index + 1]?.form ?? '';
    // Long options may be cut short.
    if (/^--(?:rsh|rsync-p)[a-z-]*=/.test(form)) run(form.slice(form.indexOf('=') + 1));
    else if (/^--(?:rsh|rsync-path|run|command)$/.test(form)) run(next);
    else if (name === 'rsync' && /^-[a-zA-Z]*e./.test(form)) run(form.slice(form.indexOf('e') + 1));
    else if (name === 'rsync' && /^-[a-zA-Z]*e$/.test(form)) run(next);
    else if (isCopier && /^-(?:S|D)$/.test(form)) run(next);
    else if (isCopier && /ProxyCommand/i.test(form)) scene.gathering.lose(`${name} is told to run a command here`);
  }
  if ((name === 'tmux' || name === 'screen') && runSession(name, words, scene)) return false;
  if (
    /^(?:tmux|screen|at|batch|crontab)$/.test(name) &&
    !/^(?:ls|list-\w+|-ls|-l|-r|kill-\w+|capture-pane)$/.test(words[1]?.form ?? '')
  )
    scene.gathering.lose(`${name} runs what it is given somewhere else`);
  return false;
}

const SESSIONS: Readonly<Record<string, OptionSpec>> = {
  tmux: { flags: 'dADEPXabvhfIZ', values: 'censtxyFlp' },
  screen: { flags: 'dmDUqRaA', values: 'SLstThe' },
};

/** `tmux new -d -s dev 'npm run dev'`, `screen -dmS api ./run.sh`: a session that is begun with one command. */
function runSession(name: string, words: readonly ShellWord[], scene: Scene): boolean {
  const isTmux = name === 'tmux';
  if (isTmux && !/^(?:new(?:-session|-window)?|neww|split-window|splitw)$/.test(words[1]?.form ?? '')) return false;
  if (!isTmux && !words.some(({ form }) => /^-\w*m/.test(form))) return false;
  const read = readOptions(words.slice(isTmux ? 2 : 1), SESSIONS[name] ?? {});
  if (!read.isSure || read.rest.length === 0 || hasSettings(read)) return false;
  const within = inside(scene, name, -1, { stdin: { kind: 'none' } });
  const [only, second] = read.rest;
  if (isTmux && only !== undefined && second === undefined) runPlainShell(only.form, within);
  else scene.runner.runWords(read.rest, within);
  return true;
}

/** A file of settings, a variable, another folder. */
function hasSettings({ options }: ReadOptions): boolean {
  return options.some(({ name }) => /^[ceF]$/.test(name));
}

/** They run the command behind their options, wherever these end. */
const PREFIXES = wordSet(
  'valgrind catchsegv numactl prlimit cgexec faketime fakeroot fakechroot proot bwrap gosu su-exec capsh unbuffer rlwrap ' +
    'logsave ip daemonize chpst setarch linux32 linux64 i386 x86_64 arch dumb-init tini envdir softlimit wsl conda mamba micromamba ' +
    'rbenv pyenv nodenv nvm fnm volta dotenvx watchexec mosh rsh rlogin oc lxc incus nix guix flatpak launchctl start-stop-daemon pipx ' +
    'uvx devbox pixi op doppler aws-vault chamber infisical sops envchain mpirun mpiexec srun sandbox-exec xcrun winpty chronic retry ' +
    'sem rush hyperfine concurrently sg gcloud pssh salt ansible vagrant dtruss gdb lldb ts with-contenv s6-setuidgid ' +
    'sshpass autossh env_parallel steam-run run0 machinectl ifne pee mispipe lckdo withlock tsp nq pueue xe toolbox distrobox ' +
    'devcontainer xterm alacritty kitty foot wezterm',
);

/** Long options (of some programs with one dash) whose value is run. */
const RUNS =
  /^--?(?!dry-run$|no-)(?:[a-z]+-)*(?:exec|execute|command|cmd|run|pager|pre|filter|shell|editor|call|toolexec|vettool|wrapper|askpass|preview|bind|config|compress-program|option)$|^--on-[a-z-]+$/;

function isRunOption(form: string): boolean {
  return form.startsWith('-') && RUNS.test(form);
}

/** Letters whose value is run, where no more than that is known of a program. */
const LETTERS: Readonly<Record<string, RegExp>> = {
  man: /^-P$/,
  nc: /^-[ec]$/,
  ncat: /^-[ec]$/,
  lftp: /^-[ec]$/,
  smbclient: /^-c$/,
  dc: /^-e$/,
  netcat: /^-[ec]$/,
  tcpdump: /^-z$/,
  zip: /^-TT$/,
  nodemon: /^-x$/,
  ansible: /^-a$/,
  'apt-get': /^-o$/,
  apt: /^-o$/,
};

/** So many words are looked at one by one. */
const MAX_WORDS = 60;

/** `cmake -E env rm x`, `cmake -E time rm x`. */
function runCmake(words: readonly ShellWord[], scene: Scene): boolean {
  const at = words.findIndex(({ form }) => form === '-E');
  const rest = at < 0 ? [] : words.slice(at + 1);
  const [tool] = rest;
  if (tool?.form === 'rename')
    scene.runner.runWords([{ form: 'mv', text: 'mv' }, ...rest.slice(1)], inside(scene, 'cmake -E', -1));
  if (tool?.form === 'rm' || tool?.form.startsWith('remove'))
    scene.runner.runWords([RM, ...rest.slice(1)], inside(scene, 'cmake -E', -1));
  for (const [index, { form }] of rest.entries())
    if (index > 0 && /^(?:env|time|cmake_\w+|__run_\w+)$/.test(tool?.form ?? '') && !/^-|=/.test(form))
      scene.gathering.suspect(() => scene.runner.runWords(rest.slice(index), inside(scene, 'cmake -E', -1)));
  suspectInner('cmake', words, scene);
  return false;
}

const RM: ShellWord = { form: 'rm', text: 'rm' };

function suspectInner(name: string, all: readonly ShellWord[], scene: Scene): void {
  const words = all.slice(0, MAX_WORDS);
  const within = inside(scene, name, -1, { within: null, self: null, stdin: { kind: 'none' } });
  const asCode = (form: string): void => {
    if (form !== '' && !isUnsure(form)) scene.gathering.suspect(() => scene.runner.runCode(form, within));
  };
  const asWords = (from: number): void => {
    const [first] = words.slice(from);
    if (first !== undefined && !isUnsure(first.form))
      scene.gathering.suspect(() => scene.runner.runWords(words.slice(from), within));
  };
  const isUnheardOf = !KNOWN.has(name) && !hasFileUses(name) && isFromSystem(all[0]?.form ?? '', name);
  const isPrefix = isUnheardOf || PREFIXES.has(name) || /^ld(?:-(?:linux|musl).*)?\.so|^qemu-/.test(name);
  if (all.slice(MAX_WORDS).some(({ form }) => isPrefix || isRunOption(form.replace(/=.*$/s, '')) || form === '--'))
    scene.gathering.lose(`what ${name} runs stands behind too many words`);
  for (const [index, { form }] of words.entries()) {
    if (index === 0) continue;
    const before = words[index - 1]?.form ?? '';
    const [, option = '', value = ''] = /^(--?[a-z-]+)=([\s\S]*)$/.exec(form) ?? [];
    if (isRunOption(option)) asCode(codeIn(value));
    else if (index > 1 && (isRunOption(before) || LETTERS[name]?.test(before))) asCode(codeIn(form));
    else if (name === 'socat') asCode(form.replace(/^(?:EXEC|SYSTEM|SHELL):/i, ''));
    else if (/^\+!/.test(form)) asCode(form.slice(2));
    else if (before === '--' && index > 1 && !HANDS_ON.has(name)) asWords(index);
    if (!isPrefix || form.startsWith('-')) continue;
    if (/\s/.test(form)) asCode(form);
    asWords(index);
  }
}

/** Programs that take words as words, some of which are also names of commands: `brew rm`, `npm run push`. */
const KNOWN = wordSet(
  'npm yarn pnpm bun deno cargo go gh glab hub jj hg svn brew apt apt-get apt-cache dnf yum apk pacman zypper snap port pip pip3 pipx uv poetry pdm rye hatch conda mamba gem bundle rake rails composer ' +
    'php-cs-fixer phpunit phpstan artisan terraform tofu pulumi aws gcloud az doctl heroku fly flyctl vercel netlify wrangler firebase supabase railway kubectl helm kustomize minikube kind k9s istioctl docker podman ' +
    'docker-compose buildah skopeo ninja meson bazel gradle gradlew mvn sbt dotnet nuget msbuild tsc eslint prettier biome vitest jest mocha ava playwright cypress webpack vite rollup esbuild tsup turbo nx lerna ' +
    'rush changeset next nuxt astro remix svelte-kit ng vue expo react-native storybook tailwindcss postcss stylelint prisma drizzle-kit typeorm sequelize knex alembic django-admin flask uvicorn gunicorn celery ' +
    'pytest ruff black mypy isort flake8 pylint pyright tox nox pre-commit coverage sphinx-build mkdocs jupyter rustc rustfmt rustup clippy-driver wasm-pack gofmt goimports golangci-lint gopls staticcheck ' +
    'javac java kotlinc scalac swift swiftc xcodebuild pod fastlane flutter dart mix iex rebar3 cabal stack ghc opam dune zig nim crystal gcc g++ cc c++ clang clang++ clang-format clang-tidy ld ar nm objdump strip ' +
    'protoc buf thrift shellcheck shfmt hadolint actionlint yamllint markdownlint cspell codespell jsonlint ajv openapi-generator swagger redocly spectral troupe ' +
    'ps top htop kill pkill killall pgrep lsof fuser netstat ss ip ifconfig systemctl service journalctl launchctl df mount umount free uptime uname hostname whoami id groups date cal sleep seq yes bc dc expr factor ' +
    'basename dirname mktemp tput stty clear reset man info help type which whereis locate updatedb history fc psql mysql mysqldump pg_dump redis-cli mongosh mongo sqlite3 createdb dropdb duckdb ' +
    'convert magick ffmpeg ffprobe pandoc dot mmdc optipng svgo exiftool openssl gpg ssh-keygen ssh-add keychain pass base64 md5 shasum sha256sum crontab tmux screen zip unzip 7z gzip gunzip ' +
    'tokei cloc scc fd fzf bat exa eza lsd delta difft hexyl jless gron miller mlr xsv csvkit csvcut dasel hjson vhs asciinema act ngrok localtunnel serve http-server live-server json-server nodemon pm2 forever tsx ts-node',
);

/** Behind `--` they have arguments for programs that they name otherwise, or names of files. */
const HANDS_ON = wordSet(
  'npm yarn pnpm bun cargo go vitest jest playwright tsc eslint prettier ls cat head tail touch mkdir wc sort chmod chown cp mv ln tee diff',
);

/** `alias.x=!rm`, `DPkg::Pre-Invoke::=rm`, `enter:execute(rm)`: behind the name of what is set. */
function codeIn(value: string): string {
  const [, called] = /\bexecute(?:-silent)?\((.*)\)/s.exec(value) ?? [];
  return called ?? value.replace(/^(?:[\w.:-]+=)?!?/, '');
}
