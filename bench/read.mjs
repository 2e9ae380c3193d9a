// Files to finished trees, against a reader that splits buffers and JSON-parses every line of the same files.
// usage: node bench/read.mjs [--megabytes 100] [--runs 5] [FOLDER]   (a data folder of Claude Code instead of the corpus)
import { closeSync, mkdtempSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../scripts/ensure-installed.mjs';
import { writeCorpus } from './corpus.mjs';
import { removeFolder } from './processes.mjs';

export async function benchRead({ megabytes = 100, runs = 5, folder } = {}) {
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  try {
    const data = folder ?? path.join(work, 'corpus');
    if (!folder) writeCorpus(data, { megabytes });
    const files = transcriptsBelow(data);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    const { readTrees } = await bundle(work);
    const ours = [];
    const theirs = [];
    let agents = 0;
    for (let run = 0; run < runs; run++) {
      theirs.push(await timed(() => parseAll(files)));
      ours.push(
        await timed(async () => {
          agents = await readTrees(data);
        }),
      );
    }
    return {
      files: files.length,
      megabytes: bytes / 1e6,
      agents,
      ours: Math.min(...ours),
      theirs: Math.min(...theirs),
    };
  } finally {
    await removeFolder(work);
  }
}

async function bundle(work) {
  const { build } = await import('esbuild');
  const outfile = path.join(work, 'read-trees.mjs');
  await build({
    entryPoints: [path.join(root, 'bench/read-trees.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  return import(outfile);
}

function parseAll(files) {
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  let lines = 0;
  for (const file of files) {
    const fd = openSync(file, 'r');
    let rest = Buffer.alloc(0);
    for (;;) {
      const read = readSync(fd, buffer, 0, buffer.length, null);
      if (read === 0) break;
      const chunk = rest.length === 0 ? buffer.subarray(0, read) : Buffer.concat([rest, buffer.subarray(0, read)]);
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        try {
          JSON.parse(chunk.utf8Slice(from, at));
          lines++;
        } catch {
          // Real folders hold damaged lines; both readers pass over them.
        }
        from = at + 1;
      }
      rest = Buffer.from(chunk.subarray(from));
    }
    closeSync(fd);
  }
  return lines;
}

function transcriptsBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((entry) => entry.endsWith('.jsonl'))
    .map((entry) => path.join(folder, entry));
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

if (process.argv[1] === path.join(root, 'bench/read.mjs')) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { megabytes: { type: 'string' }, runs: { type: 'string' } },
  });
  const result = await benchRead({
    megabytes: Number(values.megabytes ?? 100),
    runs: Number(values.runs ?? 5),
    folder: positionals[0],
  });
  printRead(result);
}

export function printRead({ files, megabytes, agents, ours, theirs }) {
  const rate = (ms) => `${(megabytes / (ms / 1000)).toFixed(0).padStart(6)} MB/s`;
  console.log(
    `read: ${files} files, ${megabytes.toFixed(0)} MB, ${agents} agents; best of the runs, load ${loadavg()[0].toFixed(2)}`,
  );
  console.log(`  JSON.parse of every line   ${rate(theirs)}   1.00`);
  console.log(`  troupe, files to trees     ${rate(ours)}   ${(theirs / ours).toFixed(2)}`);
}
