// Who may import whom. Everything that is not in this table fails CI (docs/ARCHITECTURE.md has the picture).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './ensure-installed.mjs';

/** room → rooms it may import. A room is a folder of src; `adapters/*` is each adapter on its own. */
const MAY_IMPORT = {
  base: [],
  model: ['base'],
  reports: ['base', 'model'],
  render: ['base', 'model', 'reports'],
  news: ['base', 'model', 'reports', 'render'],
  transforms: ['base', 'model'],
  guard: ['base', 'model'],
  policy: ['base', 'model', 'io', 'guard'],
  asks: ['base', 'model'],
  judge: ['base', 'model', 'guard', 'adapters/adapter'],
  io: ['base'],
  audit: ['base', 'model', 'io'],
  'adapters/adapter': ['base', 'model', 'io'],
  // What hosts that were built on one code have in common.
  'adapters/genai': ['base', 'model', 'io', 'adapters/adapter', 'adapters/hook-kit'],
  // What each host's program prints of its session: all need it of all. Whether a command runs one, the shell's grammar tells.
  'adapters/printed': ['base', 'model', 'guard'],
  // Parts of hooks that several hosts share: entries in settings, what is kept for the tree.
  'adapters/hook-kit': ['base', 'model', 'adapters/adapter'],
  'adapters/*': ['base', 'model', 'io', 'adapters/adapter', 'adapters/genai', 'adapters/printed', 'adapters/hook-kit'],
  'adapters/judged-hosts': ['adapters/*', 'adapters/adapter'],
  'adapters/more-judged-hosts': ['adapters/*', 'adapters/judged-hosts'],
  'adapters/registry': ['adapters/*', 'adapters/adapter'],
  tracker: ['base', 'model', 'io', 'adapters/adapter'],
  events: ['base', 'model'],
  stream: ['base', 'model', 'io', 'events', 'adapters/adapter', 'tracker'],
  intercept: ['base', 'model', 'events'],
  runs: ['base', 'model', 'io'],
  config: ['base', 'model', 'io', 'tracker', 'transforms'],
  install: ['base', 'model', 'reports', 'io', 'adapters/adapter', 'faces/face'],
  export: ['base', 'model', 'reports', 'render', 'transforms', 'io', 'faces/face'],
  attach: ['base', 'model', 'reports', 'render', 'transforms', 'io', 'adapters/adapter', 'tracker', 'audit', 'daemon'],
  doctor: ['base', 'model', 'reports', 'io', 'adapters/adapter', 'faces/face', 'tracker', 'audit', 'daemon'],
  feed: ['base', 'model', 'reports', 'faces/face'],
  'faces/face': ['base', 'model', 'reports'],
  'faces/hook': ['base', 'model', 'io', 'audit', 'guard'],
  'faces/*': ['base', 'model', 'reports', 'render', 'news', 'faces/face'],
  daemon: ['base', 'model', 'reports', 'io', 'faces/face'],
  index: [
    'base',
    'model',
    'reports',
    'events',
    'adapters/registry',
    'tracker',
    'stream',
    'intercept',
    'attach',
    'transforms',
    'daemon',
  ],
  compose: ['*'],
  main: ['*'],
  hook: ['*'],
  'export-process': ['*'],
  'export-worker': ['*'],
  'sqlite-worker': ['io'],
  'hook-hosts': ['adapters/more-judged-hosts'],
  'hook-judge': ['judge'],
  web: ['base', 'model', 'reports', 'render'],
};

/** Rooms that run in the browser too: no Node module at all. */
const PURE = new Set(['base', 'model', 'reports', 'render', 'transforms', 'guard', 'asks', 'events', 'news']);

/** Packages that a pure room may import all the same: themselves without Node, and made for what would be wrong by hand. */
const PURE_PACKAGES = { guard: ['unbash'], render: ['markdown-it', 'highlight.js'] };

/** Known exceptions, each with the issue that will end it. May only shrink. */
const DEBT = [];

/**
 * Functions that open a file by its path, and wait forever if an agent has put a FIFO there. Everything goes through
 * src/io/regular-file.ts. Writing to an open descriptor is fine, but the same functions take paths: see OPENS_FILES.
 */
const OPENING =
  /^(?:promises|(?:open|openAsBlob|readFile|writeFile|appendFile|copyFile|cp|truncate|createReadStream|createWriteStream)(?:Sync)?)$/;

