// Texts that a program may run as a command, or open as a file: any of its words, and what comes in, unless it is known to take
// them as plain text. Held against denies only, as something that may be meant.

import { byName, wordSet } from '../../lib/group.ts';
import { usePath } from './paths.ts';
import type { Scene } from './scene.ts';
import { isUnsure, joinForms, type ShellWord } from './words.ts';

/** Words of these are texts, patterns and names of files, read elsewhere; whatever is in them, they run nothing. */
export const TAKES_TEXT = wordSet(
  'echo printf print true false : test [ exit return break continue shift wait read cat head tail bat nl tac wc uniq cut paste od xxd hexdump strings stat ls tree du diff cmp comm ' +
    'md5sum sha1sum sha256sum sha512sum cksum base64 base32 column fold fmt rev expand tr code open readlink realpath basename dirname grep egrep fgrep zgrep rg ag ack jq yq sed gsed awk gawk mawk nawk ' +
    'touch mkdir rm rmdir mv cp ln chmod chown tee cd chdir pushd popd pwd export declare typeset local readonly unset set kill pkill pgrep killall sleep which type hash date seq expr ' +
    'gh glab git hub jj source . eval trap alias xargs find apply_patch applypatch make gmake jobs mapfile readarray compgen let history ' +
    'notify-send osascript say logger mail tput figlet cowsay http https xh curlie grpcurl wscat',
);

/** So many different words of texts are looked at; a command with more of them is opaque. */
export const MAX_TOKENS = 400;
/** A pattern of a rule has seldom more words. */
const MAX_WORDS = 6;

const RUNS_TESTS =
  /^(?:pytest|python[\d.]*|vitest|jest|mocha|ava|tap|npm|pnpm|yarn|bun|npx|go|cargo|playwright|cypress|rspec|phpunit|dotnet|mvn|gradle|gradlew)$/;
/** Names of tests, and messages. */
const TEXT_OPTION = /^(?:-[ktgm]|-run|--grep|--test-?name-?pattern|--filter|--message|--tests)$/i;

/** `man -P'git push'`, `zip -TT 'git push;'`, `sqlite3 x '.read .env'`, `dc <<< '!rm x'`. */
export function suspectTexts(name: string, words: readonly ShellWord[], scene: Scene): void {
  if (TAKES_TEXT.has(name) || (name === 'ssh-keygen' && words.some(({ form }) => /^-\w*l/.test(form)))) return;
  const commands = new Set<string>();
  const texts = words
    .slice(1)
    .filter(
      (_, index) =>
        !(words[index]?.form.startsWith('-') && TEXT_OPTION.test(words[index].form) && RUNS_TESTS.test(name)),
    )
    .map(({ form }) => form);
  for (const form of texts) findCommands(form, commands);
  const { stdin } = scene;
  const given = stdin.kind === 'text' ? stdin.text : stdin.kind === 'unknown' ? (stdin.hint ?? '') : '';
  if (given !== '') findCommands(`${given}\n`, commands);
  if (commands.size > MAX_TOKENS) {
    scene.gathering.lose(`${name} is given too many texts to be looked through`);
    return;
  }
  for (const text of commands) scene.gathering.suspectCommand(text, [...scene.wrappers, name]);
  // What is on another machine is not ours.
  if (name === 'ssh') return;
  for (const form of texts) for (const path of pathsIn(form)) suspectPath(path, name, scene);
  if (given !== '') for (const path of pathsIn(`${given}\n`)) suspectPath(path, name, scene);
}

export function suspectPath(path: string, name: string, scene: Scene): void {
  const isDotFolder = /(?:^|\/)\.[\w-]+\/?$/.test(path);
  usePath('read', path, `${name} ${path}`, scene, undefined, true);
  usePath('write', path, `${name} ${path}`, scene, isDotFolder ? 'all' : undefined, true);
}

