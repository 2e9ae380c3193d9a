// Who may import whom. Everything that is not in this table fails CI (docs/ARCHITECTURE.md has the picture).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './ensure-installed.mjs';

/** room → rooms it may import. A room is a folder of src; each host is one of its own, and so is each folder with a slash here. */
const MAY_IMPORT = {
  lib: [],
  core: ['lib'],
  'core/transcript': ['lib', 'core'],
  redact: ['lib', 'core'],
  'guard/shell': ['lib'],
  hosts: ['lib', 'core', 'hosts/*'],
  'hosts/shared': ['lib', 'core', 'hosts', 'guard/shell'],
  'hosts/*': ['lib', 'core', 'hosts', 'hosts/shared'],
  sessions: ['lib', 'core', 'redact', 'hosts'],
  history: ['lib', 'core', 'hosts', 'sessions'],
  audit: ['lib', 'core', 'redact', 'hosts', 'sessions'],
  guard: ['lib', 'core', 'redact', 'hosts', 'sessions', 'audit', 'guard/shell'],
  hook: ['lib', 'hosts', 'audit', 'guard'],
  export: ['lib', 'core', 'redact', 'hosts', 'sessions', 'audit', 'core/transcript'],
  'cli/format': ['lib', 'core', 'core/transcript'],
  control: ['lib', 'core', 'redact', 'hosts', 'sessions', 'audit', 'guard', 'export', 'cli/format', 'core/transcript'],
  server: ['lib', 'core', 'hosts', 'sessions', 'history', 'audit', 'guard', 'control', 'export', 'hook'],
  notify: ['lib', 'core', 'redact', 'sessions', 'control', 'export', 'server'],
  mcp: ['lib', 'core', 'redact', 'hosts', 'sessions', 'history', 'guard'],
  tui: ['lib', 'core', 'sessions', 'notify', 'cli/format', 'server'],
  cli: [
    'lib',
    'core',
    'hosts',
    'sessions',
    'audit',
    'history',
    'guard',
    'control',
    'export',
    'notify',
    'hook',
    'server',
    'tui',
    'cli/format',
  ],
  index: ['lib', 'core', 'redact', 'hosts', 'sessions', 'export', 'control'],
  main: [
    'lib',
    'hosts',
    'sessions',
    'history',
    'audit',
    'guard',
    'export',
    'control',
    'server',
    'notify',
    'mcp',
    'tui',
    'cli',
  ],
  web: ['lib', 'core', 'core/transcript'],
};

/** Files that other rooms may import, beside `index.ts`. In `lib` each file stands alone. */
const MORE_ENTRIES = new Set([
  // The contract is in index.ts; what lists the hosts imports them, and they import the contract.
  'src/hosts/registry.ts',
  'src/hosts/guarded-hosts.ts',
  'src/hosts/more-guarded-hosts.ts',
  // main.ts loads them when a command needs them.
  'src/cli/hooks/machine-hooks.ts',
  'src/cli/doctor/examine.ts',
  // The page loads it once there is code to colour.
  'src/core/transcript/highlight-code.ts',
]);
/** What troupe knows of a host without loading it; and a hook loads only what judges calls of its host. */
const HOST_ENTRY = /^src\/hosts\/[^/]+\/(?:host|guard)\.ts$/;
/** A hook starts in front of every call: it imports the files it needs, so that its bundle holds nothing else. The library re-exports types file by file. */
const IMPORTS_FILES = new Set(['hook', 'index']);

/** Rooms that run in the browser too: no Node module at all. */
const PURE = new Set(['core', 'core/transcript', 'redact', 'guard/shell']);

/** Packages that a pure room may import all the same: themselves without Node, and made for what would be wrong by hand. */
const PURE_PACKAGES = { 'guard/shell': ['unbash'], 'core/transcript': ['markdown-it', 'highlight.js'] };

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
  'src/lib/processes.ts': 'reads /proc only',
  'src/hosts/codex/companions.ts': 'reads /proc/locks only',
  'src/audit/queue.ts': 'writes to a descriptor that it has made',
  'src/hook/main.ts': 'reads its own standard input',
  'src/hosts/opencode/hooks/plugin-text.ts': 'the plugin stands alone, and opens its one file without waiting itself',
  'src/guard/approvals/ask-at-terminal.ts': 'opens /dev/tty',
  'src/control/event-output.ts': 'the person names the file with --events, and may mean a pipe',
};

const problems = [];
/** file → files that it imports, types included. */
const graph = new Map();
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
    graph.set(file, [...(graph.get(file) ?? []), target]);
    const to = roomOf(target);
    if (from === to) continue;
    if (allows(from, to)) {
      if (!isEntry(target, to) && !IMPORTS_FILES.has(from))
        problems.push(`${file}: import ${to} by its entry, not '${specifier}'`);
      continue;
    }
    problems.push(`${file}: ${from} may not import ${to} ('${specifier}')`);
  }
}
for (const file of unused) problems.push(`${file}: need not be in OPENS_FILES any more`);
for (const cycle of findCycles(graph)) problems.push(`import cycle: ${cycle.join(' → ')}`);
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

/** Groups of files that import each other, directly or not (Tarjan). */
function findCycles(edges) {
  const [order, low, stack, cycles] = [new Map(), new Map(), [], []];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) cycles.push(group.reverse());
  };
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

function roomOf(file) {
  if (file.startsWith('web/')) return 'web';
  const [first, second, third] = file.slice('src/'.length).split('/');
  if (first === 'hosts' && third !== undefined && second !== 'shared') return 'hosts/*';
  const inner = `${first}/${second}`;
  return Object.hasOwn(MAY_IMPORT, inner) ? inner : first.replace(/\.ts$/, '');
}

function isEntry(target, room) {
  return room === 'lib' || target.endsWith('/index.ts') || MORE_ENTRIES.has(target) || HOST_ENTRY.test(target);
}

function allows(from, to) {
  unusedAllowances.get(from)?.delete(to);
  return MAY_IMPORT[from]?.includes(to);
}

/** Tests and the suites that only tests load may reach across: they are what holds the rooms together. */
function isTestOnly(file) {
  return file.endsWith('.test.ts') || file.includes('/testing/');
}
