// Code of other languages in the command itself. It is not understood: no pattern allows it. What can be read off it is
// held against denies (paths and hosts in its texts); where it may start programs or put texts together, it may be anything.

import { byName, wordSet } from '../../lib/group.ts';
import { CONNECTS, hostOfUrl } from './network.ts';
import { baseName, isStdinFile, joinPath, loadsWritten, readListed, unpack, usePath, writtenText } from './paths.ts';
import { inside, type Scene, SOME_HOST } from './scene.ts';
import { ANYTHING, isUnsure, literalCalls, maySplit, type ShellWord } from './words.ts';
import { runText } from './wrappers.ts';

interface Interpreter {
  /** Options before code: letters that may stand at the end of a bundle (`-ne`), and long ones. */
  readonly letters: string;
  readonly long?: readonly string[];
  /** Letters with a value that is no code. */
  readonly values?: string;
}

const INTERPRETERS = byName<Interpreter>({
  'node nodejs': { letters: 'ep', long: ['eval', 'print'], values: 'rC' },
  'bun deno tsx ts-node esno': { letters: 'ep', long: ['eval', 'print'], values: 'r' },
  'r rscript emacsclient ocaml gnuplot': { letters: 'e', long: ['eval'] },
  osascript: { letters: 'e', values: 'l' },
  'pwsh powershell': { letters: '', long: ['c', 'command', 'Command', 'EncodedCommand', 'enc', 'e'] },
  'groovy scala elixir julia ghc guile racket sbcl clj clojure swift kotlin octave erl': {
    letters: 'eEc',
    long: ['eval'],
  },
  'vi vim nvim ex view emacs ed': { letters: 'cS', long: ['cmd', 'eval', 'execute', 'load', 'script'] },
  m4: { letters: '' },
  'dc irb pry erb ghci': { letters: 'e', long: ['expression'] },
  'sqlite3 psql mysql gdb lldb': {
    letters: 'ceo',
    long: ['cmd', 'ex', 'iex', 'eval-command', 'init-eval-command', 'command', 'execute'],
  },
});

/** A version may stand behind these: `python3.12`. */
const VERSIONED = byName<Interpreter>({
  'python ipython pypy': { letters: 'c', values: 'mWXQ' },
  perl: { letters: 'eE', values: 'IMm' },
  'ruby jruby truffleruby ruffleruby': { letters: 'e', values: 'IrECKx' },
  php: { letters: 'rBREF', values: 'cdzt' },
  'lua luajit': { letters: 'e', values: 'l' },
  'tclsh expect': { letters: 'c', values: 'Db' },
  wish: { letters: 'c', values: 'Db' },
});

/** A line of what they are given may be one for a shell: `!rm`, `.shell rm`. */
const TAKES_COMMANDS = /^(?:ed|ex|vim?|nvim|sqlite3|gdb|lldb|dc|irb|pry|erb|m4|ghci)$/;

/** Modules of Python that read code from what comes in. */
const TAKES_CODE = /^(?:code|pdb|asyncio|idlelib|bdb)$/;

/** `gdb -x <(echo '!rm')` */
function isOpenedCode(form: string): boolean {
  return /^(?:-\w+|--[\w-]+=)?\/dev\/fd\/6/.test(form);
}

/** What is longer is not even searched for signs. */
export const MAX_CODE = 10_000;

