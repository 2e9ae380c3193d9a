// Files that a call writes and uses: `echo 'git push' > x; sh x`. What is written is judged as if it was said in the command.

import { byName, wordSet } from '../../lib/group.ts';
import { isShell, readCode } from './interpreters.ts';
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
  rememberSaid(name, targets, words.slice(1), scene);
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

/** What the words of a program say that goes into files which it changes, or whose text it makes. */
function rememberSaid(name: string, targets: readonly string[], words: readonly ShellWord[], scene: Scene): void {
  const isInPlace = CHANGES_FILES.test(name) && words.some(({ form }) => /^-[a-zA-Z]*i|^--in-pl/.test(form));
  if (!isInPlace && (targets.length === 0 || !KEEPS_MEANING.test(name))) return;
  const files = isInPlace
    ? words.map(({ form }) => form).filter((form) => /^[\w./~-]*\w$/.test(form) && !form.startsWith('-'))
    : targets;
  const plain = words.map(({ form }) => form).join(' ');
  // `s/a b/git push/`
  const text = `${plain}\n${plain.replace(/[/|#@,]/g, ' \n ')}`;
  for (const file of files)
    for (const cwd of scene.cwds ?? ['']) {
      const place = joinPath(cwd, file);
      if (!isUnsure(file)) scene.gathering.said.set(place, `${scene.gathering.said.get(place) ?? ''}\n${text}`);
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
      if (text === undefined) {
        const source = joinPath(cwd, from);
        placed.set(place, placed.get(source) ?? source);
        const words = scene.gathering.said.get(source);
        if (words !== undefined) scene.gathering.said.set(place, words);
      } else {
        written.set(place, text);
        const words = scene.gathering.said.get(joinPath(cwd, from));
        if (words !== undefined) scene.gathering.said.set(place, words);
      }
}

/** What they are given by name, or find by themselves, says what they do. */
const READS_PROGRAMS = wordSet('sed gsed awk gawk mawk nawk make gmake xargs xh');
/**
 * Programs that run what they find in the project, the home folder or PATH, and names of files that may be that. What a call puts
 * there is judged as far as its text is known, and is opaque otherwise.
 */
const LOADS = byName<RegExp>({
  'npm pnpm yarn bun npx pnpx bunx node nodejs deno tsx ts-node vitest jest mocha ava playwright eslint webpack vite rollup next nuxt':
    /\.(?:[cm]?[jt]sx?|json|node)$|\/(?:\.npmrc|\.yarnrc(?:\.yml)?|\.[\w-]+rc)$|\/\.bin\/[^/]+$/,
  'python python3 pytest pip pip3 tox nox uv poetry ipython flask uvicorn gunicorn django-admin':
    /\.(?:py|pth|cfg|toml|ini)$|\/\.(?:pdbrc|pypirc)$/,
  'ruby irb pry rake rspec bundle rails erb': /\.(?:rb|gemspec|rake)$|\/(?:Rakefile|Gemfile|\.irbrc|\.pryrc|\.rspec)$/,
  'perl prove': /\.(?:pl|pm|t)$|\/\.proverc$/,
  php: /\.(?:php|ini)$/,
  'cargo rustc': /\.rs$|\/\.cargo\/config(?:\.toml)?$|\/Cargo\.toml$/,
  go: /\.go$/,
  'java javac mvn mvnw gradle gradlew sbt':
    /\.(?:java|gradle|kts|jar|class)$|\/(?:pom\.xml|\.mavenrc|gradle\.properties|bin\/java)$/,
  'make gmake cmake ninja just task':
    /\.(?:mk|cmake|ninja)$|\/(?:GNUm|[Mm])akefile$|\/(?:[Jj]ustfile|CMakeLists\.txt|Taskfile\.ya?ml)$/,
  'bash sh zsh dash ksh fish':
    /\/\.(?:bashrc|bash_profile|bash_login|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|bash_logout)$|\/config\.fish$/,
  'aws terraform kubectl gcloud docker psql mysql gdb lldb vim nvim tmux screen less':
    /\/\.?(?:config|credentials|[\w.-]*rc|[\w.-]*init|tmux\.conf|exrc|vimrc)$|\.tf$/,
});
/** Shells that read files before their code. */
const READS_STARTS = (name: string, words: readonly ShellWord[]): boolean =>
  /^(?:zsh|fish|ksh)$/.test(name) || words.some(({ form }) => /^-\w*[il]|^--login/.test(form));

/** They change a text as their words say, or come from something that is not looked into either. */
const KEEPS_MEANING = /^(?:sed|gsed|jq|yq|sort|git|awk|gawk|head|tail|prettier|tr|cut|envsubst)$/;
const CHANGES_FILES = /^(?:sed|gsed|perl|yq|sponge|ed|patch)$/;

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

/** `echo … > x.test.js; npm test`, `cp a.sh ~/.bashrc; bash -i`, `sed -i … package.json; npm run x` */
function suspectLoaded(name: string, words: readonly ShellWord[], scene: Scene): void {
  const { gathering, context } = scene;
  const { written, placed, said } = gathering;
  if (written.size + placed.size + said.size === 0) return;
  const loads = LOADS.get(name.replace(/(?<=^(?:python|pip))[\d.]+$/, ''));
  if (loads === undefined || (isShell(name) && !READS_STARTS(name, words))) return;
  const texts: string[] = [];
  for (const [place, text] of written)
    if (loads.test(place)) {
      if (text !== null) texts.push(text);
      else if (!said.has(place)) gathering.lose(`${name} may run a file that this call writes`);
    }
  for (const [place, text] of said) if (loads.test(place)) texts.push(text);
  for (const [place, source] of placed) {
    if (!loads.test(place)) continue;
    const text = context.readScript?.(source);
    if (typeof text === 'string') texts.push(text);
    else gathering.lose(`${name} may run a file that this call puts there`);
  }
  const commands = new Set<string>();
  for (const text of texts) findCommands(`${text}\n`, commands);
  // Which program a setting names, and which files a setting loads, is in the setting.
  for (const [place] of [...placed, ...written])
    if (loads.test(place) && SETTINGS.test(place) && texts.some((text) => NAMES_CODE.test(text)))
      gathering.lose(`${name} may run what this call writes into its settings`);
  if (commands.size > MAX_TOKENS) gathering.lose(`${name} is given too many texts to be looked through`);
  else for (const text of commands) gathering.suspectCommand(text, [...scene.wrappers, name]);
}

const SETTINGS = /\/(?:\.[\w-]*rc|[\w.-]+\.(?:toml|ini|cfg)|config|credentials)$/;
const NAMES_CODE =
  /script-shell|node-options|wrapper|linker|runner|addopts|python_files|pythonpath|plugins|credential_process|command|require|import|exec|preload/;

/** `echo 'x:; git push' > m; make -f m`: the text that a program is given by the name of a file, or of a program for it. */
export function suspectWritten(name: string, words: readonly ShellWord[], scene: Scene): void {
  const { written } = scene.gathering;
  suspectLoaded(name, words, scene);
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
