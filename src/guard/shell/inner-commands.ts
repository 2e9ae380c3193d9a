// Commands among the arguments of others: `xargs`, `find -exec`, `parallel`, `ssh`, containers.

import { isShell } from './interpreters.ts';
import { extentOf, usePath } from './paths.ts';
import { foundBelow } from './project-code.ts';
import { inside, type Scene } from './scene.ts';
import { ANYTHING, hasOption, IN_WORD, isUnsure, optionValue, readOptions, type ShellWord } from './words.ts';
import { lost, runPlainShell } from './wrappers.ts';

/** Words that are only known when it runs. */
export const FROM_STDIN: ShellWord = { form: ANYTHING, text: '…' };

const XARGS = {
  flags: '0oprtx',
  values: 'aEIJLnPRSsd',
  attached: 'eil',
  long: 'null interactive no-run-if-empty verbose exit open-tty show-limits arg-file= delimiter= eof= replace= max-lines= max-args= max-procs= max-chars= process-slot-var=',
};

export function runXargs(words: readonly ShellWord[], scene: Scene): boolean {
  const read = readOptions(words.slice(1), XARGS);
  if (!read.isSure) return lost('xargs', scene);
  const list = optionValue(read, 'a', 'arg-file');
  if (list !== null) usePath('read', list.form, `xargs ${list.text}`, scene);
  if (read.rest.length === 0) return false;
  const mark = optionValue(read, 'I', 'J', 'i', 'replace')?.form ?? (hasOption(read, 'i') ? '{}' : null);
  const [command] = read.rest;
  const filled =
    mark === null || mark === ''
      ? [...read.rest, foundWord(scene)]
      : read.rest.map((word) => fill(word, mark, word.form === mark ? foundName(scene) : IN_WORD));
  // Without a replacement what comes in is the rest of the words: code for a shell must be there before.
  if (mark === null && isShell(command?.form ?? '') && !read.rest.some(({ form }) => /^-\w*c/.test(form)))
    scene.gathering.lose('what xargs gives to the shell is only known when it runs');
  const at = words.length - read.rest.length;
  scene.runner.runWords(filled, inside(scene, 'xargs', at, { stdin: { kind: 'none' } }));
  return words.length === read.rest.length + 1;
}

function foundWord(scene: Scene): ShellWord {
  const { stdin } = scene;
  return stdin.kind === 'unknown' && stdin.found !== undefined ? { form: stdin.found, text: '…' } : FROM_STDIN;
}

function foundName({ stdin }: Scene): string {
  return (stdin.kind === 'unknown' ? stdin.found : undefined) ?? IN_WORD;
}

