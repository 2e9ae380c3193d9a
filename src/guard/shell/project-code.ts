// What is in the project: files that other programs find, and the code of theirs that a name stands for (scripts of package.json,
// recipes of makefiles), which is read as commands of a shell.

import { byName } from '../../lib/group.ts';
import { eachChoice, extentOf, fitsGlob, joinPath, writtenText } from './paths.ts';
import { inside, type Scene } from './scene.ts';
import { GLOB_ONE, GLOB_STAR, IN_WORD, isUnsure, type ShellWord } from './words.ts';

const MAX_TEXT = 64 * 1024;
/** Scripts that run scripts. */
const MAX_SCRIPTS = 3;

/** `npm run X`, `make X`: what package.json and a simple makefile say of it, read as commands of a shell. */
export function runTargets(name: string, given: readonly ShellWord[], scene: Scene): void {
  const words = given.flatMap(({ form, text }) => eachChoice(form, scene).map((one) => ({ form: one, text })));
  const { context, cwds, isElsewhere, wrappers, gathering } = scene;
  const { readScript, scripts = [] } = context;
  if (readScript === undefined || isElsewhere || scripts.length === MAX_SCRIPTS) return;
  const isMake = /^g?make$/.test(name);
  const optionOf = (option: RegExp): string | undefined => {
    const at = words.findIndex(({ form }) => option.test(form));
    const [, attached] = option.exec(words[at]?.form ?? '') ?? [];
    return at < 0 ? undefined : attached || words[at + 1]?.form;
  };
  const folder = optionOf(isMake ? MAKE_FOLDER : PACKAGE_FOLDER) ?? '.';
  const files = isMake ? [optionOf(MAKE_FILE) ?? []].flat() : ['package.json'];
  if (isUnsure(folder)) return;
  for (const cwd of cwds ?? []) {
    const place = joinPath(cwd, folder);
    for (const file of files.length > 0 ? files : MAKEFILES) {
      const path = joinPath(place, file);
      const text = isUnsure(file) || writtenText(path, scene) !== undefined ? null : readScript(path);
      if (text === null || text.length > MAX_TEXT) continue;
      for (const [target, code] of isMake ? recipesOf(text, words) : scriptsOf(text, name, words)) {
        const key = `${path}:${target}`;
        if (scripts.includes(key)) continue;
        const uses = scene.runner.analyse(code, { ...context, cwd: place, scripts: [...scripts, key] });
        gathering.addScript(uses, `${name} ${target}`, wrappers);
      }
      break;
    }
  }
}

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const MAKE_FOLDER = /^(?:-[a-zA-Z]*C|--directory(?:=|$))(.*)$/s;
const MAKE_FILE = /^(?:-[a-zA-Z]*f|--(?:make)?file(?:=|$))(.*)$/s;
const PACKAGE_FOLDER = /^(?:-C|--(?:prefix|cwd|dir)(?:=|$))(.*)$/s;
const NPM_VERBS: Readonly<Record<string, string>> = {
  t: 'test',
  tst: 'test',
  test: 'test',
  start: 'start',
  stop: 'stop',
  restart: 'restart',
};
/** With these, scripts of a name of their own run. */
const NPM_EVENTS: Readonly<Record<string, readonly string[]>> = {
  install: ['preinstall', 'install', 'postinstall', 'prepare'],
  i: ['preinstall', 'install', 'postinstall', 'prepare'],
  ci: ['preinstall', 'install', 'postinstall', 'prepare'],
  publish: ['prepublishOnly', 'prepare', 'prepack', 'postpack', 'publish', 'postpublish'],
  pack: ['prepare', 'prepack', 'postpack'],
  version: ['preversion', 'version', 'postversion'],
};

