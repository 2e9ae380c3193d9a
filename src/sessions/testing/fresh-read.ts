import { expect } from 'vitest';
import { buildTree, type LiveTrees, type SessionTree } from '../../core/index.ts';
import { dumpTree } from '../../hosts/testing/dump.ts';
import { MUCH_LATER } from '../../hosts/testing/feed.ts';
import { claim, findSessions } from '../find-sessions.ts';
import type { DataFolder } from '../places.ts';
import { readSession } from '../read-session.ts';

/** Waits until what is followed is what a fresh read finds. Nothing may be written meanwhile. */
export async function settles(live: LiveTrees, places: readonly DataFolder[], now = MUCH_LATER): Promise<void> {
  const fresh = await freshDumps(places, now);
  await expect.poll(() => dumps(live.current()), { timeout: 60_000, interval: 25 }).toEqual(fresh);
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
  trees
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((tree) => {
      const { forkedFrom, continuedFrom, agents } = tree;
      const inherited = agents.map(({ inheritedUsage }) => inheritedUsage?.output);
      return `${JSON.stringify({ forkedFrom, continuedFrom, inherited })}\n${dumpTree(tree)}`;
    });
