// Redaction: how fast it is on ordinary texts and on hostile ones, and how often it finds something where there is nothing.
// Run alone: node bench/redact.mjs [FOLDER…]. Times are those of the processor, so that neighbours count less.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../scripts/ensure-installed.mjs';
import { removeFolder } from './processes.mjs';

const FOLDERS = [path.join(root, 'node_modules'), path.join(root, 'docs'), '/usr/share/doc', '/usr/include'];

export async function benchRedact(folders = FOLDERS) {
  const { build } = await import('esbuild');
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-bench-redact-'));
  try {
    const outfile = path.join(work, 'redact-texts.mjs');
    await build({
      entryPoints: [path.join(root, 'bench/redact-texts.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'error',
    });
    const { measureOrdinary, measureHostile } = await import(pathToFileURL(outfile).href);
    return { ordinary: measureOrdinary(folders, 12e6), hostile: measureHostile() };
  } finally {
    await removeFolder(work);
  }
}

export function printRedact({ ordinary, hostile }) {
  console.log('\nredaction of ordinary texts (both passes)');
  console.table(
    ordinary.map(({ folder, megabytes, findings, seconds, examples }) => ({
      folder,
      MB: megabytes.toFixed(1),
      'MB/s of processor': (megabytes / seconds).toFixed(1),
      findings,
      'per MB': (findings / megabytes).toFixed(2),
      first: examples.slice(0, 3).join(', '),
    })),
  );
  console.log('redaction of hostile texts: the slowest, and how its time grows with four times the text');
  console.table(
    hostile.map(({ text, milliseconds, growth }) => ({
      text,
      'ms for 50 kB': milliseconds.toFixed(0),
      'times for 200 kB': growth.toFixed(1),
    })),
  );
}

/** Limit for how the time grows with four times the text. */
const MOST_GROWTH = 8;

/** What takes longer than in proportion; a text that takes no time worth measuring does not count. */
export function notLinear({ hostile }) {
  return hostile.filter(({ growth, milliseconds }) => growth > MOST_GROWTH && milliseconds > 5);
}

if (process.argv[1] === path.join(root, 'bench/redact.mjs')) {
  const folders = process.argv.slice(2);
  const result = await benchRedact(folders.length > 0 ? folders : FOLDERS);
  printRedact(result);
  for (const { text, growth } of notLinear(result)) {
    console.log(`not linear: four times ${text} takes ${growth.toFixed(1)} times as long (limit ${MOST_GROWTH})`);
    process.exitCode = 1;
  }
}
