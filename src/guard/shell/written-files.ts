// Files that a call writes and uses: `echo 'git push' > x; sh x`. What is written is judged as if it was said in the command.

import { byName, wordSet } from '../../lib/group.ts';
import { readCode } from './interpreters.ts';
import { useHosts } from './network.ts';
import { baseName, isNoFile, isStdinFile, joinPath, rememberLinks, writtenText } from './paths.ts';
import type { Scene } from './scene.ts';
import { findCommands, MAX_TOKENS, pathsIn, suspectPath, TAKES_TEXT } from './suspects.ts';
import { isUnsure, printedText, type ShellWord } from './words.ts';
import { isWrapper } from './wrappers.ts';

const WRITERS = wordSet('tee echo printf cat cp mv ln install dd');

/** `targets`: of its redirections. */
export function rememberWritten(targets: readonly string[], given: readonly ShellWord[], scene: Scene): void {
  // `timeout 9 tee x`
  const start = isWrapper(given[0]?.form ?? '') ? given.findIndex(({ form }) => WRITERS.has(form)) : 0;
  const words = given.slice(Math.max(start, 0));
  const name = baseName(words[0]?.form ?? '');
  if (name === 'cp' || name === 'ln')
    rememberLinks(
      name,
      words.slice(1).map(({ form }) => form),
      scene,
    );
  if (/^(?:cp|mv|ln|install|rsync|dd)$/.test(name)) rememberCopied(name, words.slice(1), scene);
  const isTee = name === 'tee';
  const all = isTee ? [...targets, ...words.slice(1).map(({ form }) => form)] : targets;
  const text = isTee || name === 'cat' ? textComingIn(scene) : (printedText(words) ?? '');
  for (const target of all) {
    if (isUnsure(target) || isNoFile(target)) continue;
    for (const cwd of scene.cwds ?? ['']) {
      const place = joinPath(cwd, target);
      const { written } = scene.gathering;
      const before = written.has(place) ? written.get(place) : '';
      written.set(place, text === '' || typeof before !== 'string' ? null : `${before}\n${text}`);
    }
  }
}

function textComingIn({ stdin }: Scene): string {
  return stdin.kind === 'text' ? stdin.text : stdin.kind === 'unknown' ? (stdin.hint ?? '') : '';
}

/** Under its new name it holds the same text. */
function rememberCopied(name: string, args: readonly ShellWord[], scene: Scene): void {
  const { written, placed } = scene.gathering;
  const plain = args.map(({ form }) => form).filter((form) => !form.startsWith('-'));
  const [from, to] =
    name === 'dd'
      ? [
          plain.find((form) => form.startsWith('if='))?.slice(3) ?? '/dev/stdin',
          plain.find((form) => form.startsWith('of='))?.slice(3),
        ]
      : [plain[0], plain.at(-1)];
  if (from === undefined || to === undefined || (plain.length < 2 && name !== 'dd') || isUnsure(from) || isUnsure(to))
    return;
  const text = isStdinFile(from) ? textComingIn(scene) || null : writtenText(from, scene);
  for (const cwd of scene.cwds ?? [''])
    for (const place of [joinPath(cwd, to), joinPath(cwd, `${to}/${baseName(from)}`)])
      if (text === undefined) placed.add(place);
      else written.set(place, text);
}

/** What they are given by name, or find by themselves, says what they do. */
const READS_PROGRAMS = wordSet('sed gsed awk gawk mawk nawk make gmake xargs xh');
const FINDS_FILES = byName<RegExp>({
  'make gmake': /\/(?:GNUm|[Mm])akefile$/,
  'npm pnpm yarn bun npx': /\/(?:package\.json|\.npmrc|\.yarnrc(?:\.yml)?)$/,
  'just task rake': /\/(?:[Jj]ustfile|Taskfile\.ya?ml|Rakefile)$/,
  cmake: /\/CMakeLists\.txt$/,
  ninja: /\/build\.ninja$/,
  'cargo rustc': /\/(?:build\.rs|Cargo\.toml|\.cargo\/config\.toml)$/,
  'gdb lldb': /\/\.(?:gdbinit|lldbinit)$/,
  'pytest python python3': /\/(?:conftest|sitecustomize|usercustomize)\.py$/,
});
/** Of these a file that is written by something that is not followed makes everything possible. */
const DOES_AS_WRITTEN = wordSet(
  'gcc g++ cc c++ clang clang++ make gmake awk gawk mawk nawk sed gsed gdb lldb vi vim nvim ex view emacs ed sqlite3 cmake ninja psql mysql m4 dc bc gnuplot octave r rscript tclsh expect just task rake',
);

/** `echo 'x:; git push' > m; make -f m`: the text that a program is given by the name of a file, or of a program for it. */
export function suspectWritten(name: string, words: readonly ShellWord[], scene: Scene): void {
  const { written } = scene.gathering;
  if (written.size === 0 || (TAKES_TEXT.has(name) && !READS_PROGRAMS.has(name))) return;
  const found = FINDS_FILES.get(name);
  const texts = [
    ...[...written].flatMap(([path, text]) => (found?.test(path) ? [text] : [])),
    ...words.slice(1).flatMap(({ form }) => {
      const pieces = [form, form.slice(2), ...form.split(/[\s='"`(),:@|<>]+/)];
      return [...new Set(pieces)].flatMap((piece) => (piece === '' ? [] : (writtenText(piece, scene) ?? [])));
    }),
  ];
  if (DOES_AS_WRITTEN.has(name) && words.slice(1).some(({ form }) => writtenText(form, scene) === null))
    scene.gathering.lose(`${name} is given a file that this call writes`);
  const commands = new Set<string>();
  for (const text of texts) {
    if (text === null) continue;
    if (/awk$/.test(name)) readCode(name, text, scene);
    useHosts(
      name,
      [
        { form: name, text: name },
        { form: text, text },
      ],
      scene,
    );
    // A recipe of make may begin with these.
    findCommands(`${text.replace(/(?<=[\s:;])[@+-]+(?=\w)/g, '')}\n`, commands);
    for (const path of pathsIn(`${text}\n`)) suspectPath(path, name, scene);
  }
  if (commands.size > MAX_TOKENS) scene.gathering.lose(`${name} is given too many texts to be looked through`);
  else for (const text of commands) scene.gathering.suspectCommand(text, [...scene.wrappers, name]);
}