function scriptsOf(text: string, name: string, words: readonly ShellWord[]): readonly (readonly [string, string])[] {
  let scripts: unknown;
  try {
    scripts = (JSON.parse(text) as { readonly scripts?: unknown } | null)?.scripts;
  } catch {
    return [];
  }
  if (typeof scripts !== 'object' || scripts === null) return [];
  const texts = scripts as Readonly<Record<string, unknown>>;
  const end = words.findIndex(({ form }) => form === '--');
  const own = words.slice(1, end < 0 ? undefined : end);
  const plain = own.filter(
    ({ form }, index) => !form.startsWith('-') && !PACKAGE_VALUE.test(own[index - 1]?.form ?? ''),
  );
  const [first, second] = plain.map(({ form }) => form);
  if (first === undefined) return [];
  const isRun = /^(?:run|run-script|rum|urn|exec)$/.test(first);
  const said = isRun
    ? second
    : (NPM_VERBS[first] ?? (name === 'npm' || Object.hasOwn(NPM_EVENTS, first) ? undefined : first));
  const wanted = said === undefined ? (isRun ? [] : (NPM_EVENTS[first] ?? [])) : [`pre${said}`, said, `post${said}`];
  // Which one it is, is only known when it runs.
  const possible = said !== undefined && isUnsure(said) ? Object.keys(texts) : wanted;
  return possible.flatMap((key) => {
    const code = Object.hasOwn(texts, key) ? texts[key] : undefined;
    const behind = key === said ? words.slice(end < 0 ? words.length : end + 1) : [];
    return typeof code === 'string' ? [[key, [code, ...behind.map(quoted)].join(' ')] as const] : [];
  });
}

const PACKAGE_VALUE = /^(?:-C|-w|--(?:prefix|cwd|dir|workspace|filter|loglevel))$/;

function quoted({ form }: ShellWord): string {
  return /^[\w./:=@,+-]+$/.test(form) ? form : `'${form.replace(/[\uE000-\uE04F]/g, 'x').replaceAll("'", '')}'`;
}

