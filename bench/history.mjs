// Reading a whole history: once from its files, then from the index, beside ccusage on the same files. One table, alternating.
// usage: node bench/history.mjs [--megabytes 1000] [--runs 3] [--no-text] [FOLDER]   (a data folder of Claude Code instead of the corpus)
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../scripts/ensure-installed.mjs';
import { fetchPackage } from './fetch-package.mjs';
import { writeHistory } from './history-corpus.mjs';
import { removeFolder } from './processes.mjs';

const CCUSAGE = 'ccusage@20.0.24';
const NATIVE = `@ccusage/ccusage-${process.platform}-${process.arch}/bin/ccusage`;

export async function benchHistory({ megabytes = 1000, runs = 3, text = true, folder } = {}) {
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  try {
    const data = folder ? path.resolve(folder) : path.join(work, 'data');
    if (!folder) writeHistory(data, { megabytes });
    const files = transcriptsBelow(data);
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const rows = createRows({ work, data, files, text });
    const sizes = {};
    for (let run = 0; run < runs; run++)
      for (const row of rows) {
        row.before?.();
        // Alternating: what the machine does beside it meets all of them alike.
        const result = measure(row.command, row.env);
        if (row.size) sizes[row.name] = row.size();
        if (!row.best || result.seconds < row.best.seconds) row.best = result;
      }
    return { files: files.length, bytes, rows: rows.map(({ name, best }) => ({ name, ...best })), sizes };
  } finally {
    await removeFolder(work);
  }
}

/** In this order: what is read from the index was written to it by the row before. */
function createRows({ work, data, files, text }) {
  const program = path.join(root, 'dist/troupe.js');
  const state = (name) => path.join(work, name);
  const history = (name) => path.join(state(name), 'history');
  const troupe = (name, ...args) => ({
    command: [process.execPath, program, ...args, '--root', data],
    env: { TROUPE_HOME: state(name) },
  });
  const ccusage = ccusageFile();
  const empty = (name, withText) => () => {
    rmSync(state(name), { recursive: true, force: true });
    mkdirSync(history(name), { recursive: true, mode: 0o700 });
    // As if the person had agreed.
    const consent = { isOn: true, at: new Date().toISOString(), exclude: [] };
    if (withText) writeFileSync(path.join(history(name), 'text.json'), JSON.stringify(consent));
  };
  const sizeOf = (name) => () => transcriptsBelow(history(name), '.db').reduce((sum, { size }) => sum + size, 0);
  const largest = largestSession(files);
  const off = () => {
    empty('off')();
    writeFileSync(path.join(history('off'), 'off'), '');
  };
  const inProgram = (code) => ({ command: [process.execPath, '--input-type=module', '-e', code, '-', data] });
  return [
    { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
    { name: 'cat', command: ['sh', '-c', `find "$1" -name '*.jsonl' -exec cat {} + > /dev/null`, 'sh', data] },
    ...(ccusage
      ? [
          {
            name: CCUSAGE,
            command: [ccusage, 'claude', 'session', '--offline', '--json'],
            env: { CLAUDE_CONFIG_DIR: data },
          },
        ]
      : []),
    { name: 'parse every line', ...inProgram(PARSE_ALL) },
    { name: 'ls --all, no index', before: off, ...troupe('off', 'ls', '--all', '--json') },
    {
      name: 'cold index, no text',
      before: empty('facts'),
      ...troupe('facts', 'ls', '--all', '--json'),
      size: sizeOf('facts'),
    },
    { name: 'warm ls --all', ...troupe('facts', 'ls', '--all', '--json') },
    { name: 'tree of the largest', before: off, ...troupe('off', 'tree', largest, '--json') },
    { name: 'the same, warm', ...troupe('facts', 'tree', largest, '--json') },
    ...(text
      ? [
          {
            name: 'cold index with text',
            before: empty('text', true),
            ...troupe('text', 'index', 'build', '--json'),
            size: sizeOf('text'),
          },
          { name: 'search', ...troupe('text', 'search', 'function', 'error', '--json') },
          { name: 'search, a prefix', ...troupe('text', 'search', 'serv*', '--json') },
        ]
      : []),
  ];
}

const PARSE_ALL = `
import { readdirSync, readFileSync } from 'node:fs';
for (const entry of readdirSync(process.argv[2], { recursive: true, withFileTypes: true })) {
  if (!entry.name.endsWith('.jsonl')) continue;
  const bytes = readFileSync(entry.parentPath + '/' + entry.name);
  for (let from = 0, at = bytes.indexOf(10); at !== -1; from = at + 1, at = bytes.indexOf(10, from)) {
    try { JSON.parse(bytes.utf8Slice(from, at)); } catch {}
  }
}`;

/** Undefined if it cannot be had. */
export function ccusageFile() {
  const places = [`node_modules/${NATIVE}`, `node_modules/ccusage/node_modules/${NATIVE}`];
  for (const place of places) {
    const file = fetchPackage(CCUSAGE, place);
    if (!file) continue;
    // npm leaves that to the package's own launcher.
    chmodSync(file, 0o755);
    return file;
  }
  console.error(`bench: ${CCUSAGE} cannot be installed, so there is nothing to compare with`);
  return undefined;
}

function transcriptsBelow(folder, end = '.jsonl') {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => ({ name, size: statSync(path.join(folder, name)).size }));
}

