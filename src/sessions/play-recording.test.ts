import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { computeTree, type SessionTree } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { systemClock } from '../lib/clock.ts';
import { type PlayedRecording, type PlayOptions, playRecording } from './play-recording.ts';
import { createSessions } from './sessions.ts';

const demo = fileURLToPath(new URL('../../demo/', import.meta.url));
const FAST = 200;

let played: PlayedRecording | undefined;
afterEach(() => played?.close());

async function play(options: Partial<PlayOptions> = {}, from = demo): Promise<PlayedRecording> {
  played = await playRecording(claudeCode, from, { speed: FAST, clock: systemClock, ...options });
  return played;
}

const sessionsIn = (root: string, clock = systemClock) =>
  createSessions([{ adapter: claudeCode, root, forced: false }], { clock });
const open = async (root: string): Promise<SessionTree> => (await sessionsIn(root).open()).tree;

describe('playing a recording', () => {
  it('ends as the recording, shifted in time', async () => {
    // As it happened, without waiting for it: by this clock all of it is over as soon as it has begun.
    const times = [systemClock() - 100_000];
    const { root, done } = await play({ speed: 1, clock: () => times.pop() ?? systemClock() });
    await done;
    const [tree, recorded] = [await open(root), await open(demo)];
    expect(timeless(tree)).toEqual(timeless(recorded));
    expect(tree.agents).toHaveLength(10);
    expect(lengthOf(tree)).toBe(lengthOf(recorded));
  });

  it('happens now, in as much time as the recording takes', async () => {
    const before = systemClock();
    const { root, done } = await play();
    await done;
    const tree = await open(root);
    expect(tree.startedAt).toBeGreaterThanOrEqual(before);
    expect(tree.lastActivityAt).toBeLessThanOrEqual(systemClock());
    expect(lengthOf(tree)).toBeCloseTo(lengthOf(await open(demo)) / FAST, -1);
  });

  it('keeps the bytes of the recording except times', async () => {
    const { root, done } = await play();
    await done;
    const files = filesBelow(root);
    expect(files).toEqual(filesBelow(demo).filter((file) => file !== 'README.md'));
    const bare = (place: string): string =>
      readFileSync(place, 'utf8')
        .replace(/"timestamp":"[^"]{24}"/g, '"timestamp":')
        .replace(/"startTime":\d{13}/g, '"startTime":');
    for (const file of files) expect(bare(path.join(root, file))).toBe(bare(path.join(demo, file)));
  });

  it('keeps times within messages and files unchanged', async () => {
    const { root, done } = await play();
    await done;
    const said = (folder: string): readonly string[] =>
      filesBelow(folder).flatMap(
        (file) => readFileSync(path.join(folder, file), 'utf8').match(/2026-1[01]-\d\dT[\d:]+Z/g) ?? [],
      );
    expect(said(root)).toContain('2026-10-19T22:41:10Z');
    expect(said(root)).toEqual(said(demo));
  });

  it.runIf(process.platform === 'linux')('is running at half time, and no agent ends early', async () => {
    const seen: (readonly string[])[] = [];
    let now = systemClock();
    let root: string | undefined;
    /** Looks at the session before each step, however long that takes; then the time of the step has come. */
    const wait = async (ms: number): Promise<void> => {
      if (root === undefined || ms <= 0) return;
      for (const end = now + ms; now < end; now = Math.min(end, now + 100)) {
        const { agents } = (await sessionsIn(root, () => now).open()).tree;
        seen.push(agents.map(({ description = 'main', status }) => `${description}: ${status}`));
      }
    };
    const started = await play({ speed: 15, clock: () => now, wait });
    ({ root } = started);
    await started.done;
    const has = (moment: readonly string[], ...what: string[]): boolean => what.every((one) => moment.includes(one));
    expect(seen.flat().filter((one) => one.endsWith('unknown'))).toEqual([]);
    expect(seen.some((moment) => has(moment, 'Map the request path: running', 'Measure the load: running'))).toBe(true);
    // The builder waits for its own two, main for the builder, and the load is measured beside them.
    const nested = [
      'main: waiting',
      'Build the limiter: waiting',
      'Test the limiter: running',
      'Document the limits: running',
    ];
    expect(seen.some((moment) => has(moment, ...nested))).toBe(true);
    const ofLoad = seen.flatMap((moment) => moment.filter((one) => one.startsWith('Measure the load')));
    expect(new Set(ofLoad.map((one, index) => (one === ofLoad[index - 1] ? '' : one)))).toContain(
      'Measure the load: completed',
    );
    expect(ofLoad.lastIndexOf('Measure the load: running')).toBeGreaterThan(
      ofLoad.indexOf('Measure the load: completed'),
    );
  });

  it('begins again as another session, and keeps the one before', async () => {
    const ids = new Set<string>();
    let trees: readonly SessionTree[] = [];
    let now = systemClock();
    let root: string | undefined;
    let onFourth = (): void => {};
    const fourth = new Promise<void>((resolve) => {
      onFourth = resolve;
    });
    const wait = async (ms: number, signal: AbortSignal): Promise<void> => {
      now += Math.max(ms, 0);
      if (root === undefined || ms < 1_000) return;
      ({ trees } = await sessionsIn(root, () => now).list({ limit: 10 }));
      expect(trees.length).toBeLessThanOrEqual(3);
      for (const { id } of trees) ids.add(id);
      if (ids.size < 4) return;
      onFourth();
      await once(signal, 'abort');
    };
    const started = await play({ speed: 1, repeat: true, clock: () => now, wait });
    ({ root } = started);
    await Promise.race([fourth, started.done]);
    // The fourth has just begun, the third is whole.
    const third = trees.find(({ id }) => id === [...ids][2])!;
    const whole = await open(demo);
    expect(third.forkedFrom).toBeUndefined();
    expect(third.id).not.toBe(whole.id);
    expect(nameless(timeless(third))).toEqual(nameless(timeless(whole)));
  });

  it('is readable by its owner only, and leaves nothing behind', async () => {
    const { root, done, close } = await play();
    expect(statSync(root).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(root, 'projects')).mode & 0o077).toBe(0);
    await Promise.all([close(), close()]);
    await done;
    expect(existsSync(root)).toBe(false);
  });

  it('ends when it is stopped', async () => {
    const stop = new AbortController();
    const { root, done, close } = await play({ speed: 1, signal: stop.signal });
    stop.abort();
    await done;
    await close();
    expect(existsSync(root)).toBe(false);
  });

  it('shortens long pauses', async () => {
    // 2.1.325-orphan-resumed: the session was picked up again after a while.
    const from = fileURLToPath(new URL('../hosts/claude-code/fixtures/2.1.325-orphan-resumed/', import.meta.url));
    const steps = (await claudeCode.replay?.schedule(from)) ?? [];
    const lasted = steps.at(-1)!.at - steps[0]!.at;
    const { root, done } = await play({}, from);
    await done;
    expect(lengthOf(await open(root))).toBeLessThan(lasted / FAST);
  });
});

const lengthOf = ({ startedAt = 0, lastActivityAt = 0 }: SessionTree): number => lastActivityAt - startedAt;

function filesBelow(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** What a UI shows of it, without times and what is computed from them. */
function timeless(tree: SessionTree): unknown {
  return JSON.parse(JSON.stringify(computeTree({ tree, ignoredFiles: 0 }, { internal: true })), (key, value) =>
    /(?:At|Ms|timestamp)$/i.test(key) ? 'time' : value,
  );
}

/**
 * Also without the colours, which follow from the ids, and without what the end of a run is known by: at high speed two
 * moments may become one, and then another of several signs of an end counts as the last.
 */
function nameless(report: unknown): unknown {
  const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|a[0-9a-f]{16}|(?:toolu|msg|req)_01\w{22}/g;
  return JSON.parse(JSON.stringify(report).replace(ids, 'id'), (key, value) =>
    ['hue', 'signal', 'reason'].includes(key) ? key : value,
  );
}
