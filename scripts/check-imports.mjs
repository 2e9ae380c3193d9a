// Who may import whom. Everything that is not in this table fails CI (docs/ARCHITECTURE.md has the picture).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './ensure-installed.mjs';

/** room → rooms it may import. A room is a folder of src; each host is one of its own, and so is each folder with a slash here. */
const MAY_IMPORT = {
  lib: [],
  core: ['lib'],
  redact: ['lib', 'core'],
  'guard/shell': ['lib'],
  hosts: ['lib', 'core', 'hosts/*'],
  'hosts/shared': ['lib', 'core', 'hosts', 'guard/shell'],
  'hosts/*': ['lib', 'core', 'hosts', 'hosts/shared'],
  sessions: ['lib', 'core', 'redact', 'hosts'],
  audit: ['lib', 'core', 'redact', 'hosts', 'sessions'],
  guard: ['lib', 'core', 'redact', 'hosts', 'sessions', 'audit', 'guard/shell'],
  hook: ['lib', 'hosts', 'audit', 'guard'],
  export: ['lib', 'core', 'redact', 'hosts', 'sessions', 'audit'],
  'cli/format': ['lib', 'core'],
  control: ['lib', 'core', 'redact', 'hosts', 'sessions', 'audit', 'guard', 'export', 'cli/format'],
  server: ['lib', 'core', 'hosts', 'sessions', 'audit', 'guard', 'control', 'export', 'hook'],
  notify: ['lib', 'core', 'redact', 'sessions', 'control', 'export', 'server'],
  tui: ['lib', 'core', 'sessions', 'notify', 'cli/format', 'server'],
  cli: [
    'lib',
    'core',
    'hosts',
    'sessions',
    'audit',
    'guard',
    'control',
    'export',
    'notify',
    'hook',
    'server',
    'tui',
    'cli/format',
  ],
  index: ['lib', 'core', 'redact', 'hosts', 'sessions', 'control'],
  main: ['cli'],
  web: ['lib', 'core'],
};

/** Rooms that run in the browser too: no Node module at all. */
const PURE = new Set(['core', 'redact', 'guard/shell']);

/** Packages that a pure room may import all the same: themselves without Node, and made for what would be wrong by hand. */
const PURE_PACKAGES = { 'guard/shell': ['unbash'], core: ['markdown-it', 'highlight.js'] };

/**
 * Functions that open a file by its path, and wait forever if an agent has put a FIFO there. Everything goes through
 * src/lib/regular-file.ts. Writing to an open descriptor is fine, but the same functions take paths: see OPENS_FILES.
 */
const OPENING =
  /^(?:promises|(?:open|openAsBlob|readFile|writeFile|appendFile|copyFile|cp|truncate|createReadStream|createWriteStream)(?:Sync)?)$/;

const FS_IMPORT =
  /\bimport\s+([^;]*?)\s+from\s+'(?:node:)?fs(?:\/promises)?'|\b(?:import|require)\(\s*'(?:node:)?fs\b/g;

/** Files that may import them all the same, each with the reason. */
const OPENS_FILES = {
  'src/lib/regular-file.ts': 'the one place',
  'src/lib/open-descriptors.ts': 'reads /proc only',
  'src/lib/open-files.ts': 'reads /proc only',
  'src/lib/processes.ts': 'reads /proc only',
  'src/lib/process-tree.ts': 'reads /proc only',
  'src/lib/running-programs.ts': 'reads /proc only',
  'src/hosts/codex/processes.ts': 'reads /proc/locks only',
  'src/audit/spool-writer.ts': 'writes to a descriptor that it has made',
  'src/hook/guard-call.ts': 'reads its own standard input',
  'src/hosts/opencode/hooks/plugin-text.ts': 'the plugin stands alone, and opens its one file without waiting itself',
  'src/guard/approvals/ask-at-terminal.ts': 'opens /dev/tty',
  'src/control/event-output.ts': 'the person names the file with --events, and may mean a pipe',
};

const problems = [];
const unusedAllowances = new Map(Object.entries(MAY_IMPORT).map(([room, list]) => [room, new Set(list)]));
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
        `${file}: opens files itself (${opening.join(', ')}); use src/lib/regular-file.ts, which waits for no FIFO`,
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
    if (from === to || allows(from, to)) continue;
    problems.push(`${file}: ${from} may not import ${to} ('${specifier}')`);
  }
}
for (const file of unused) problems.push(`${file}: need not be in OPENS_FILES any more`);
for (const [room, left] of unusedAllowances)
  for (const other of left) problems.push(`MAY_IMPORT: ${room} need not import ${other}`);
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
  const [first, second, third] = file.slice('src/'.length).split('/');
  if (first === 'hosts' && third !== undefined && second !== 'shared') return 'hosts/*';
  const inner = `${first}/${second}`;
  return Object.hasOwn(MAY_IMPORT, inner) ? inner : first.replace(/\.ts$/, '');
}

function allows(from, to) {
  unusedAllowances.get(from)?.delete(to);
  return MAY_IMPORT[from]?.includes(to);
}

/** Tests and the suites that only tests load may reach across: they are what holds the rooms together. */
function isTestOnly(file) {
  return file.endsWith('.test.ts') || file.includes('/testing/');
}
