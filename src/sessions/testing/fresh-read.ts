import { expect } from 'vitest';
import { buildTree, type LiveTrees, type SessionTree } from '../../core/index.ts';
import { dumpTree } from '../../hosts/testing/dump.ts';
import { MUCH_LATER } from '../../hosts/testing/feed.ts';
import { claim, findSessions } from '../find-sessions.ts';
import type { DataFolder } from '../places.ts';
import { readSession } from '../read-session.ts';
import { pause } from './waiting.ts';

/** Until what is followed is what a fresh look finds; the last difference is what a failure shows. */
export async function settles(live: LiveTrees, places: readonly DataFolder[], now = MUCH_LATER): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const [seen, fresh] = [dumps(live.current()), await freshDumps(places, now)];
    if (JSON.stringify(seen) === JSON.stringify(fresh)) return;
    await pause(50);
  }
  expect(dumps(live.current())).toEqual(await freshDumps(places, now));
}

/** What somebody finds who looks for the first time. */
export async function freshDumps(places: readonly DataFolder[], now = MUCH_LATER): Promise<readonly string[]> {
  const trees: SessionTree[] = [];
  for (const session of (await findSessions(places)).sessions) {
    const ours = await claim(session, new Set());
    if (ours) trees.push(buildTree(await readSession(ours.adapter, ours.located), { now }));
  }
  return dumps(trees);
}

export const dumps = (trees: readonly SessionTree[]): readonly string[] =>
  trees.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(dumpTree);
