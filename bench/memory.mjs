// Peak memory of the built program on large histories: one session of 100 MB with 200 agents, one line of 50 MB, and the
// list of everything at 100 MB and at 1 GB. usage: node bench/memory.mjs
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../scripts/ensure-installed.mjs';
import { writeCorpus } from './corpus.mjs';
import { removeFolder } from './processes.mjs';

export async function benchMemory() {
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-memory-'));
  try {
    const rows = [];
    rows.push([
      'tree, one session of 100 MB, 200 agents',
      peak(corpus(work, 'session', { megabytes: 100, sessionMegabytes: 100, agentsPerSession: 200 }), ['tree']),
    ]);
    rows.push(['tree, one line of 50 MB', peak(longLine(work), ['tree'])]);
    rows.push(['ls of all, 100 MB', peak(corpus(work, 'small', { megabytes: 100 }), ['ls', '-n', '10000'])]);
    rows.push(['ls of all, 1 GB', peak(corpus(work, 'large', { megabytes: 1000 }), ['ls', '-n', '10000'])]);
    return rows;
  } finally {
    await removeFolder(work);
  }
}

function corpus(work, name, options) {
  const folder = path.join(work, name);
  writeCorpus(folder, options);
  return folder;
}

function longLine(work) {
  const folder = corpus(work, 'line', { megabytes: 1, sessionMegabytes: 1, agentsPerSession: 1 });
  const project = path.join(folder, 'projects', '-home-dev-bench');
  const file = readdirSync(project).find((name) => name.endsWith('.jsonl'));
  const body = JSON.stringify({
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'x', content: 'x "y" \n'.repeat(5_000_000) }],
    },
    uuid: 'u',
    sessionId: file,
    timestamp: '2026-11-15T09:00:00Z',
  });
  mkdirSync(project, { recursive: true });
  writeFileSync(path.join(project, file), `${body}\n`, { flag: 'a' });
  return folder;
}

/** Peak resident memory of the program, in megabytes, as the system counted it. */
function peak(folder, args) {
  const script = `process.on('exit', () => process.stderr.write('RSS ' + process.resourceUsage().maxRSS)); process.argv.splice(1, 1); await import(process.argv[1])`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', script, '-', path.join(root, 'dist/troupe.js'), ...args, '--json', '--root', folder],
    { encoding: 'utf8', maxBuffer: 1e9 },
  );
  if (status !== 0) throw new Error(stderr);
  const report = JSON.parse(stdout);
  const problems = report.diagnostics?.total ?? report.sessions.reduce((sum, session) => sum + session.problems, 0);
  if (problems > 0) throw new Error(`${problems} problems in a corpus that has none`);
  return Number(stderr.match(/RSS (\d+)/)?.[1]) / 1024;
}

export function printMemory(rows) {
  console.log('memory: peak of the program');
  for (const [what, megabytes] of rows) console.log(`  ${what.padEnd(42)} ${megabytes.toFixed(0).padStart(5)} MB`);
}