/** Of a makefile whose recipes are lines with a tab: those of the goals, and of what these need. Variables stay what they are. */
function recipesOf(text: string, words: readonly ShellWord[]): readonly (readonly [string, string])[] {
  const rules = new Map<string, { readonly needs: readonly string[]; readonly lines: string[] }>();
  const variables = new Map<string, string>();
  let open: string[][] = [];
  let first: string | undefined;
  for (const line of text.replace(/\\\n\s*/g, ' ').split('\n')) {
    if (line.startsWith('\t')) {
      for (const lines of open) lines.push(line.slice(1));
      continue;
    }
    const [, variable, value = ''] = /^\s*(?:export\s+)?([\w.-]+)\s*(?:::?|\?|\+)?=\s*(.*)$/.exec(line) ?? [];
    if (variable !== undefined) variables.set(variable, value.replace(/\s+#.*$/, ''));
    const [, targets, needs = ''] =
      variable === undefined ? (/^([^\s#:=][^:=#]*?)\s*::?(?!=)\s*([^#]*)/.exec(line) ?? []) : [];
    if (targets === undefined) {
      if (/^\S/.test(line) && !line.startsWith('#')) open = [];
      continue;
    }
    const [needed = '', recipe] = needs.split(/;(.*)/s);
    open = targets.split(/\s+/).map((target) => {
      const lines = [...(rules.get(target)?.lines ?? []), ...(recipe === undefined ? [] : [recipe])];
      rules.set(target, { needs: [...(rules.get(target)?.needs ?? []), ...needed.split(/\s+/)], lines });
      return lines;
    });
    if (!targets.startsWith('.')) first ??= targets.split(/\s+/)[0];
  }
  const goals = words
    .slice(1)
    .map(({ form }) => form)
    .filter((form, index) => {
      const before = words[index]?.form ?? '';
      // `-j $(nproc)`
      return !/^-|=/.test(form) && !MAKE_VALUE.test(before) && !(isUnsure(form) && /^-[a-zA-Z]*[jl]$/.test(before));
    });
  const wanted = goals.some(isUnsure) ? [...rules.keys()] : goals.length > 0 ? goals : [first ?? ''];
  for (const target of wanted)
    for (const need of rules.get(target)?.needs ?? []) if (!wanted.includes(need)) wanted.push(need);
  return wanted.flatMap((target) => {
    const lines = rules.get(target)?.lines ?? [];
    return lines.length === 0 ? [] : [[target, lines.map((line) => shellOf(line, variables)).join('\n')] as const];
  });
}

const MAKE_VALUE = /^-[a-zA-Z]*[CfIoW]$|^--(?:directory|file|makefile|include-dir)$/;

function shellOf(line: string, variables: ReadonlyMap<string, string>): string {
  let code = line.replace(/^[@+\s-]+/, '');
  for (let depth = 0; depth < 4; depth++)
    code = code.replace(
      /\$[({]([\w.-]+)[)}]/g,
      (whole, name: string) => variables.get(name) ?? (name === 'MAKE' ? 'make' : whole),
    );
  return code.replace(/\$[({][^(){}]*[)}]|\$[@<^?*+%]/g, 'x').replaceAll('$$', '$');
}

/** Which files a program runs beside those that its words name. */
const RUNS_FILES = byName<readonly string[]>({
  'python python3 ipython pypy pytest flask': ['conftest.py', 'tests/conftest.py', 'test/conftest.py'],
  'node nodejs bun deno tsx ts-node': [],
  'perl prove ruby php tclsh expect gawk awk m4 lua': [],
  rake: ['Rakefile', 'rakefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  ninja: ['build.ninja'],
  'cargo rustup': ['build.rs'],
  'sqlite3 gdb cmake ctest cpack erb pydoc pydoc3': [],
});
const ENDINGS = [
  '',
  '.py',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.rb',
  '.pl',
  '.pm',
  '/__main__.py',
  '/conftest.py',
  '/index.js',
];
const MAX_LOOKED_AT = 24;

/** Calls that start programs, and the texts right behind them. */
const CALLS =
  /\b(?:system|popen[234]?|getoutput|getstatusoutput|check_output|check_call|run|call|Popen|execSync|spawnSync|execFileSync|execFile|execa|exec[lv]?p?e?|spawn[lv]?p?e?|shell_exec|passthru|proc_open|Command|sh|output|capture[23]e?)\b\s*[([{]*\s*((?:(?:"[^"\n]*"|'[^'\n]*'|`[^`$]*`)[\s,[\]()]*)+)/g;
/** Lines that are commands as they are, by program. */
const PLAIN_LINES = byName<RegExp>({
  'tclsh expect': /^\s*(?:exec|spawn|system)\s+(.+)$/gm,
  gdb: /^\s*(?:shell\s+|!)(.+)$/gm,
  sqlite3: /^\.(?:shell|system)\s+(.+)$/gm,
  ninja: /^\s*command\s*=\s*(.+)$/gm,
  'cmake ctest cpack': /\bCOMMAND\s+([^)\n]+)/g,
  'perl ruby rake php erb': /(?:`|\bqx\s*[({/]|%x[({])([^`$\n(){}]+)/g,
  just: /^\s+@?-?(.+)$/gm,
});

function startedIn(name: string, text: string): readonly string[] {
  const plain = PLAIN_LINES.get(name);
  const called = [...text.matchAll(CALLS)].map(([, texts = '']) =>
    [...texts.matchAll(/"([^"]*)"|'([^']*)'|`([^`]*)`/g)]
      .map(([, one, two, three]) => one ?? two ?? three ?? '')
      .join(' '),
  );
  return [...called, ...(plain === undefined ? [] : [...text.matchAll(plain)].map(([, line = '']) => line))]
    .filter((code) => /[a-z]/.test(code) && code.length < 300)
    .slice(0, MAX_STARTED);
}

/** Of files with tasks of several names, the one that is asked for. */
function taskOf(name: string, text: string, words: readonly ShellWord[]): string {
  if (name !== 'just' && name !== 'rake') return text;
  const [, first] = words.map(({ form }) => form).filter((form, at) => at === 0 || !/^-|=/.test(form));
  if (words.some(({ form }) => /^(?:--(?:list|summary|tasks|dump|show|evaluate)|-[lTPD])/.test(form))) return '';
  if (first === undefined || isUnsure(first)) return text;
  const task = first.replace(/^.*[:/]/, '').replace(/\[.*$/, '');
  const lines = text.split('\n');
  const at = lines.findIndex((line) => new RegExp(`^\\s*@?(?:task\\b\\W*)?${escaped(task)}\\b`).test(line));
  const end = lines.findIndex((line, index) => index > at && /^(?:\S|\s*(?:task|namespace)\b)/.test(line));
  return at < 0 ? '' : lines.slice(at, end < 0 ? undefined : end).join('\n');
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&');
}

const MAX_STARTED = 60;

/** `python x.py`, `node -r ./x`, `rake push`: code that is there already. Its commands are suspected where it says them as texts. */
export function suspectExisting(name: string, words: readonly ShellWord[], scene: Scene): void {
  const { context, cwds, isElsewhere, gathering, wrappers } = scene;
  const { readScript } = context;
  const own = RUNS_FILES.get(name.replace(/(?<=^(?:python|ruby|perl|lua))[\d.]+$/, ''));
  if (readScript === undefined || own === undefined || isElsewhere) return;
  // In another folder it has other files.
  if (name === 'ninja' && words.some(({ form }) => form.startsWith('-C'))) return;
  if (name === 'node' && /^(?:-c|--check)$/.test(words[1]?.form ?? '')) return;
  const said = words.slice(1, MAX_LOOKED_AT).flatMap(({ form }) => namedIn(form));
  if (scene.stdin.kind === 'file') said.push(scene.stdin.form);
  const commands = new Set<string>();
  const looked = new Set<string>();
  for (const cwd of cwds ?? [])
    for (const file of [...own, ...said]) {
      const ends = /\.\w+$/.test(file) ? [''] : ENDINGS;
      for (const end of ends) {
        const path = joinPath(cwd, file + end);
        if (looked.has(path) || looked.size > MAX_LOOKED_AT * ENDINGS.length || extentOf(path, scene) === 'all')
          continue;
        looked.add(path);
        const text = path === cwd ? null : readScript(path);
        if (text === null || text.length > MAX_TEXT) continue;
        for (const code of startedIn(name, taskOf(name, text, words))) commands.add(code);
      }
    }
  const within = inside({ ...scene, wrappers }, name, -1, { stdin: { kind: 'none' } });
  for (const code of commands) gathering.suspect(() => scene.runner.runCode(code, within));
}

/** `x.py`, `--require=./x`, `-Mx`, `-m a.b`, `import x`: names that may be those of files of the project. */
function namedIn(form: string): readonly string[] {
  if (form.length > 500) return [];
  if (/\s/.test(form))
    return [...form.matchAll(/(?:import|require|from|use|load|source|read|runpy\.\w+)\b[\s('"]*([\w./-]+)/g)].map(
      ([, one = '']) => one,
    );
  const plain = form.replace(/^--?[\w-]+=/, '').replace(/^-[rMmIjfi]+(?=[./A-Za-z])/, '');
  if (plain.startsWith('-') || isUnsure(plain) || !/^[\w@./:-]+$/.test(plain)) return [];
  const file = plain.replace(/::?.*$/, '');
  return /^[\w]+(?:\.[\w]+)+$/.test(file) && !/\.(?:py|[cm]?[jt]s|rb|p[lm]|sql|gdb|cmake|tcl|exp|awk|m4)$/.test(file)
    ? [file, file.replaceAll('.', '/')]
    : [file];
}

// Names of files that programs print or hand on.

/** They hand on some of the lines that come in, and read no file. */
const FILTERS = /^(?:grep|egrep|head|tail|sort|uniq)$/;
const OPTION_VALUE = /^-(?:[nkmtABCcse]|-[\w-]+)$/;

/** `find src -name '*.ts' | head`: the words of a pipeline → the names that it prints, as a form; null: they may be any. */
export function namesPrinted(commands: readonly (readonly string[])[], scene: Scene): string | null {
  const last = commands.findLastIndex(
    ([name = '', ...args], at) =>
      !FILTERS.test(name) || plainOf(args).length > (name.endsWith('grep') ? 1 : 0) || at === 0,
  );
  const [name = '', ...args] = commands[last] ?? [];
  if (last > 0 && !/^(?:xargs|git|find|ls|rg|grep|fd|fdfind)$/.test(name)) return null;
  // `… | xargs grep -l x`: some of the names that come in.
  if (name === 'xargs')
    return /^grep$/.test(args.find((arg) => !arg.startsWith('-')) ?? '') && isListing(args)
      ? namesPrinted(commands.slice(0, last), scene)
      : null;
  if (last > 0) return null;
  const plain = plainOf(args);
  if (name === 'find') return foundByFind(args, scene);
  if (name === 'git') return foundByGit(args, scene);
  if (name === 'ls') return foundByLs(args, plain, scene);
  const folders = plain.slice(1);
  const isOwn = folders.every(isPlainPlace);
  if (/^(?:rg|grep|egrep)$/.test(name) && isListing(args) && isOwn)
    return listed(folders.length > 0 ? folders : ['.'], endingIn(args), name === 'rg', scene);
  if (/^(?:fd|fdfind)$/.test(name) && args.every((arg) => /^[\w./]+$|^-[ed]$/.test(arg)) && isOwn)
    return listed(folders.length > 0 ? folders : ['.'], endingIn(args), true, scene);
  return null;
}

function plainOf(args: readonly string[]): readonly string[] {
  return args.filter((arg, at) => !/^-./.test(arg) && !OPTION_VALUE.test(args[at - 1] ?? ''));
}

function isListing(args: readonly string[]): boolean {
  return args.some((arg) => /^-(?:\w*l\w*|-files(?:-with-matches)?)$/.test(arg));
}

/** In the project, as far as its words say. */
function isPlainPlace(form: string): boolean {
  return /^(?:[\w@][\w@/.+-]*|\.\/?|\.\/[\w@/.+-]+)$/.test(form) && !form.includes('..');
}

/** Names that end so cannot be those of secret files, which begin with a dot. */
const ORDINARY_ENDING = /^\*[\w.-]*\.(?!(?:env|local|dev\w*|prod\w*|stag\w*|test|secret\w*)$)[A-Za-z0-9]+$/;

/** `--include=*.ts`, `*.ts`, `:!x`: the one ending that all names have. */
function endingIn(args: readonly string[]): string | null {
  const globs = args.flatMap(
    (arg) => /^(?:--include=|--glob=|-g)?(?:[\w@-]+\/)*(?:\*\*\/)?(\*\.\w+)$/.exec(arg)?.[1] ?? [],
  );
  const isNegated = args.some((arg) => /^(?:-o|-or|!|-not|,|\(|:!.*)$/.test(arg));
  return globs.length === 1 && !isNegated && ORDINARY_ENDING.test(globs[0] ?? '') ? (globs[0] ?? null) : null;
}

/** All files below these folders, as they are there now; with a glob, those that are so called, or are in a folder that is. */
function listed(folders: readonly string[], glob: string | null, isVisible: boolean, scene: Scene): string | null {
  const [folder = '.', ...others] = folders;
  const isEnding = glob !== null && ORDINARY_ENDING.test(glob);
  const { listFolder } = scene.context;
  if (listFolder === undefined) {
    if (isEnding && others.length === 0) return `${folder}/${glob.replaceAll('*', GLOB_STAR)}`;
    return others.length === 0 ? `${folder}/${IN_WORD}` : `./${IN_WORD}`;
  }
  if (scene.cwds === null || folders.some((one) => extentOf(one, scene) === 'all')) return null;
  const files = scene.cwds.flatMap((cwd) =>
    folders.flatMap((one) => {
      const place = joinPath(cwd, one);
      const below = listFolder(place);
      const fitting = below.filter(
        (file) =>
          (!isVisible || !/(?:^|\/)\./.test(file)) &&
          (glob === null || file.split('/').some((part) => fitsGlob(glob.replace(/\?|\[[^\]]*\]/g, '*'), part))),
      );
      // The name that is asked for counts, whatever is there.
      const asked = glob === null ? [] : [`${place}/${glob.replaceAll('*', GLOB_STAR).replaceAll('?', GLOB_ONE)}`];
      const found = fitting.map((file) => joinPath(place, file));
      return [...asked, ...(below.length === 0 && glob === null ? [place] : found)];
    }),
  );
  return scene.gathering.addListing(files);
}

function tracked(scene: Scene, below: readonly string[] = []): string | null {
  const files = trackedFiles(scene, below);
  return files === null ? null : scene.gathering.addListing(files);
}

/** Files that git keeps here; null: not known. */
export function trackedFiles({ context, cwds }: Scene, below: readonly string[] = []): readonly string[] | null {
  const { listTracked } = context;
  if (listTracked === undefined || cwds === null) return null;
  const files: string[] = [];
  for (const cwd of cwds) {
    const found = listTracked(cwd);
    if (found === null) return null;
    const places = below.map((one) => joinPath(cwd, one));
    files.push(
      ...(places.length === 0
        ? found
        : found.filter((file) => places.some((place) => file === place || file.startsWith(`${place}/`)))),
    );
  }
  return files;
}

function foundByGit(args: readonly string[], scene: Scene): string | null {
  const [verb = '', ...rest] = args;
  const ending = endingIn(rest);
  const isNames = rest.some((arg) => /^--(?:name-only|diff-filter)/.test(arg)) && rest.includes('--name-only');
  const isOthers = rest.some((arg) => /^-\w*o|^--others$/.test(arg));
  const isFiles =
    verb === 'ls-files' ||
    (verb === 'grep' && isListing(rest)) ||
    (/^(?:diff|show|diff-tree|log)$/.test(verb) && isNames);
  if (!isFiles) return null;
  if (ending !== null && ORDINARY_ENDING.test(ending)) return `./${ending.replaceAll('*', GLOB_STAR)}`;
  if (isOthers) return listed(['.'], null, false, scene);
  const dashes = rest.indexOf('--');
  const given = verb === 'ls-files' ? plainOf(rest) : dashes < 0 ? [] : rest.slice(dashes + 1);
  const fixed = given.map((one) => one.replace(/[^/]*[*?[].*$/, '') || '.');
  return tracked(scene, fixed.every(isPlainPlace) ? fixed : []) ?? (scene.context.listTracked ? null : `./${IN_WORD}`);
}

function foundByLs(args: readonly string[], plain: readonly string[], scene: Scene): string | null {
  if (args.some((arg) => /^-\w*[aAlRsi]|^--(?:all|almost-all|recursive|format|long)/.test(arg))) return null;
  const ending = plain.length === 1 ? /^((?:[\w@][\w@.-]*\/)*)\*(\.\w+)$/.exec(plain[0] ?? '') : null;
  if (ending !== null && ORDINARY_ENDING.test(`*${ending[2]}`)) return `${ending[1] || './'}${GLOB_STAR}${ending[2]}`;
  const globs = plain.map((one) => one.replace(/[*?[].*$/, '').replace(/[^/]*$/, '') || '.');
  if (!globs.every(isPlainPlace) || scene.context.listFolder === undefined) return null;
  const isHidden = plain.some((one) => /(?:^|\/)\.[^./]/.test(one));
  return listed(globs.length > 0 ? globs : ['.'], null, !isHidden, scene);
}

function foundByFind(args: readonly string[], scene: Scene): string | null {
  const first = args.findIndex((arg) => /^[-(!]/.test(arg));
  const roots = first < 0 ? args : args.slice(0, first);
  if (!roots.every(isPlainPlace)) return null;
  return foundBelow(roots.length > 0 ? roots : ['.'], args.slice(Math.max(first, 0)), scene);
}

/** What `find` finds below folders: names by its conditions, where these are simple, and otherwise all that is there. */
export function foundBelow(roots: readonly string[], conditions: readonly string[], scene: Scene): string | null {
  const isSimple = !conditions.some((one) => /^(?:-o|-or|,|\()$/.test(one));
  const [name] = conditions.filter(
    (_, at) => /^-i?name$/.test(conditions[at - 1] ?? '') && !/^(?:!|-not)$/.test(conditions[at - 2] ?? ''),
  );
  const isIgnoringCase = conditions.includes('-iname');
  return listed(roots, isSimple && !isIgnoringCase ? (name ?? null) : null, false, scene);
}
