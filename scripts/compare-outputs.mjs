// node scripts/compare-outputs.mjs BEFORE [AFTER] [--captures DIR] [--only TEXT]
// Runs two builds of troupe on the same recordings and reports every output that differs. BEFORE and AFTER are built checkouts
// (AFTER: this one). Recordings: those in this repository, and those below --captures. Exit code 1 if anything differs.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './ensure-installed.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { captures: { type: 'string' }, only: { type: 'string', default: '' } },
});
const [before, after = root] = positionals;
if (before === undefined) {
  console.error('Usage: node scripts/compare-outputs.mjs BEFORE [AFTER] [--captures DIR] [--only TEXT]');
  process.exit(2);
}
for (const build of [before, after])
  if (!existsSync(path.join(build, 'dist/troupe.js'))) {
    console.error(`${build} is not built. Run there: npm run build`);
    process.exit(2);
  }

/** A stream without times of its own gets those at which its lines came. */
const TODAY = new RegExp(`"${new Date().toISOString().slice(0, 10)}T[^"]*"`, 'g');
const scratch = mkdtempSync(path.join(tmpdir(), 'troupe-compare-'));
const recordings = findRecordings().filter((folder) => folder.includes(values.only));
const counts = { recordings: 0, outputs: 0, different: 0 };
const queue = recordings.values();
await Promise.all(Array.from({ length: availableParallelism() }, worker));
if ('guard test'.includes(values.only) || values.only === '') await compare('guard test', guardTest());
rmSync(scratch, { recursive: true, force: true });
console.log(`${counts.recordings} recordings, ${counts.outputs} outputs, ${counts.different} different`);
process.exitCode = counts.different === 0 ? 0 : 1;

async function worker() {
  for (const folder of queue) {
    counts.recordings++;
    for (const args of await commandsFor(folder)) await compare(path.relative(root, folder), args);
    if (process.stderr.isTTY) process.stderr.write(`\r${counts.recordings}/${recordings.length} `);
  }
}

/** Folders that hold one run each: fixtures of the hosts, the demo, and every capture with a `truth.json` entry or files of its own. */
function findRecordings() {
  const below = (folder) => (existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : []);
  const isFolder = (place) => statSync(place).isDirectory();
  const fixtures = below(path.join(root, 'src/hosts')).flatMap((host) => below(path.join(host, 'fixtures')));
  const captures = values.captures ? below(path.resolve(values.captures)).filter(isFolder) : [];
  const runs = captures.flatMap((host) => below(host).filter(isFolder)).flatMap((version) => below(version));
  return [path.join(root, 'demo'), path.join(root, 'test/fixtures/all-hosts'), ...fixtures, ...runs].filter(isFolder);
}

/** What is run on a recording. Sessions and agents are named by the ids that the first build finds. */
async function commandsFor(folder) {
  const at = ['--root', folder];
  const commands = [{ args: ['ls', '-n', '100', ...at] }, { args: ['ls', '--json', '-n', '100', ...at] }];
  const listed = parse((await run(before, ['ls', '--json', '-n', '100', ...at])).stdout);
  for (const { id } of listed?.sessions ?? []) {
    commands.push({ args: ['tree', id, ...at] }, { args: ['tree', id, '--json', '--internal', ...at] });
    const agents = parse((await run(before, ['tree', id, '--json', ...at])).stdout)?.agents ?? [];
    for (const agent of agents.slice(0, 3)) commands.push({ args: ['show', agent.id, '--json', ...at] });
    if (agents[0]) commands.push({ args: ['show', agents[0].id, ...at] });
    commands.push(
      { args: ['export', id, '-y', '-f', 'html,md,json', ...at], writes: true },
      { args: ['export', id, '-y', '--single-file', '--redact', 'pii', ...at], writes: true },
    );
  }
  for (const file of filesBelow(folder)) {
    if (/stream\.jsonl$/.test(file)) commands.push({ args: ['stream', '--no-disk'], input: readFileSync(file) });
    if (!/\.jsonl$/.test(file) || statSync(file).size > 2_000_000) continue;
    const ids = [...new Set(readFileSync(file, 'utf8').match(/\b(?:toolu|call)_[A-Za-z0-9]{6,}/g) ?? [])];
    for (const id of ids.slice(0, 1))
      commands.push({ args: ['identify', '--json', '--transcript', file, '--tool-use-id', id] });
  }
  return commands;
}

