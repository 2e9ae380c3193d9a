import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { buildTree, type LiveTrees, type SessionTree } from '../../core/index.ts';
import { type DatabaseWriter, startWriter } from '../../lib/testing/databases.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { readSession, startTracker } from '../../sessions/index.ts';
import { opencode } from './index.ts';
import { historyOf } from './testing/history.ts';

const recording = fileURLToPath(new URL('fixtures/1.18.33-nested/opencode.db', import.meta.url));
/** A moment after the recording: its sessions count as alive. */
const clock = (): number => 1_794_730_270_000;
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Scene {
  readonly root: string;
  readonly file: string;
  readonly writer: DatabaseWriter;
  readonly tracker: LiveTrees;
  readonly steps: readonly string[];
}

/** A tracker beside a process that is about to write the recording. Nothing is swept: every change has to be heard of. */
async function begin(withEvents: boolean, at = clock): Promise<Scene> {
  const root = makeTemporaryFolder('opencode');
  const file = path.join(root, 'opencode.db');
  const { schema, steps } = await historyOf(recording, { withEvents });
  const writer = await startWriter(file);
  open.push(writer);
  await writer.run(...schema);
  const tracker = startTracker([{ adapter: opencode, root, forced: false }], { clock: at, sweepEveryMs: 3_600_000 });
  open.push(tracker);
  await expect.poll(() => tracker.listing().isComplete, { timeout: 30_000 }).toBe(true);
  return { root, file, writer, tracker, steps };
}

async function freshTree(root: string): Promise<SessionTree | undefined> {
  const [session] = (await opencode.locate(root)).sessions;
  return session && buildTree(await readSession(opencode, session), { now: clock() });
}