const FS_IMPORT =
  /\bimport\s+([^;]*?)\s+from\s+'(?:node:)?fs(?:\/promises)?'|\b(?:import|require)\(\s*'(?:node:)?fs\b/g;

/** Files that may import them all the same, each with the reason. */
const OPENS_FILES = {
  'src/io/regular-file.ts': 'the one place',
  'src/io/open-descriptors.ts': 'reads /proc only',
  'src/io/open-files.ts': 'reads /proc only',
  'src/io/processes.ts': 'reads /proc only',
  'src/io/process-tree.ts': 'reads /proc only',
  'src/io/running-programs.ts': 'reads /proc only',
  'src/adapters/codex/processes.ts': 'reads /proc/locks only',
  'src/audit/spool-writer.ts': 'writes to a descriptor that it has made',
  'src/faces/hook/guard-call.ts': 'reads its own standard input',
  'src/adapters/opencode/hooks/plugin-text.ts':
    'the plugin stands alone, and opens its one file without waiting itself',
  'src/compose/ask-at-terminal.ts': 'opens /dev/tty',
  'src/compose/event-output.ts': 'the person names the file with --events, and may mean a pipe',
};

const problems = [];
const unused = new Set(Object.keys(OPENS_FILES));
for (const file of [...filesIn('src'), ...filesIn('web')]) {
  if (!/\.tsx?$/.test(file) || isTestOnly(file)) continue;
  const from = roomOf(file);
  const text = readFileSync(path.join(root, file), 'utf8');
  for (const [, names] of text.matchAll(FS_IMPORT)) {
    const opening = openingIn(names ?? 'all of it');
    if (opening.length === 0) continue;
    unused.delete(file);
    if (!Object.hasOwn(OPENS_FILES, file))
      problems.push(
        `${file}: opens files itself (${opening.join(', ')}); use src/io/regular-file.ts, which waits for no FIFO`,
      );
  }
  for (const [, specifier] of text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)) {
    if (!specifier.startsWith('.')) {
      const allowed = PURE_PACKAGES[from]?.some((name) => specifier === name || specifier.startsWith(`${name}/`));
      if (PURE.has(from) && !allowed)
        problems.push(`${file}: ${from} may import no package and no Node module, but imports '${specifier}'`);
      continue;
    }
    const target = path.posix.join(path.posix.dirname(file), specifier);
    const to = roomOf(target);
    if (from === to || allows(from, to, target) || DEBT.includes(`${file} → ${target}`)) continue;
    problems.push(`${file}: ${from} may not import ${to} ('${specifier}')`);
  }
}
for (const file of unused) problems.push(`${file}: need not be in OPENS_FILES any more`);
for (const problem of problems) console.error(problem);
console.log(`imports: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** What of an import can open a file; of the whole module, everything. */
function openingIn(names) {
  if (names.startsWith('type ')) return [];
  if (!names.startsWith('{')) return [names];
  const imported = names.slice(1, -1).split(',');
  return imported.map((name) => name.trim().split(/\s+as\s+/)[0]).filter((name) => OPENING.test(name));
}

function filesIn(folder) {
  return readdirSync(path.join(root, folder), { recursive: true }).map(
    (file) => `${folder}/${file.split(path.sep).join('/')}`,
  );
}

function roomOf(file) {
  if (file.startsWith('web/')) return 'web';
  const [first, second] = file.slice('src/'.length).split('/');
  if (first === 'adapters' || first === 'faces')
    return `${first}/${second.replace(/\.ts$/, '').replace(/^(adapter|face)-\w+$/, '$1')}`;
  return first.replace(/\.ts$/, '');
}

function allows(from, to, target) {
  const rules = MAY_IMPORT[from] ?? MAY_IMPORT[from.replace(/\/.*/, '/*')] ?? [];
  if (rules.includes('*') || rules.includes(to)) return true;
  const isOneOf = (kind) => rules.includes(`${kind}/*`) && to.startsWith(`${kind}/`) && from !== `${kind}/*`;
  const door = {
    'adapters/registry': '/index.ts',
    'adapters/judged-hosts': '/guard.ts',
    'adapters/more-judged-hosts': '/guard.ts',
  }[from];
  return door !== undefined && isOneOf('adapters') && target.endsWith(door);
}

/** Tests and the suites that only tests load may reach across: they are what holds the rooms together. */
function isTestOnly(file) {
  return file.endsWith('.test.ts') || file.includes('/testing/');
}
