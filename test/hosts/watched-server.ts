// The built server beside a program that writes, and an independent pair of eyes on the same files.

import { watch as fsWatch, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { LiveSnapshot, SessionDetail } from '../../src/core/index.ts';
import { followEvents, getJson, type Heard, startServer } from './server.ts';

export interface WatchedServer {
  /** What it told, as it came. */
  readonly heard: readonly Heard[];
  sessionIds(): Promise<readonly string[]>;
  /** The session that is not among these, once nobody in it is at work any more. */
  settled(before: ReadonlySet<string>): Promise<SessionDetail>;
  /** Every append that was seen has to be told within this time, 95 of 100; prints how long it took. */
  expectPrompt(who: string, promisedMs: number, leastChanges: number): void;
  stop(): void;
}

/** Where the host writes: a folder of its data folder that is there already, and the files in it. */
export interface Written {
  readonly below: string;
  readonly files: RegExp;
}

export async function watchServer(home: string, written: Written, state: string): Promise<WatchedServer> {
  const heard: Heard[] = [];
  const appends: Append[] = [];
  const server = await startServer(home, { ...process.env, TROUPE_HOME: state });
  await followEvents(server, heard);
  const watcher = noteAppends(home, written, appends);
  const sessionIds = async (): Promise<readonly string[]> =>
    (await getJson<LiveSnapshot>(server, '/api/sessions')).sessions.map(({ id }) => id);
  return {
    heard,
    sessionIds,
    async settled(before) {
      for (let tries = 0; tries < 100; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        const id = (await sessionIds()).find((one) => !before.has(one));
        const detail = id === undefined ? undefined : await getJson<SessionDetail>(server, `/api/sessions/${id}`);
        if (detail && detail.running === 0) return detail;
      }
      throw new Error('the session did not come to rest');
    },
    expectPrompt(who, promisedMs, leastChanges) {
      const late = latencies(appends, heard);
      const at = (share: number): number => late[Math.floor(late.length * share)] ?? Number.NaN;
      const shares = [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${at(share).toFixed(1)} ms`).join(', ');
      process.stdout.write(`${who}: ${late.length} changes, ${shares}, max ${late.at(-1)?.toFixed(1)} ms\n`);
      expect(late.length).toBeGreaterThan(leastChanges);
      expect(at(0.95)).toBeLessThan(promisedMs);
    },
    stop() {
      watcher.close();
      server.stop();
    },
  };
}

interface Append {
  readonly source: string;
  readonly size: number;
  readonly at: number;
}

/** Node's own recursive watch. */
function noteAppends(home: string, { below, files }: Written, appends: Append[]): { close(): void } {
  return fsWatch(path.join(home, below), { recursive: true }, (_event, name) => {
    const at = performance.now();
    const source = path.posix.join(below, name?.split(path.sep).join('/') ?? '');
    if (!files.test(source)) return;
    const size = statSync(path.join(home, source), { throwIfNoEntry: false })?.size ?? 0;
    const isNews = size > 0 && appends.findLast((one) => one.source === source)?.size !== size;
    if (isNews) appends.push({ source, size, at });
  });
}

/** Sorted. A change that was never heard of counts as endless. */
function latencies(appends: readonly Append[], heard: readonly Heard[]): readonly number[] {
  const late = appends.map(({ source, size, at }) => {
    const event = heard.find(({ change }) => change.sources.some((one) => one.source === source && one.bytes >= size));
    return event ? Math.max(0, event.at - at) : Number.POSITIVE_INFINITY;
  });
  return late.toSorted((a, b) => a - b);
}