/** Every command that the guard's own tests know, by a policy with rules of each kind. */
function guardTest() {
  const policy = path.join(scratch, 'policy.yaml');
  writeFileSync(
    policy,
    `version: 1
presets: [hands-off-the-guard, no-network-for-subagents]
defaults: { main: ask, subagent: deny, unknown: deny }
rules:
  - { tools: ["Bash(ls:*)", "Bash(git status)", "Bash(cat:*)", Read], decision: allow }
  - { tools: ["Bash(git push:*)", "Bash(rm:*)", "Edit(//etc/**)"], decision: deny }
`,
  );
  const folder = path.join(root, 'src/guard/testing');
  const lines = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  const commands = lines.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'));
  const cases = commands.filter((command) => command.trim() !== '' && !command.startsWith('#'));
  const table = path.join(scratch, 'cases.yaml');
  writeFileSync(
    table,
    cases
      .map((command) => `- { command: ${JSON.stringify(command)}, expect: none, agent: { type: Explore } }\n`)
      .join(''),
  );
  return { args: ['guard', 'test', table, '--policy', policy, '--json'] };
}

/** Ages are in the output ("2 d ago"): what differs is tried a second time before it counts. */
async function compare(name, { args, input, writes }) {
  const outputs = async () => Promise.all([before, after].map((build) => run(build, args, input, writes)));
  let [old, now] = await outputs();
  if (!isSame(old, now)) [old, now] = await outputs();
  counts.outputs++;
  if (isSame(old, now)) return;
  counts.different++;
  console.log(`\n✗ ${name}: troupe ${args.join(' ').replaceAll(`${root}`, '')}`);
  for (const part of ['code', 'stdout', 'stderr', 'files']) {
    if (old[part] === now[part]) continue;
    const [a, b] = [String(old[part]).split('\n'), String(now[part]).split('\n')];
    const at = a.findIndex((line, index) => line !== b[index]);
    console.log(`  ${part}, line ${at + 1}:\n  - ${(a[at] ?? '').slice(0, 300)}\n  + ${(b[at] ?? '').slice(0, 300)}`);
  }
}

function isSame(a, b) {
  return ['code', 'stdout', 'stderr', 'files'].every((part) => a[part] === b[part]);
}

function run(build, args, input, writes = false) {
  const home = mkdtempSync(path.join(scratch, 'home-'));
  const out = path.join(home, 'out');
  mkdirSync(path.join(home, 'tmp'));
  const child = { cwd: home, maxBuffer: 1 << 28, env: environment(home) };
  const full = [path.join(build, 'dist/troupe.js'), ...args, ...(writes ? ['-o', out] : [])];
  return new Promise((resolve) => {
    const running = execFile(process.execPath, full, child, (error, stdout, stderr) => {
      const clean = (text) =>
        text
          .replaceAll(TODAY, '"now"')
          .replaceAll(/\/proc\/\d+/g, '/proc/PID')
          // A stream without times of its own is timed as it comes.
          .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0')
          .replaceAll(home, 'HOME')
          .replaceAll(/files, [\d.]+ [kM]?B/g, 'files');
      const files = writes && existsSync(out) ? describeFiles(out) : '';
      rmSync(home, { recursive: true, force: true });
      resolve({ code: error?.code ?? 0, stdout: clean(stdout), stderr: clean(stderr), files });
    });
    running.stdin.on('error', () => {});
    running.stdin.end(input ?? '');
  });
}

/** Nothing of the person's own: no settings, no hooks, one time zone. */
function environment(home) {
  const { PATH } = process.env;
  return {
    PATH,
    HOME: home,
    TROUPE_HOME: path.join(home, 'troupe'),
    TMPDIR: path.join(home, 'tmp'),
    TZ: 'UTC',
    LANG: 'C.UTF-8',
  };
}

function describeFiles(folder) {
  return filesBelow(folder)
    .map((file) => `${path.relative(folder, file)} ${createHash('sha256').update(contentOf(file)).digest('hex')}`)
    .join('\n');
}

/** A single file carries the program of the page, which is another one in each build; so does the manifest carry its digest. */
function contentOf(file) {
  const text = readFileSync(file, 'utf8');
  if (path.basename(file) === 'troupe-export.json') return text.replace(/("name": "index.html",\s*)[^}]*/, '$1');
  if (!text.includes('id="troupe-data"')) return text;
  return text
    .replaceAll(/<script>[\s\S]*?<\/script>/g, '')
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '');
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
