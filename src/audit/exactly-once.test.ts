// Must show: hooks at once, drains killed in between, every event once.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AuditEntry } from '../core/index.ts';
import { createRandom } from '../lib/testing/seed.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { drain } from './drain.ts';
import { verifyLog } from './guard-log.ts';
import { queueEvent } from './queue.ts';
import { readLog } from './read-log.ts';
import { bundleDrain, prepareWriters, runDrain } from './testing/processes.ts';
import { testOptions } from './testing/spool-host.ts';

/** `TROUPE_STRESS_ROUNDS=1000` for the whole of it. */
const ROUNDS = Number(process.env['TROUPE_STRESS_ROUNDS'] ?? 40);
const WRITERS = 10;

let scripts = '';
let script = '';
let folder = '';
const started = new Set<ChildProcess>();
beforeAll(async () => {
  scripts = makeTemporaryFolder('drain');
  script = await bundleDrain(scripts);
});
beforeEach(() => {
  folder = makeTemporaryFolder('audit');
  mkdirSync(path.join(folder, 'spool'));
});
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
});

async function entriesOf(): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of readLog(folder, { order: 'oldest' })) entries.push(entry);
  return entries;
}

function hookSeqs(): readonly string[] {
  const hooks = path.join(folder, 'hooks', 'test');
  return readdirSync(hooks).flatMap((name) =>
    readFileSync(path.join(hooks, name), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).payload.seq),
  );
}

async function expectOnce(calls: readonly string[], all: readonly string[]): Promise<void> {
  expect(readdirSync(path.join(folder, 'spool'))).toEqual([]);
  const entries = await entriesOf();
  expect(entries.map(({ call }) => call).sort()).toEqual([...calls].sort());
  expect(entries.map(({ n }) => n)).toEqual(entries.map((_, index) => index + 1));
  expect([...hookSeqs()].sort()).toEqual([...all].sort());
  const { problems, lastN } = await verifyLog(folder);
  expect([problems, lastN]).toEqual([[], calls.length]);
  expect(readdirSync(path.join(folder, 'audit')).filter((name) => !name.endsWith('.jsonl'))).toEqual(['head.json']);
  expect(JSON.parse(readFileSync(path.join(folder, 'audit', 'head.json'), 'utf8')).n).toBe(calls.length);
}

it('records each event once when killed before each step and in the middle of each write', async () => {
  const put = (seq: string, tool?: string): void =>
    queueEvent(folder, 'test', Buffer.from(JSON.stringify({ event: 'Pre', session: 's', seq, tool })), {});
  const calls: string[] = [];
  const all: string[] = [];
  for (let step = 1, isDone = false; !isDone; step++) {
    for (const seq of ['a', 'b', 'c'].map((name) => `${name}${step}`)) {
      put(seq, seq.startsWith('c') ? undefined : 'Bash');
      all.push(seq);
      if (!seq.startsWith('c')) calls.push(seq);
    }
    const first = await runDrain(script, [folder, String(step)]);
    isDone = first.said === 'done\n';
    expect(isDone || first.signal === 'SIGKILL').toBe(true);
    // Who takes over from a dead one may die as well.
    if (step % 3 === 0) await runDrain(script, [folder, String(step + 5)]);
    await drain(testOptions(folder));
    await expectOnce(calls, all);
    expect(step).toBeLessThan(400);
  }
});

it(`records each event once when ten hooks run at once, ${ROUNDS} times each, and drains are killed`, async () => {
  const start = prepareWriters(scripts, folder);
  const writers = Array.from({ length: WRITERS }, (_, writer) => start(writer, ROUNDS));
  for (const writer of writers) started.add(writer);
  let isWriting = true;
  const written = Promise.all(writers.map((writer) => once(writer, 'exit'))).then(() => {
    isWriting = false;
  });
  const random = createRandom();
  let kills = 0;
  const keepKilling = async (): Promise<void> => {
    for (let waiting = 1; isWriting || waiting > 0; waiting = readdirSync(path.join(folder, 'spool')).length) {
      const child = spawn(process.execPath, [script, folder, 'loop'], { stdio: ['ignore', 'pipe', 'inherit'] });
      started.add(child);
      const closed = once(child, 'close');
      await Promise.race([once(child.stdout, 'data'), closed]);
      // Where much waits, one needs longer to come as far as to its first batch.
      await sleep(random() * (200 + waiting / 5));
      expect(child.exitCode).toBe(null);
      child.kill('SIGKILL');
      await closed;
      started.delete(child);
      kills++;
    }
  };
  await Promise.all([written, keepKilling(), keepKilling()]);
  const { entries: atTheEnd } = await drain(testOptions(folder));
  // A drain that was killed before it had the lock leaves a draft of it, which the next one to take the lock removes.
  const last = { event: 'Pre', session: 's', seq: 'last', tool: 'Bash' };
  queueEvent(folder, 'test', Buffer.from(JSON.stringify(last)), {});
  await drain(testOptions(folder));

  const all = Array.from({ length: WRITERS }, (_, writer) =>
    Array.from({ length: ROUNDS }, (_, i) => ({ seq: `${writer}-${i + 1}`, isCall: (i + 1) % 3 !== 0 })),
  ).flat();
  all.push({ seq: 'last', isCall: true });
  await expectOnce(
    all.filter(({ isCall }) => isCall).map(({ seq }) => seq),
    all.map(({ seq }) => seq),
  );
  // All of it must have been the work of those that were killed, or this shows nothing.
  expect(atTheEnd).toBe(0);
  expect(existsSync(path.join(folder, 'spool', 'bad'))).toBe(false);
  if (process.env['TROUPE_STRESS_ROUNDS'])
    process.stdout.write(`${all.length} events, ${kills} drains killed, ${atTheEnd} entries left for the last one\n`);
}, 600_000);
