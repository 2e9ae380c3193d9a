// `troupe export` of one session of 100 MB with 200 agents, redacted and not, beside claude-code-transcripts, which renders the
// main conversation only: time and work of all cores a megabyte, and peak memory. Alternating. usage: node bench/export.mjs
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { root } from '../scripts/ensure-installed.mjs';
import { writeCorpus } from './corpus.mjs';
import { fetchPackage } from './fetch-package.mjs';
import { writeHistory } from './history-corpus.mjs';
import { removeFolder } from './processes.mjs';

const OTHER = 'claude-code-transcripts@1.0.2';
/** What issue 8 asks for. */
const LIMIT_MB = 350;

export async function benchExport({ runs = 3 } = {}) {
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-export-'));
  try {
    const session = path.join(work, 'session');
    const bytes = writeCorpus(session, { megabytes: 100, sessionMegabytes: 100, agentsPerSession: 200 });
    // What it renders of a session is the main file: one of its own, of the same make.
    const alone = path.join(work, 'alone');
    writeCorpus(alone, { megabytes: 40, sessionMegabytes: 40, agentsPerSession: 1 });
    const main = mainFile(alone);
    const other = fetchPackage(OTHER, 'node_modules/claude-code-transcripts/dist/cli.js');
    const troupe = (...flags) => [
      path.join(root, 'dist/troupe.js'),
      'export',
      '--root',
      session,
      '--out-dir',
      path.join(work, 'out'),
      ...flags,
    ];
    const rows = [
      { what: 'troupe export, redacted', args: troupe(), bytes },
      { what: 'troupe export --no-redact', args: troupe('--no-redact'), bytes },
      ...(other
        ? [{ what: OTHER, args: [other, 'json', main, '-o', path.join(work, 'other')], bytes: statSync(main).size }]
        : []),
    ].map((row) => ({ ...row, ms: Number.POSITIVE_INFINITY, cpu: Number.POSITIVE_INFINITY, rss: 0 }));
    for (let run = 0; run < runs; run++)
      for (const row of rows) {
        const { ms, cpu, rss } = measure(work, row.args);
        row.ms = Math.min(row.ms, ms);
        row.cpu = Math.min(row.cpu, cpu);
        row.rss = Math.max(row.rss, rss);
      }
    return { rows, hasOther: other !== undefined, many: exportMany(work) };
  } finally {
    await removeFolder(work);
  }
}

/** Of a history, and of one with each session twice, the second time under another id. */
function exportMany(work, { megabytes = 50 } = {}) {
  const [once, twice] = [path.join(work, 'once'), path.join(work, 'twice')];
  const { sessions } = writeHistory(once, { megabytes });
  cpSync(once, twice, { recursive: true });
  for (const entry of readdirSync(once, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const to = path.join(twice, renamed(path.relative(once, file)));
    mkdirSync(path.dirname(to), { recursive: true });
    writeFileSync(to, renamed(readFileSync(file, 'utf8')));
  }
  const [one, two] = [once, twice].map((data, at) =>
    measure(work, [
      path.join(root, 'dist/troupe.js'),
      'export',
      '--all-sessions',
      ...['--root', data, '--out-dir', path.join(work, `out-${at}`), '--yes'],
    ]),
  );
  return { sessions, one, two };
}

/** Ids of sessions and agents. */
function renamed(text) {
  return text.replaceAll(
    /([0-9a-f]{8}-[0-9a-f]{4}-4)[0-9a-f]{3}(?=-)|(agent-a|"a)[0-9a-f]{3}(?=[0-9a-f]{13}[".])/g,
    '$1$2fff',
  );
}

function mainFile(folder) {
  const project = path.join(folder, 'projects', '-home-dev-bench');
  return path.join(
    project,
    readdirSync(project).find((name) => name.endsWith('.jsonl')),
  );
}

function measure(work, [file, ...args]) {
  const script = path.join(work, 'measured.mjs');
  writeFileSync(
    script,
    `process.on('exit', () => process.stderr.write('\\nUSED ' + JSON.stringify(process.resourceUsage()) + '\\n'));\nprocess.argv.splice(1, 1);\nawait import(process.argv[1]);\n`,
  );
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [script, file, ...args], { encoding: 'utf8', maxBuffer: 1e8 });
  const ms = performance.now() - began;
  if (status !== 0) throw new Error(stderr);
  const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(stderr.match(/^USED (.*)$/m)?.[1] ?? '');
  return { ms, cpu: (userCPUTime + systemCPUTime) / 1000, rss: maxRSS / 1024 };
}

export function printExport({ rows, hasOther, many }) {
  console.log(
    `export: 100 MB, 200 agents (load ${loadavg()[0].toFixed(1)}); at most ${LIMIT_MB} MB, and at least as fast a megabyte as the other`,
  );
  for (const { what, ms, cpu, bytes, rss } of rows)
    console.log(
      `  ${what.padEnd(34)} ${(ms / 1000).toFixed(1).padStart(6)} s  ${(ms / (bytes / 1e6)).toFixed(0).padStart(4)} ms/MB (cores: ${(cpu / (bytes / 1e6)).toFixed(0).padStart(3)})  ${rss.toFixed(0).padStart(5)} MB`,
    );
  const { sessions, one, two } = many;
  const figures = ({ ms, cpu, rss }) =>
    `${(ms / 1000).toFixed(1)} s, ${(cpu / 1000).toFixed(1)} s of all cores, ${rss.toFixed(0)} MB`;
  console.log(`  ${sessions} sessions: ${figures(one)}; ${2 * sessions}: ${figures(two)}`);
  console.log(`  ${(two.cpu / one.cpu).toFixed(2)} times the work for twice the sessions; at most 2.1, and 400 MB`);
  if (!hasOther) console.log(`  ${OTHER}: could not be fetched`);
}

if (process.argv[1] && path.resolve(process.argv[1]) === path.join(root, 'bench/export.mjs'))
  printExport(await benchExport());
