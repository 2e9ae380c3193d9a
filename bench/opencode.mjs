// A database of OpenCode to finished trees, against SQLite printing every message and part of it to nowhere.
// usage: node bench/opencode.mjs [--megabytes 500] [--runs 5]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../scripts/ensure-installed.mjs';
import { writeDatabase } from './opencode-corpus.mjs';
import { removeFolder } from './processes.mjs';

const EVERYTHING = 'select data from message; select data from part';

export async function benchOpencode({ megabytes = 500, runs = 5 } = {}) {
  const work = mkdtempSync(path.join(root, 'node_modules', '.bench-'));
  try {
    const { bytes } = writeDatabase(work, { megabytes });
    writeFileSync(path.join(work, 'package.json'), '{ "type": "module" }');
    const reader = await bundle(work);
    const [ours, theirs, memory, agents] = [[], [], [], []];
    for (let run = 0; run < runs; run++) {
      theirs.push(timed(() => printAll(path.join(work, 'opencode.db'))));
      // A process of its own each time: nothing is warm but the system's own cache of files.
      const said = JSON.parse(execFileSync(process.execPath, [reader, work], { encoding: 'utf8' }));
      ours.push(said.ms);
      memory.push(said.peakMegabytes);
      agents.push(said.agents);
    }
    const known = theirs.filter((ms) => ms !== undefined);
    return {
      megabytes: bytes / 1e6,
      agents: agents[0],
      ours: Math.min(...ours),
      theirs: known.length === 0 ? undefined : Math.min(...known),
      peakMegabytes: Math.max(...memory),
    };
  } finally {
    await removeFolder(work);
  }
}

async function bundle(work) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [path.join(root, 'bench/read-opencode.ts')],
    bundle: true,
    // As in the package: in one file, the packages that other hosts need would be loaded, too.
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: work,
    entryNames: '[name]',
    logLevel: 'error',
  });
  return path.join(work, 'read-opencode.js');
}

/** Undefined where the machine has no `sqlite3`. */
function printAll(file) {
  try {
    execFileSync('sqlite3', ['-readonly', file, EVERYTHING], { stdio: 'ignore' });
    return true;
  } catch {
    return undefined;
  }
}

function timed(action) {
  const begin = performance.now();
  return action() === undefined ? undefined : performance.now() - begin;
}

export function printOpencode({ megabytes, agents, ours, theirs, peakMegabytes }) {
  const rate = (ms) => `${ms.toFixed(0)} ms, ${(megabytes / (ms / 1000)).toFixed(0)} MB/s`;
  console.log(
    `OpenCode: ${megabytes.toFixed(0)} MB of messages and parts, ${agents} agents (load ${loadavg()[0].toFixed(1)})`,
  );
  console.log(`  troupe, database to trees   ${rate(ours)}, at most ${peakMegabytes.toFixed(0)} MB of memory`);
  if (theirs === undefined) console.log('  sqlite3 is not on this machine: nothing to compare with');
  else console.log(`  sqlite3, everything printed ${rate(theirs)}\n  ratio ${(ours / theirs).toFixed(2)}`);
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { megabytes: { type: 'string' }, runs: { type: 'string' } } });
  const numbers = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Number(value)]));
  printOpencode(await benchOpencode(numbers));
}