/** Only texts: a word by itself is a name, and is judged where it stands. */
export function findCommands(form: string, found: Set<string>): void {
  if (!/[^\w./@+-]/.test(form)) return;
  const text = form.replace(/\\[tnrf_]|\$\{?IFS\}?/g, ' ');
  const tokens = text.match(/[^\s"'`,;|&()<>{}[\]!=:$#%\\]+/g) ?? [];
  for (const [index, token] of tokens.entries()) {
    // `-Pgit push`, `-TTgit push`
    if (/^-[A-Za-z]/.test(token))
      for (const at of [2, 3, 4])
        found.add(joinForms([token.slice(at), ...tokens.slice(index + 1, index + MAX_WORDS)]));
    if (!/^[A-Za-z./_][\w.+/-]*$/.test(token) || isUnsure(token)) continue;
    const words = tokens.slice(index + 1, index + MAX_WORDS);
    found.add(joinForms([token.replace(/^.*\//, ''), ...words]));
    if (found.size > MAX_TOKENS) return;
  }
}

/** What looks like a path inside of a word: `FILE:.env`, `-sT.env`, `f=@".env"`, `.read .env`. */
export function pathsIn(form: string): readonly string[] {
  if (form.length > 20_000) return [];
  const isText = /\s/.test(form);
  const found = new Set<string>();
  for (const piece of form.split(/[\s"'`()<>=:,;@|&!]+/)) {
    const path = piece
      .replace(/^-{1,2}[A-Za-z]{0,4}(?=[./~])/, '')
      .replace(/^\/\/localhost(?=\/)/, '')
      .replace(/[\]})]+$/, '');
    if (path === '' || path.length > 300 || /[{}[\]*$\\^#?]/.test(path) || isUnsure(path)) continue;
    if (isText ? /^(?:~\/|\.{0,2}\/)?[\w.-]+\/|^\.[A-Za-z][\w-]+/.test(path) : /[./]/.test(path)) found.add(path);
  }
  return [...found];
}

/** Options that name a program or a library, whose file is not looked into. */
const NAMES_PROGRAM = byName<() => RegExp>({
  'gcc g++ cc c++ cpp clang clang++': () => /^-(?:wrapper|fplugin|-?specs|B|-plugin|load)/,
  'ld ar nm objdump': () => /^--?plugin/,
  'nc ncat netcat': () => /^-[a-zA-Z]*[ec]$|^--(?:sh-|lua)?-?exec/,
  capsh: () => /^--shell/,
  install: () => /^--strip-p/,
  'diff3 sdiff': () => /^--diff-p/,
  rustc: () => /^-C(?:linker|link-arg|pre-link)|^(?:linker|link-args?|pre-link-args?)=|^--codegen=link/,
  'run-parts': () => /^[^-]/,
  rg: () => /^--(?:pre(?!-glob)|hostname-bin)/,
  'sftp scp': () => /^-\w*[SD]/,
  'pip pip3': () => /^--python/,
  'apt apt-get apt-cache aptitude': () => /^-(?:[oc]|-option|-config-file)/,
  dpkg: () => /-invoke|--status-logger/,
  'npm pnpm yarn': () => /^--(?:script-shell|node-options|browser|editor|git$|git=|shell$|shell=|viewer)/,
  php: () => /auto_(?:pre|ap)pend|^-F/,
  tcpdump: () => /^-\w*z/,
  nmap: () => /^--(?:script|interactive)/,
  openssl: () => /^-?engine|^-provider-path/,
  cargo: () => /^--config/,
  man: () => /^-(?:H|P|-html|-pager)/,
  'groff troff nroff pic': () => /^-\w*U/,
  'ninja cmake ctest meson gnuplot ssh tmux screen octave': () => /^(?:-\w+|--[\w-]+=)?\/dev\/(?:fd\/|stdin)/,
});

export function losesByOption(names: readonly string[], words: readonly ShellWord[], scene: Scene): void {
  for (const name of names) {
    const pattern = NAMES_PROGRAM.get(name)?.();
    const end = words.findIndex(({ form }) => form === '--');
    const own = words.slice(1, end < 0 ? undefined : end);
    const option = pattern && own.find(({ form }) => pattern.test(form));
    if (option) scene.gathering.lose(`${name} ${option.text} may run any program`);
  }
}