const STARTS_PROGRAMS =
  /breakpoint|set_trace|interact|runpy|webbrowser|pickle|marshal|\bsend\b|GenericBrowser|system|syscmd|exec|spawn|popen|subprocess|child_process|fork|pty\b|\bos\b|shell|eval|compile|__|getattr|Function|require|import\s*\(|importlib|ctypes|\bdl\b|ffi|base64|b64|atob|chr\(|fromCharCode|fromhex|Buffer|unhex|\bpack\b|\bunpack|decode|\\x|\\u|\\[0-7]{2}|\bqx\b|`|\bopen3\b|Open3|IO\.|Kernel|process(?!\.(?:version|versions|stdin|stdout|stderr|nextTick|on|once|argv|cwd|env|exit|platform|arch|pid|memoryUsage|uptime|hrtime)\b)|Deno|Bun\b|\$\(|%x|pipe|\|\s*["']|["']\s*\||\+\s*["']|["']\s*\+|["']\s*\.\s*["']|join|reverse|\[::|do shell|popen|proc_|passthru|backtick|:!|!\s*\w|\.shell|\\!|\bcmd\b|run-program|sys\.command|from program/i;
const WRITES =
  /write|unlink|remove|rename|mkdir|rmtree|rmdir|truncate|append|copy|move|chmod|chown|symlink|delete|touch|save|dump|["'][rbt+]*[wax][bt+]*["']|>/i;

export function interpreterOf(name: string): Interpreter | null {
  return INTERPRETERS.get(name) ?? VERSIONED.get(withoutVersion(name)) ?? null;
}

function withoutVersion(name: string): string {
  let end = name.length;
  while (end > 0 && '0123456789.'.includes(name[end - 1] as string)) end--;
  return name.slice(0, end);
}

export function runInterpreter(
  name: string,
  interpreter: Interpreter,
  words: readonly ShellWord[],
  scene: Scene,
): void {
  const codes: ShellWord[] = [];
  let file: ShellWord | null = null;
  // It reads a file, and runs nothing.
  if (/^node(?:js)?$/.test(name) && /^(?:-c|--check)$/.test(words[1]?.form ?? '')) {
    for (const { form, text } of words.slice(2)) usePath('read', form, `${name} --check ${text}`, scene);
    return;
  }
  const isEditor = /^(?:vim?|nvim|ex|view|emacs|ed)$/.test(name);
  for (let index = 1; index < words.length; index++) {
    const word = words[index] as ShellWord;
    const code = codeIn(word.form, interpreter);
    if (code !== null) {
      const text = code === '' ? words[++index] : { form: code, text: code };
      if (text !== undefined) codes.push(text);
    } else if ((isEditor && word.form.startsWith('+')) || /^(?:--[a-z-]+=)?data:/.test(word.form)) codes.push(word);
    else if (isUnsure(word.form[0] ?? '') && file === null) file = word;
    else if (word.form.startsWith('-') && word.form !== '-') {
      if (interpreter.values?.includes(word.form.at(-1) ?? '') && word.form.length === 2) {
        if (word.form === '-m') file = words[index + 1] ?? word;
        index++;
      }
    } else {
      // `deno run -`
      if (word.form === 'run' && /^(?:deno|bun)$/.test(name) && file === null) continue;
      file ??= word;
      // `deno eval CODE`, and arguments of the script behind it are its own.
      if (word.form === 'eval' && words[index + 1] !== undefined) codes.push(words[index + 1] as ShellWord);
      if (!isEditor) break;
    }
  }
  // `sqlite3 FILE SQL`, `python -m timeit CODE`: what is behind the file is code, too.
  if (name === 'sqlite3' && file !== null) codes.push(...words.slice(words.indexOf(file) + 1));
  if (file !== null && /^(?:timeit|pdb|cProfile|profile|trace)$/.test(file.form))
    codes.push(...words.slice(words.indexOf(file) + 1));
  for (const code of codes) {
    readCode(name, code.form, scene);
    if (isEditor && name !== 'emacs' && !HARMLESS_EX.test(code.form))
      scene.gathering.lose(`${name} does what its command line says`);
  }
  if (/^(?:vim?|nvim|ex|view)$/.test(name)) useEditorOptions(name, words, scene);
  // Their code is commands.
  if (codes.length > 0 && /^(?:pwsh|powershell)$/.test(name)) scene.gathering.lose(`what ${name} runs cannot be told`);
  if ((TAKES_COMMANDS.test(name) || TAKES_CODE.test(file?.form ?? '')) && scene.stdin.kind !== 'none')
    readStdin(name, scene);
  // `perl -Mmodule\;code`, `ruby -run -e rm`
  for (const { form } of words.slice(1))
    if (/^perl|^ruby/.test(name) && /^-[Mm]\S*[^\w:=,'-]|^-[a-zA-Z]*d|^-run$/.test(form))
      readCode(name, `${form} system`, scene);
  // `python3 -m zipfile -e x.zip .`
  if (/^(?:zipfile|tarfile)$/.test(file?.form ?? '') && words.some(({ form }) => /^(?:-e|--extract)$/.test(form))) {
    const at = words.findIndex(({ form }) => /^(?:-e|--extract)$/.test(form));
    unpack(words[at + 2] ?? { form: '.', text: '.' }, name, scene);
  }
  if (/^(?:zipfile|tarfile)$/.test(file?.form ?? '')) {
    const at = words.findIndex(({ form }) => /^(?:-c|--create)$/.test(form));
    if (at > 0) readListed(words.slice(at + 2), `${name} -m ${file?.text}`, scene);
  }
  for (const { form } of words.slice(1))
    if (isOpenedCode(form)) scene.gathering.lose(`which file ${name} runs is only known when it runs`);
  // `perl -pi -e …` writes the files behind it anew.
  if (/^(?:perl|ruby)/.test(name) && words.some(({ form }) => /^-[a-zA-Z0-9]*i/.test(form)))
    for (const { form, text } of words.slice(1))
      if (!form.startsWith('-')) usePath('write', form, `${name} -i ${text}`, scene);
  // With -n and -p they read the files behind the code.
  if (codes.length > 0 && /^(?:perl|ruby)/.test(name) && words.some(({ form }) => /^-[a-zA-Z0-9]*[np]/.test(form)))
    for (const word of words.slice(1))
      if (!word.form.startsWith('-') && !codes.includes(word))
        usePath('read', word.form, `${name} ${word.text}`, scene);
  if (file?.form === 'dotenv') usePath('read', '.env', `${name} -m dotenv`, scene);
  // With -n and -p Perl opens its arguments, and one with a pipe is a command.
  if (/^perl/.test(name))
    for (const { form } of words.slice(1))
      if (!codes.some((code) => code.form === form) && /^\s*\||\|\s*$/.test(form))
        runText(form.replace(/^\s*\||\|\s*$/g, ''), inside(scene, name, -1));
  // `python3 -i -c 1 <<< code`
  if (
    codes.length > 0 &&
    scene.stdin.kind !== 'none' &&
    words.some(({ form }) => /^(?:-[a-zA-Z]*i[a-zA-Z]*|--interactive)$/.test(form))
  )
    readStdin(name, scene);
  // `gdb -ex 'run x' /bin/rm`, `gdb -ex 'make x'`
  if (/^(?:gdb|lldb)$/.test(name)) {
    if (codes.some(({ form }) => /^\s*(?:make|mak|pipe|\|)\b/.test(form)))
      scene.gathering.lose(`${name} does what its command line says`);
    const program = words.slice(1).find(({ form }) => /^\/(?:usr\/)?s?bin\//.test(form));
    const own = inside(scene, name, -1, { stdin: { kind: 'none' } });
    const given = codes.flatMap(({ form }) =>
      (/^\s*(?:run|r|start|starti)\s+(.*)$/s.exec(form)?.[1] ?? '').split(/\s+/),
    );
    if (program !== undefined)
      scene.gathering.suspect(() =>
        scene.runner.runWords(
          [program, ...given.filter((one) => one !== '').map((form) => ({ form, text: form }))],
          own,
        ),
      );
  }
  // `gdb --args rm x`
  const at = words.findIndex(({ form }) => /^--?args$/.test(form));
  if (at > 0) scene.runner.runWords(words.slice(at + 1), inside(scene, name, at + 1));
  // `bun x rm`, `bun exec 'rm y'`
  if (name === 'bun' && file !== null && /^(?:x|exec)$/.test(file.form)) {
    const rest = words.slice(words.indexOf(file) + 1);
    const command = rest.filter(({ form }) => !form.startsWith('-'));
    if (file.form === 'exec') runText(rest.map(({ form }) => form).join(' '), inside(scene, 'bun exec', -1));
    else scene.runner.runWords(command, inside(scene, 'bun x', -1));
    return;
  }
  // `python3 -m x` runs x.py.
  const names = file === null ? [] : [file.form, `${file.form}.py`];
  const written = names.map((form) => writtenText(form, scene)).find((text) => text !== undefined);
  if (typeof written === 'string') readCode(name, written, scene);
  else if (written === null) scene.gathering.lose(`${name} runs a file that this call writes`);
  if (codes.length > 0 || isEditor) return;
  // Files that a glob finds are scripts as any other: `node --test test/*.mjs`.
  if (file !== null && isUnsure(file.form) && !/^[\w./-]+\/[^\uE000\uE001\uE010-\uE04F]*$/.test(file.form))
    scene.gathering.lose(`which file ${name} runs is only known when it runs`);
  else if (file === null || file.form === '-' || file.form.startsWith('/dev/') || isStdinFile(file.form))
    readStdin(name, scene);
}

/** Lines to go to, and what ends an editor. */
const HARMLESS_EX =
  /^\+?(?:\d*|\/[^|]*|(?:set|syntax|colorscheme|startinsert)\b[\w =!]*|:?[wq]+a?(?:ll)?!?|:?x(?:all)?!?)$/;

/** `vim -u FILE` runs it, `-V9FILE` and `-w FILE` write it. */
function useEditorOptions(name: string, words: readonly ShellWord[], scene: Scene): void {
  for (const [index, { form }] of words.entries()) {
    const next = words[index + 1]?.form ?? '';
    const [, log = ''] = /^-V\d*(.+)$/.exec(form) ?? [];
    if (log !== '') usePath('write', log, `${name} ${form}`, scene);
    if (/^-[wWi]$/.test(form)) usePath('write', next, `${name} ${form}`, scene);
    if (/^-[us]$|^--startuptime$/.test(form) && !/^(?:NONE|NORC|DEFAULTS|\/dev\/null)$/.test(next)) {
      if (form === '--startuptime') usePath('write', next, `${name} ${form}`, scene);
      else scene.gathering.lose(`${name} ${form} runs what is in a file`);
    }
  }
}

/** '' where the code is the next word; null where this is no option for code. */
function codeIn(form: string, { letters, long = [] }: Interpreter): string | null {
  const [, name, value] = /^--?([A-Za-z-]+)(?:=([\s\S]*))?$/.exec(form) ?? [];
  if (name !== undefined && long.includes(name)) return value ?? '';
  // `-ne`: letters together, the code is the next word. More letters than that are code: `-esleep`.
  if (new RegExp(`^-[A-Za-z]{0,3}[${letters || '\0'}]$`).test(form)) return '';
  const [, bundle, rest] = new RegExp(`^-([A-Za-z]*?[${letters || '\0'}])([\\s\\S]*)$`).exec(form) ?? [];
  if (bundle === undefined || form.startsWith('--')) return null;
  return rest ?? '';
}

function readStdin(name: string, scene: Scene): void {
  if (scene.stdin.kind === 'text') readCode(name, scene.stdin.text, scene);
  else if (scene.stdin.kind === 'unknown')
    scene.gathering.lose(`what ${name} is given to run is only known when it runs`);
}

export function readCode(name: string, code: string, scene: Scene): void {
  const { gathering } = scene;
  gathering.miss(`${name} runs code that is not looked into`);
  if (code.length > MAX_CODE) {
    gathering.lose(`the code for ${name} is too long to be looked through`);
    return;
  }
  const rest = isUnsure(code) ? code : withoutCalls(name, code, scene);
  if (isUnsure(code) || STARTS_PROGRAMS.test(withoutAssembled(name, withoutHarmless(name, rest))))
    gathering.lose(`the code for ${name} may start any program`);
  const writes = WRITES.test(code);
  const isMoved = MOVES_FOLDERS.test(code);
  const via = `code for ${name}`;
  if (isFileComputed(name, code)) {
    usePath('read', ANYTHING, via, scene);
    if (writes) usePath('write', ANYTHING, via, scene);
  }
  if (/\.extractall\s*\(\s*(?:\)|["']\.{0,2}\/?["'])|unpack_archive\s*\([^,)]*\)/.test(code))
    unpack({ form: '.', text: '.' }, via, scene);
  if (/\b(?:load_dotenv|dotenv_values|find_dotenv)\b|["']dotenv["']\s*\)\s*\.\s*config/.test(code))
    usePath('read', '.env', via, scene);
  if (loadsWritten(code, scene)) gathering.lose(`the code for ${name} may run a file that this call writes`);
  if (isComputedElsewhere(name, code)) gathering.lose(`the code for ${name} may use any file`);
  if (
    /getcwd|\bcwd\s*\(|__dirname|resolve\(|abspath|realpath|Cwd/.test(code) &&
    (DELETES.test(code) || /rename|move/.test(code))
  )
    usePath('write', '.', via, scene, 'all', false, true);
  if (DELETES.test(code))
    gathering.suspect(() => scene.runner.runWords([{ form: 'rm', text: via }], inside(scene, name, -1)));
  if (CONNECTS.test(code)) gathering.addHost(SOME_HOST);
  for (const [, , quoted = ''] of code.matchAll(/(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g)) {
    // `open F, ">file"`
    const text = /^perl/.test(name) ? quoted.replace(/^\s*\+?[<>]{1,2}\s*/, '') : quoted;
    const host = hostOfUrl(text);
    if (host !== null) gathering.addHost(host);
    else if (/[./~]/.test(text) && text.length < 300 && !/\s/.test(text)) {
      const deletes = DELETES.test(code);
      const extent = isMoved || deletes ? 'all' : undefined;
      usePath('read', text, `code for ${name}`, scene, isMoved ? 'all' : undefined);
      const isGone = deletes || /rename|move/i.test(code);
      if (writes || deletes) usePath('write', text, `code for ${name}`, scene, extent, false, isGone);
    }
  }
}

/** Programs that are started by a text that is there as a whole are judged as commands, and taken out. */
function withoutCalls(name: string, code: string, scene: Scene): string {
  const language = /python|pypy/.test(name) ? 'python' : /^node/.test(name) ? 'node' : null;
  if (language === null) return code;
  const { rest, calls } = literalCalls(language, code);
  for (const texts of calls) {
    const within = inside(scene, name, -1, { stdin: { kind: 'none' } });
    if (language === 'node') runText(texts[0] ?? '', { ...within, isPosix: true });
    else
      scene.runner.runWords(
        texts.map((form) => ({ form, text: form })),
        within,
      );
  }
  return rest;
}

/** Modules of Node that start programs, load others or run code in texts. */
const STARTING_MODULE = /^(?:node:)?(?:child_process|module|vm|worker_threads|cluster|repl|inspector|process|wasi)$/;

/** In these a text that is put together is run only by what has a name, which is looked for. */
const REACHES_BY_TEXT: Readonly<Record<string, RegExp>> = {
  node: /\]\s*[([`.?]|constructor|prototype|global|Reflect|\bwith\b|\bthis\b|mainModule|binding|getBuiltin|\bvm\b|Worker|setTimeout\s*\(\s*["'`]|\\/i,
  python: /getattr|vars|globals|locals|operator|caller|types|builtin|modules|__|importlib|codecs|\\/i,
};

function withoutAssembled(name: string, code: string): string {
  const language = /python|pypy/.test(name) ? 'python' : /^node/.test(name) ? 'node' : '';
  if (language === '' || REACHES_BY_TEXT[language]?.test(code) || OPENS_FILES_AT_ALL.test(code)) return code;
  return code.replace(/\+|\bjoin\b|\breverse\b|\[::/g, ' ');
}

const OPENS_FILES_AT_ALL =
  /open|read|write|fs\b|Path|file|import\s*\(|shutil|rmtree|unlink|remove|rename|copy|\bmove|link|glob|chdir|listdir|scandir|walk|linecache|getline|tokenize|mkdir|rmdir|chmod/i;

/** Languages of which little is known: names of files that are put together may be any. */
const LITTLE_KNOWN =
  /^(?:tclsh|expect|wish|lua|luajit|r|rscript|groovy|scala|elixir|julia|ghc|guile|racket|sbcl|clj|clojure|swift|kotlin|octave|erl|ocaml|gnuplot|emacs|emacsclient|osascript)(?![a-z])/;
const USES_FILES =
  /open|read|file|source|load|glob|exec|socket|include|slurp|delete|remove|path|dir|url|connect|input|find|copy|move|rename|unlink/i;
const ASSEMBLES = /\[|\.\.|paste|<>|\+\+|\+\s*["']|["']\s*[+*.^&|]|concat|format|string|substr|\bstr\b|append|\$|\\/i;

function isComputedElsewhere(name: string, code: string): boolean {
  return LITTLE_KNOWN.test(name) && USES_FILES.test(code) && ASSEMBLES.test(code);
}

/** Without what only looks like a start of programs: modules by their names, `os.walk`, `a || b`, `!a`. */
function withoutHarmless(name: string, code: string): string {
  if (/^(?:node|nodejs|bun|deno|tsx|ts-node|esno)$/.test(name))
    return code
      .replace(/\b(?:require\s*\(|import\s*\(|from\s|import\s)\s*(["'])([\w@./:-]+)\1/g, (whole, _, module: string) =>
        STARTING_MODULE.test(module) ? whole : ' ',
      )
      .replace(/\|\||!(?=[\w(!])/g, ' ');
  if (/python|pypy/.test(name))
    return code
      .replace(
        /\bos(?=\s*(?:[,;\n]|$)|\.(?:path|walk|listdir|scandir|getcwd|environ|getenv|sep|linesep|name|stat|cpu_count)\b)/g,
        ' ',
      )
      .replace(/!=|__(?:name|main|file|version|doc|table|tablename|all)__/g, ' ');
  if (/ruby/.test(name))
    return code.replace(
      /\brequire\s*\(?\s*(["'])(?:json|yaml|set|time|date|csv|bigdecimal|digest|securerandom|pp)\1/g,
      ' ',
    );
  return code;
}

/** They open, read or list files that they are given. */
const OPENS_FILES =
  /\b(?:open|fopen|sysopen|opendir|(?:read|write|append|copy|rm|unlink|rename|create|open|access|stat|truncate|symlink|link|cp)[A-Za-z]*(?:File|Stream|Sync|link|dir)\w*|read_(?:text|bytes)|write_(?:text|bytes)|Path|glob|iglob|rglob|file_get_contents|file_put_contents|readfile|fileinput|linecache|File\.\w+|loadtxt|read_csv)\s*(?:\(\s*|(?=\s))/g;

/** Is a file opened by something else than a text that stands there as a whole? */
function isFileComputed(name: string, code: string): boolean {
  // In Perl, texts have many forms, and `<>` reads whatever the arguments are set to.
  if (/^perl/.test(name))
    return (
      (/\bq[qwr]?\s*[^\w\s,;=]|@ARGV\s*=|\bglob\b|<\*|<\$/.test(code) &&
        /open|<|\bdo\b|ARGV|unlink|rmdir|rename|link|chmod|chown|truncate|copy|move|remove/.test(code)) ||
      /\b(?:unlink|rmdir|rename|link|symlink|chmod|chown|truncate|copy|move|rmtree|remove_tree)\b[^;]*(?:[$@]\w|\.\s*["']|<[^>]*[*?])/.test(
        code,
      ) ||
      /<[^<>\s=$]*[*?]|\bopen\s*\(?\s*(?:my\s+)?[$\w]+\s*,\s*(?:["']<["']\s*,\s*)?\$/.test(code)
    );
  if (/^(?:python|pypy|ipython)/.test(name)) {
    const rest = code.replace(/\bPath\(\s*(["'])[^"'\\]*\1\s*\)/g, 'P');
    const known = new Set([
      'P',
      ...[...rest.matchAll(/(?<![\w.])(\w+)\s*=\s*(?:pathlib\.)?P(?![\w.])/g)].map(([, one = '']) => one),
    ]);
    // One that is set again, or by a loop, may be any.
    for (const one of known)
      if ((rest.match(new RegExp(`(?<![\\w.])${one}\\s*=(?!=)|\\bfor\\s+${one}\\b`, 'g')) ?? []).length > 1)
        known.delete(one);
    for (const [, owner = ''] of rest.matchAll(
      /(\w+|[\])])\s*\.(?:read_(?:text|bytes)|write_(?:text|bytes)|unlink|rmdir|touch)\s*\(/g,
    ))
      if (!known.has(owner)) return true;
    code = rest.replace(/\.(?:read|write)_(?:text|bytes)\s*\(/g, ' (');
  }
  // `o = open`, and texts with code in them.
  if (/=\s*(?:io\.)?open\b(?!\s*\()|"[^"]*#\{/.test(code) && OPENS_FILES_AT_ALL.test(code)) return true;
  // `Path.home() / '.aws'`
  if (/\)\s*\/\s*["']/.test(code) || /\bDir\b\s*[.[]/.test(code)) return true;
  return [...code.matchAll(OPENS_FILES)].some((match) => {
    const behind = code.slice(match.index + match[0].length);
    return (
      match[0].includes('(') &&
      !/^(?:(["'])(?:\\.|(?!\1)[^\\\n])*\1\s*[,)]|\)|0\s*[,)]|sys\.argv|process\.argv)/.test(behind)
    );
  });
}

/** What they are given counts with all that is below. */
const MOVES_FOLDERS =
  /copytree|symlink|rename|\bmove\b|cpSync|\bcp\b|\blink|glob|walk|readdir|listdir|iterdir|scandir|opendir|rmtree|rmSync/i;

const DELETES =
  /\bremove_tree\b|-run\b|\bfile\s+delete\b|fs.promises.*\brm\b|\b(?:rmSync|rmdirSync|unlinkSync|unlink|rmtree|rmdir|removedirs|File\.delete|FileUtils\.rm\w*|remove_entry\w*|rimraf|fs\.(?:promises\.)?rm)\b|\bos\.remove\b|Deno\.remove/;

const SHELL = /^(?:r?(?:ba|z|da|k|mk|a|fi|c|tc|ya|pdk|hu|o|po|bo|sa|static-)?sh(?:-?[\d.]+)?|nu|elvish|xonsh|oil)$/;
/** Their grammar is not the one that is read here. */
const OTHER_SHELLS = wordSet('nu xonsh oil');
const FOREIGN_SHELL = /^(?:(?:fi|c|tc)sh|nu|elvish|xonsh|oil)$/;
/** In these `[[ a && rm x ]]`, `((rm x))` and `$'\\''` run what bash would not. */
const POSIX_SHELL = /^(?:da|a|k|mk|ya|pdk)?sh(?:-?[\d.]+)?$/;
const FLAGS = /^[-+][abcefhiklmnprstuvxBCEHPTD]*[oO]?$/;
const LONG_FLAGS = /^--(?:login|noprofile|norc|posix|restricted|verbose|noediting)$/;
const START_FILE = /^--(?:init-file|rcfile)(?:=([\s\S]*))?$/;

export function isShell(name: string): boolean {
  // Most names need no look at all the shells.
  return (name.includes('sh') || OTHER_SHELLS.has(name)) && SHELL.test(name);
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
  else if (startFile !== null) {
    usePath('read', startFile.form, `${name} ${startFile.text}`, scene);
    runWritten(startFile.form, name, scene);
  }
  if (!isUsual) gathering.markUnproven(`an option of ${name} can change what its code does`);
  const [script] = rest;
  if (letters.includes('c')) {
    if (script !== undefined) runText(script.form, inside(scene, `${name} -c`, -1, { stdin: scene.stdin }));
    return !readsFiles;
  }
  if (script === undefined || letters.includes('s') || isStdinFile(script.form))
    return runStdin(name, scene) && !readsFiles;
  // `bash -n` reads it, and runs nothing.
  if (/n/.test(letters) && !/[is]/.test(letters)) {
    usePath('read', script.form, `${name} -n ${script.text}`, scene);
    return false;
  }
  if (isUnsure(script.form)) gathering.lose(`which file ${name} runs is only known when it runs`);
  else usePath('read', script.form, `${name} ${script.text}`, scene);
  runWritten(script.form, name, scene);
  return false;
}

/** `echo rm x > s; sh s` */
export function runWritten(form: string, name: string, scene: Scene): void {
  const text = writtenText(form, scene);
  if (typeof text === 'string') scene.runner.runCode(text, inside(scene, name, -1, { stdin: { kind: 'none' } }));
  else if (text === null) scene.gathering.lose(`${name} runs a file that this call writes`);
  else runFound(form, name, scene);
}

/** Longer scripts are programs of somebody, and are not looked into. */
const MAX_SCRIPT = 32 * 1024;
/** Scripts that run scripts. */
const MAX_SCRIPTS = 3;

/** `sh x`, `./x` and `. x`: a script that is there already, also one that an earlier call has written. */
function runFound(form: string, name: string, scene: Scene): void {
  const { context, cwds, isElsewhere, wrappers, gathering } = scene;
  const { readScript, scripts = [] } = context;
  if (readScript === undefined || isElsewhere || isUnsure(form) || !/^[\w@%+~./-]+$/.test(form)) return;
  if (scripts.length === MAX_SCRIPTS || /^\/(?:usr\/|s?bin\/|opt\/|lib|snap\/|nix\/)/.test(form)) return;
  const isRun = name === form;
  for (const cwd of cwds ?? []) {
    const path = joinPath(cwd, form);
    const text = scripts.includes(path) ? null : readScript(gathering.placed.get(path) ?? path);
    if (text === null || text.length > MAX_SCRIPT || !isShellText(text, isRun)) continue;
    const uses = scene.runner.analyse(text, { ...context, cwd, scripts: [...scripts, path] });
    gathering.addScript(uses, isRun ? form : `${name} ${form}`, wrappers);
  }
}

/** A program without a line that says otherwise is run by the shell. */
function isShellText(text: string, isRun: boolean): boolean {
  const [, program] = /^#!\s*(?:\S*\/env\s+(?:-S\s*)?)?(\S+)/.exec(text) ?? [];
  return program === undefined ? !isRun || !text.startsWith('\x7f') : isShell(baseName(program));
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
  else if (stdin.kind === 'file') runWritten(stdin.form, name, scene);
  return false;
}

/** Programs that print the settings of a shell; what else they do is judged as the command that they are. */
const PRINTS_SETTINGS =
  /^\$\((?:direnv (?:hook|export)|(?:\S*\/)?brew shellenv|(?:pyenv|rbenv|nodenv|jenv) init|fnm env|mise activate|starship init|zoxide init|ssh-agent)(?: -{0,2}[\w=-]+)*\)$/;

export function runEval(words: readonly ShellWord[], scene: Scene): boolean {
  if (words.length === 2 && PRINTS_SETTINGS.test(words[1]?.text ?? '')) {
    scene.gathering.miss('what it sets is only known when it runs');
    return false;
  }
  const code = words
    .slice(words[1]?.form === '--' ? 2 : 1)
    .map(({ form }) => form)
    .join(' ');
  const within = inside(scene, 'eval', -1, { functions: scene.functions });
  runText(code, within);
  // What it did to the folder was done to a copy of the scene in there.
  scene.cwds = /\b(?:cd|pushd|popd)\b/.test(code) ? null : within.cwds;
  return true;
}

export function runSource(words: readonly ShellWord[], scene: Scene): boolean {
  const file = words.slice(1).find(({ form }) => !form.startsWith('-'));
  if (file === undefined) return false;
  if (isUnsure(file.form) || isStdinFile(file.form))
    scene.gathering.lose('which code is read in is only known when it runs');
  else usePath('read', file.form, `source ${file.text}`, scene);
  runWritten(file.form, 'source', scene);
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