export function runFind(words: readonly ShellWord[], scene: Scene): boolean {
  const starts = words.slice(1).findIndex(({ form }) => /^[-(!]/.test(form));
  const folders = words.slice(1, starts < 0 ? undefined : starts + 1);
  const roots = folders.length === 0 ? [{ form: '.', text: '.' }] : folders;
  // Names at the top of a folder are no more than names.
  const isShallow =
    words.some(({ form }, at) => form === '-maxdepth' && /^[01]$/.test(words[at + 1]?.form ?? '')) &&
    !words.some(({ form }) => /^-(?:exec|ok|delete|fprint|fls)/.test(form));
  for (const { form, text } of roots)
    usePath('read', form, `find ${text}`, scene, isShallow ? undefined : extentOf(form, scene));
  for (let index = 1; index < words.length; index++) {
    const { form } = words[index] as ShellWord;
    if (form === '-delete')
      for (const root of roots) {
        const isAll = !words.some((word) =>
          /^-i?(?:name|path|wholename|regex|size|[acm](?:min|time)|newer\w*|empty)$/.test(word.form),
        );
        usePath('write', root.form, `find ${root.text} -delete`, scene, 'all', false, isAll);
        for (const name of wantedNames(words))
          usePath('write', `${root.form}/${ANYTHING}/${name}`, `find ${root.text} -delete`, scene);
      }
    if (/^-f(?:print0?|ls|printf)$/.test(form)) usePath('write', words[index + 1]?.form ?? '', `find ${form}`, scene);
    if (form.startsWith('-files0')) {
      const list = words[index + 1]?.form ?? '';
      if (list !== '-') usePath('read', list, `find ${form}`, scene);
    }
    if (isUnsure(form) && index > folders.length) scene.gathering.lose('what find does is only known when it runs');
    if (!/^-(?:exec|ok)(?:dir)?$/.test(form)) continue;
    const end = words.findIndex(
      (word, at) => at > index && (word.form === ';' || (word.form === '+' && at > index + 1)),
    );
    const inner = words.slice(index + 1, end < 0 ? undefined : end);
    if (inner.length === 0) continue;
    const changes: Partial<Scene> = form.endsWith('dir') ? { cwds: null } : {};
    const conditions = words.slice(folders.length + 1, index).map((word) => word.form);
    const found = findsPlainly(roots, scene)
      ? (foundBelow(
          roots.map((root) => root.form),
          conditions,
          scene,
        ) ?? IN_WORD)
      : roots.length === 1
        ? `${roots[0]?.form}/${IN_WORD}`
        : IN_WORD;
    const filled = inner.map((word) => fill(word, '{}', found));
    scene.runner.runWords(filled, inside(scene, `find ${form}`, index + 1, { stdin: { kind: 'none' }, ...changes }));
    index = end < 0 ? words.length : end;
  }
  return false;
}

/** What it looks for, by name or path, as far as that is no more than an ending. */
function wantedNames(words: readonly ShellWord[]): readonly string[] {
  return words.flatMap(({ form }, index) =>
    /^-i?(?:name|path|wholename)$/.test(words[index - 1]?.form ?? '') && !/^\*\.?[\w~]*$/.test(form)
      ? [form.replace(/^\*?\//, '').replace(/\*/g, ANYTHING)]
      : [],
  );
}

/** In the project, where it may be looked. */
function findsPlainly(roots: readonly ShellWord[], scene: Scene): boolean {
  return roots.every(
    ({ form }) => !isUnsure(form) && extentOf(form, scene) === undefined && !/^\.\.(?:\/|$)/.test(form),
  );
}

export function runParallel(words: readonly ShellWord[], scene: Scene): boolean {
  const read = readOptions(words.slice(1), {
    flags: 'kmXquvtz0',
    values: 'jnNIaSdLs',
    long: 'jobs= keep-order will-cite bar dry-run halt= line-buffer ungroup tag null colsep= eta verbose progress',
  });
  const end = read.rest.findIndex(({ form }) => /^:{3,4}\+?$/.test(form));
  const command = end < 0 ? read.rest : read.rest.slice(0, end);
  if (!read.isSure || command.length === 0) {
    scene.gathering.lose('what parallel runs is only known when it runs');
    return false;
  }
  const filled = withGiven(command, end < 0 ? [] : read.rest.slice(end + 1));
  // It hands one line to a shell: what is put in there may be code.
  const code = command.map(({ form }) => form).join(' ');
  if (/[;&|<>$`(){}]/.test(code.replace(/\{\}/g, ''))) runPlainShell(code, inside(scene, 'parallel', -1));
  scene.runner.runWords(filled, inside(scene, 'parallel', words.length - read.rest.length));
  return false;
}

/** With `:::` what is put in is there to be read: names of files and other words, no code. */
function withGiven(command: readonly ShellWord[], given: readonly ShellWord[]): readonly ShellWord[] {
  const [only, second] = given;
  if (only === undefined || !given.every(({ form }) => /^[\w./*?\uE002\uE003-]+$/.test(form)))
    return [...command.map(({ form, text }) => ({ form: form.replace(/\{[^{}]*\}/g, ANYTHING), text })), FROM_STDIN];
  const whole = second === undefined ? only.form : IN_WORD;
  const fillMarks = (form: string): string =>
    form
      .replaceAll('{}', whole)
      .replaceAll('{.}', whole.replace(/\.\w+$/, ''))
      .replace(/\{[^{}]*\}/g, IN_WORD);
  const parts = command.flatMap(({ form }) => form.trim().split(/\s+/));
  const words = parts.map((form) => ({ form: fillMarks(form), text: form }));
  return parts.some((form) => form.includes('{')) ? words : [...words, { form: whole, text: '…' }];
}

const SSH = { flags: '46AaCfGgKkMNnqsTtVvXxYy', values: 'BbcDEeFIiJLlmOoPpQRSWw' };

export function runSsh(words: readonly ShellWord[], scene: Scene): boolean {
  const read = readOptions(words.slice(1), SSH);
  if (!read.isSure) return lost('ssh', scene);
  const away = inside(scene, 'ssh', -1, { isElsewhere: true });
  for (const { name, value } of read.options) {
    if (name === 'F' && value !== null) usePath('read', value.form, 'ssh -F', scene);
    if (name === 'E' && value !== null) usePath('write', value.form, 'ssh -E', scene);
    if (name === 'F' && isUnsure(value?.form ?? '')) scene.gathering.lose('the settings of ssh may run commands');
    const [, remote] = /^RemoteCommand[=\s]+([\s\S]*)$/i.exec(value?.form ?? '') ?? [];
    if (name === 'o' && remote !== undefined) runPlainShell(remote, away);
    const [, code] = /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[=\s]+([\s\S]*)$/i.exec(value?.form ?? '') ?? [];
    if (name !== 'o' || code === undefined) continue;
    scene.gathering.miss('ssh is told to run a command here');
    runPlainShell(code, inside(scene, 'ssh -o', -1));
  }
  const behind = read.rest.slice(1);
  const rest = behind[0]?.form.startsWith('-') ? readOptions(behind, SSH).rest : behind;
  if (rest.length > 0) runPlainShell(rest.map(({ form }) => form).join(' '), away);
  else if (scene.stdin.kind === 'text') scene.runner.runCode(scene.stdin.text, away);
  else if (scene.stdin.kind === 'unknown') scene.gathering.lose('what ssh is given to run is only known when it runs');
  return false;
}

const CONTAINER_OPTIONS = {
  flags: 'ditPqTV',
  values: 'aceghHlmnpuvwfx',
  long: 'rm detach interactive tty init privileged read-only no-deps quiet-pull build service-ports quiet no-healthcheck publish-all remove-orphans name= env= env-file= volume= mount= workdir= user= network= net= publish= entrypoint= hostname= platform= memory= cpus= gpus= label= cap-add= cap-drop= device= dns= add-host= restart= pull= ipc= pid= shm-size= tmpfs= ulimit= security-opt= log-driver= expose= link= volumes-from= index= file= project-name= profile= project-directory= context= namespace= container= stdin',
};

/** `docker run … image command`, `docker compose exec service command`, `kubectl exec pod -- command`. */
export function runContainer(words: readonly ShellWord[], scene: Scene, name: string): boolean {
  let read = readOptions(words.slice(1), CONTAINER_OPTIONS);
  let rest = read.rest;
  const verbs: string[] = [];
  let isSure = read.isSure;
  while (
    rest.length > 0 &&
    verbs.length < 3 &&
    /^(?:run|exec|compose|container|debug|create)$/.test(rest[0]?.form ?? '')
  ) {
    verbs.push(rest[0]?.form ?? '');
    read = readOptions(rest.slice(1), CONTAINER_OPTIONS);
    isSure &&= read.isSure;
    rest = read.rest;
  }
  if (!verbs.some((verb) => /^(?:run|exec|debug|create)$/.test(verb))) return false;
  const entry = optionValue(read, 'entrypoint');
  const dashes = rest.findIndex(({ form }) => form === '--');
  const inner = dashes >= 0 ? rest.slice(dashes + 1) : rest.slice(1);
  if (!isSure) lost(name, scene);
  // The first word behind the container's name may be an option of it.
  else if (inner[0]?.form.startsWith('-') && name !== 'kubectl')
    scene.gathering.miss(`${name} starts what the image says`);
  const elsewhere: Partial<Scene> = { isElsewhere: true };
  if (entry !== null) scene.runner.runWords([entry, ...inner], inside(scene, name, -1, elsewhere));
  else if (inner.length > 0) scene.runner.runWords(inner, inside(scene, name, words.length - inner.length, elsewhere));
  return false;
}

function fill(word: ShellWord, mark: string, form: string): ShellWord {
  if (mark === '' || !word.form.includes(mark)) return word;
  return { form: word.form.split(mark).join(form), text: word.text };
}

// A program of sed, as far as it must be known: does it run commands (`e`), read or write files (`r`, `w`)?

const LABELS = /[^;\n]*/y;
const TEXTS = /[^\n]*(?:\\\n[^\n]*)*/y;

/** False also where it is not understood. */
export function isHarmlessSed(program: string): boolean {
  let at = 0;
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at;
    at += pattern.exec(program)?.[0].length ?? 0;
  };
  while (at < program.length) {
    const next = skipAddresses(program, at);
    if (next === null) return false;
    at = next;
    const command = program[at++];
    if (command === undefined) return true;
    if (command === 's' || command === 'y') {
      const end = skipParts(program, at);
      if (end === null) return false;
      at = end;
      const flags = /^[a-zA-Z0-9]*/.exec(program.slice(at))?.[0] ?? '';
      if (/[ewW]/.test(flags)) return false;
      at += flags.length;
    } else if (/[aic]/.test(command)) skip(TEXTS);
    else if (/[btT:]/.test(command)) skip(LABELS);
    else if (/[#]/.test(command)) skip(/[^\n]*/y);
    else if (/[qQlL]/.test(command)) skip(/\s*\d*/y);
    else if (!/[{}dDgGhHnNpPxz=F;\s]/.test(command)) return false;
  }
  return true;
}

/** `1,/end/!` and blanks. */
function skipAddresses(program: string, start: number): number | null {
  let at = start;
  for (;;) {
    const char = program[at];
    if (char === undefined || !/[\s\d$,~+!;/\\IM]/.test(char)) return at;
    if (char !== '/' && char !== '\\') at++;
    else {
      const delimiterAt = char === '/' ? at : at + 1;
      const end = skipDelimited(program, delimiterAt + 1, program[delimiterAt]);
      if (end === null) return null;
      at = end;
    }
  }
}

function skipParts(program: string, at: number): number | null {
  const delimiter = program[at];
  const middle = skipDelimited(program, at + 1, delimiter);
  return middle === null ? null : skipDelimited(program, middle, delimiter);
}

/** Behind the delimiter; a backslash takes the next character along, and so does a class (`[/]`) as far as it may. */
function skipDelimited(program: string, start: number, delimiter: string | undefined): number | null {
  if (delimiter === undefined || /[\\\n]/.test(delimiter)) return null;
  for (let at = start; at < program.length; at++) {
    const group = program[at] === '[' ? /^\[[^\]]*\]/.exec(program.slice(at))?.[0] : undefined;
    if (program[at] === '\\') at++;
    else if (group?.includes(delimiter)) return null;
    else if (program[at] === delimiter) return at + 1;
  }
  return null;
}