/** Its id: by the bytes of its file and of those of its agents. */
function largestSession(files) {
  const bytes = new Map();
  for (const { name, size } of files) {
    const id = /([0-9a-f-]{36})(?:\.jsonl|[/\\])/.exec(name)?.[1];
    if (id) bytes.set(id, (bytes.get(id) ?? 0) + size);
  }
  return [...bytes].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

const TIMES = path.join('/usr/bin', 'time');

/** Processor time and memory as GNU time counts them, where it is installed. */
function measure([program, ...args], env = {}) {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  const isTimed = statSync(TIMES, { throwIfNoEntry: false }) !== undefined;
  const command = isTimed ? [TIMES, '-f', 'TIMES %U %S %M', program, ...args] : [program, ...args];
  const started = performance.now();
  const { status, stderr, error } = spawnSync(command[0], command.slice(1), {
    env: { ...rest, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    maxBuffer: 1e9,
  });
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw error ?? new Error(`${program} ${args.join(' ')}: ${status}\n${stderr}`);
  const [, user, system, kilobytes] = /TIMES (\S+) (\S+) (\S+)/.exec(String(stderr)) ?? [];
  return { seconds, cpu: Number(user) + Number(system), megabytes: Number(kilobytes) / 1024 };
}

export function printHistory({ files, bytes, rows, sizes }) {
  const beside = rows.find(({ name }) => name === CCUSAGE);
  const number = (value, digits, width) => (Number.isFinite(value) ? value.toFixed(digits) : '-').padStart(width);
  console.log(
    `history: ${files} files, ${(bytes / 1e6).toFixed(0)} MB; best of the runs, load ${loadavg()[0].toFixed(2)}`,
  );
  console.log(`  ${''.padEnd(22)}  wall s   cpu s    MB/s  RSS MB  × ccusage`);
  for (const { name, seconds, cpu, megabytes } of rows) {
    const figures = [
      number(seconds, 2, 8),
      number(cpu, 2, 8),
      number(bytes / 1e6 / seconds, 0, 8),
      number(megabytes, 0, 8),
    ];
    console.log(`  ${name.padEnd(22)}${figures.join('')}${number(seconds / (beside?.seconds ?? Number.NaN), 2, 11)}`);
  }
  for (const [name, size] of Object.entries(sizes))
    console.log(
      `  size of the index, ${name}: ${(size / 1e6).toFixed(1)} MB, ${((100 * size) / bytes).toFixed(2)} % of the files`,
    );
}

if (process.argv[1] === path.join(root, 'bench/history.mjs')) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: { megabytes: { type: 'string' }, runs: { type: 'string' }, text: { type: 'boolean', default: true } },
  });
  const { megabytes = '1000', runs = '3', text } = values;
  printHistory(await benchHistory({ megabytes: Number(megabytes), runs: Number(runs), text, folder: positionals[0] }));
}
