// Twenty busy sessions of ten agents, told to Telegram for five minutes: how far behind it is, and what it costs. In virtual time, under the
// documented limits of the Bot API (test/telegram-server/rules.ts).
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { root } from '../scripts/ensure-installed.mjs';
import { removeFolder } from './processes.mjs';

const OPTIONS = { sessions: 20, agents: 10, minutes: 5 };

export async function benchTelegram() {
  // Beside the packages, which it loads as they are installed.
  const folder = mkdtempSync(path.join(root, 'node_modules/.bench-telegram-'));
  const outfile = path.join(folder, 'load.mjs');
  try {
    await build({
      entryPoints: [path.join(root, 'bench/telegram-load.ts')],
      outfile: outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20.19',
      packages: 'external',
      logLevel: 'warning',
    });
    return ['chats', 'forum'].map((place) => measure(outfile, place));
  } finally {
    await removeFolder(folder);
  }
}

function measure(file, place) {
  const started = performance.now();
  const recording = path.join(root, 'src/hosts/claude-code/fixtures/2.1.325-single');
  const args = ['--expose-gc', file, recording, JSON.stringify({ ...OPTIONS, place })];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return {
    place,
    seconds: (performance.now() - started) / 1000,
    ...JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}'),
  };
}

export function printTelegram(reports) {
  console.log(`\nTelegram: ${OPTIONS.sessions} sessions of ${OPTIONS.agents} agents, ${OPTIONS.minutes} minutes`);
  console.table(
    Object.fromEntries(
      reports.map(({ place, sends, edits, refusals, behind, heap, seconds }) => [
        place === 'forum' ? 'one group with topics' : 'a chat each',
        {
          'messages sent': sends,
          'messages changed': edits,
          'refused by Telegram': refusals.length,
          'status behind, s': behind,
          'heap after 1 min, MB': Math.round(heap[0]),
          'heap at the end, MB': Math.round(heap[1]),
          'took, s': Number(seconds.toFixed(1)),
        },
      ]),
    ),
  );
}

if (process.argv[1] === new URL(import.meta.url).pathname) printTelegram(await benchTelegram());