describe.each([
  ['with its log of events', true],
  ['without, as older versions write', false],
])('a database that is being written, %s', (_name, withEvents) => {
  it('is followed step by step: the tree is always that of a fresh read', async () => {
    const { root, writer, tracker, steps } = await begin(withEvents);
    for (const [index, step] of steps.entries()) {
      await writer.run(step);
      if (index % 6 !== 5 && index < steps.length - 1) continue;
      const fresh = await freshTree(root);
      await expect.poll(() => tracker.current()[0], { timeout: 30_000, interval: 10 }).toEqual(fresh);
    }
    const agents = tracker.current()[0]?.agents ?? [];
    expect(agents.map(({ depth }) => depth)).toEqual([0, 1, 2, 2]);
    expect(agents.slice(1).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  });
  it('never keeps the program waiting, and is never changed', async () => {
    const { file, writer, tracker, steps } = await begin(withEvents);
    for (const step of steps) {
      await writer.run(step);
      // It would say that the database is locked: it does not wait.
      await writer.run('begin exclusive; create temp table if not exists x (a); commit');
    }
    await expect.poll(() => tracker.current()[0]?.agents.length, { timeout: 30_000 }).toBe(4);
    await writer.run('pragma wal_checkpoint(truncate)');
    const before = createHash('sha256').update(readFileSync(file)).digest('hex');
    await tracker.look(tracker.current()[0]?.id ?? '');
    await writer.run('pragma wal_checkpoint(truncate)');
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(before);
  });
  it('loses what the person took back', async () => {
    const { root, writer, tracker, steps } = await begin(withEvents);
    for (const step of steps) await writer.run(step);
    const whole = await freshTree(root);
    await expect.poll(() => tracker.current()[0], { timeout: 30_000 }).toEqual(whole);
    const before = tracker.current()[0]?.agents[0]?.messageCount ?? 0;
    const last =
      '(select id from message where session_id in (select id from session where parent_id is null) order by time_created desc limit 1)';
    await writer.run(
      `begin; delete from part where message_id = ${last}; delete from message where id = ${last}; commit`,
    );
    await expect.poll(() => tracker.current()[0]?.agents[0]?.messageCount, { timeout: 30_000 }).toBe(before - 1);
    expect(tracker.current()[0]).toEqual(await freshTree(root));
  });
});

it('of OpenCode 2 loses what the person took back, though the next prompt follows at once', async () => {
  const root = makeTemporaryFolder('opencode');
  const file = path.join(root, 'opencode.db');
  copyFileSync(fileURLToPath(new URL('fixtures/2.0.15-single/opencode.db', import.meta.url)), file);
  const writer = await startWriter(file);
  open.push(writer);
  await writer.run('pragma journal_mode = wal', "update project set name = 'app'");
  const at = 1_794_812_810_000;
  const tracker = startTracker([{ adapter: opencode, root, forced: false }], {
    clock: () => at,
    sweepEveryMs: 3_600_000,
  });
  open.push(tracker);
  await expect.poll(() => tracker.current()[0]?.agents[0]?.messageCount, { timeout: 30_000 }).toBe(3);
  const rows = [23, 24, 25].map((seq) => {
    const data = JSON.stringify({ time: { created: at + seq }, text: `Again ${seq}` });
    return `('msg_1f${seq}', 'ses_e1cd1fc73ffeo0kGiEM6fm3pju', 'user', ${seq}, ${at + seq}, ${at + seq}, '${data}')`;
  });
  // As many rows as before, and one more.
  await writer.run(
    `begin; delete from session_message where session_id = 'ses_e1cd1fc73ffeo0kGiEM6fm3pju' and seq >= 16;
    insert into session_message (id, session_id, type, seq, time_created, time_updated, data) values ${rows.join()};
    update event_sequence set seq = 25 where aggregate_id = 'ses_e1cd1fc73ffeo0kGiEM6fm3pju'; commit`,
  );
  await expect.poll(() => tracker.current()[0]?.agents[0]?.messageCount, { timeout: 30_000 }).toBe(5);
  const [session] = (await opencode.locate(root)).sessions;
  expect(tracker.current()[0]).toEqual(session && buildTree(await readSession(opencode, session), { now: at }));
});

it('a second session in the same database is a session of its own', async () => {
  const { writer, tracker, steps } = await begin(true);
  for (const step of steps) await writer.run(step);
  for (const step of steps)
    await writer.run(
      step
        .replaceAll('ses_e21b', 'ses_f21b')
        .replaceAll('msg_1de4', 'msg_2de4')
        .replaceAll('prt_1de4', 'prt_2de4')
        .replaceAll('evt_1de4', 'evt_3de4'),
    );
  await expect.poll(() => tracker.current().map(({ agents }) => agents.length), { timeout: 30_000 }).toEqual([4, 4]);
});

it('reports no change when it has only looked at the database', async () => {
  const { root, writer, tracker, steps } = await begin(true);
  for (const step of steps) await writer.run(step);
  const fresh = await freshTree(root);
  await expect.poll(() => tracker.current()[0], { timeout: 30_000 }).toEqual(fresh);
  const titles: (string | undefined)[] = [];
  tracker.subscribe((change) => titles.push(change.kind === 'tree' ? change.tree.title : change.kind));
  await writer.run("update session set title = 'Renamed' where parent_id is null");
  await expect.poll(() => titles, { timeout: 30_000 }).toContain('Renamed');
  await writer.run("update session set title = 'Renamed again' where parent_id is null");
  await expect.poll(() => titles, { timeout: 30_000 }).toContain('Renamed again');
  expect(titles).toEqual(['Renamed', 'Renamed again']);
});

const RECORDED = /\b179473\d{7}\b/g;

it.runIf(process.platform === 'linux')('is over when its program ends, whichever opens the database next', async () => {
  const { root, file, writer, tracker, steps } = await begin(true, Date.now);
  // As if it came about now: programs of long ago are not looked for.
  const times = steps.flatMap((step) => [...step.matchAll(RECORDED)].map(([time]) => Number(time)));
  const late = Date.now() - Math.max(...times);
  const now = steps.map((step) => step.replaceAll(RECORDED, (time) => String(Number(time) + late)));
  const states = () => tracker.current()[0]?.agents.map(({ status }) => status);
  await writer.run(...now);
  await expect.poll(states, { timeout: 30_000 }).toEqual(['waiting', 'completed', 'completed', 'completed']);
  await writer.close();
  await expect.poll(states, { timeout: 30_000 }).toEqual(['completed', 'completed', 'completed', 'completed']);
  // Another program works on other sessions, until it writes into this one.
  const next = await startWriter(file);
  open.push(next);
  await next.run("update session set title = 'Other' where parent_id is not null");
  const { sessions } = await opencode.locate(root);
  expect(sessions.flatMap(({ facts }) => facts)).toMatchObject([{ kind: 'session-seen', keepsProcessRecords: true }]);
  expect(states()?.[0]).toBe('completed');
});
