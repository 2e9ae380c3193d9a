import type { SourceAdapter } from '../adapters/adapter.ts';
import type { Clock } from '../base/clock.ts';
import { UserError } from '../base/user-error.ts';
import { isFolder } from '../io/folders.ts';
import { buildTree } from '../model/build-tree.ts';
import { nativeId } from '../model/ids.ts';
import type { OpenedSession, Sessions } from '../model/ports.ts';
import type { SessionTree } from '../model/tree.ts';
import { claim, type FoundSession, findSessions, type Place } from './find-sessions.ts';
import { noteOrigin, readSession } from './read-session.ts';

export interface SessionsOptions {
  readonly clock: Clock;
  /** The person named the places: one that is not there is a mistake, not an empty folder. */
  readonly named?: boolean;
}

/** Sessions on disk, read when asked for. */
export function createSessions(places: readonly Place[], { clock, named }: SessionsOptions): Sessions {
  const find = async () => {
    if (named) await assertFolders(places);
    return findSessions(places);
  };
  const read = async ({ adapter, located }: FoundSession): Promise<Omit<OpenedSession, 'ignoredFiles'>> => {
    const ledger = await readSession(adapter, located);
    return { ledger, tree: buildTree(ledger, { now: clock() }) };
  };

  /** The newest that turn out to be ours, up to `limit`. */
  const claimNewest = async (sessions: readonly FoundSession[], limit: number, ignored: Set<string>) => {
    const claimed: FoundSession[] = [];
    for (const session of sessions) {
      if (claimed.length >= limit) break;
      const ours = await claim(session, ignored);
      if (ours) claimed.push(ours);
    }
    return claimed;
  };

  return {
    async list({ limit }) {
      const found = await find();
      const ignored = new Set(found.ignoredFiles);
      const trees: SessionTree[] = [];
      for (const session of await claimNewest(found.sessions, limit, ignored)) trees.push((await read(session)).tree);
      trees.sort(byLastActivity);
      return { trees, total: found.sessions.length, ignoredFiles: ignored.size };
    },
    async open(prefix) {
      const found = await find();
      const ignored = new Set(found.ignoredFiles);
      const wanted = prefix === undefined ? found.sessions : matching(found.sessions, prefix);
      // File times are those of the copy where a folder was copied: among the newest few, the lines decide.
      const claimed = await claimNewest(wanted, prefix === undefined ? NEWEST_BY_LINES : 1, ignored);
      const opened: Omit<OpenedSession, 'ignoredFiles'>[] = [];
      for (const session of claimed) opened.push(await read(session));
      const newest = opened.sort((a, b) => byLastActivity(a.tree, b.tree))[0];
      if (!newest) throw noSessions(places);
      const { adapter, located } = claimed.find((session) => session.located.id === newest.tree.id) as FoundSession;
      await noteOrigin(adapter, located, newest.ledger);
      return { ledger: newest.ledger, tree: buildTree(newest.ledger, { now: clock() }), ignoredFiles: ignored.size };
    },
  };
}

async function assertFolders(places: readonly Place[]): Promise<void> {
  for (const { root } of places) {
    if (await isFolder(root)) continue;
    throw new UserError(
      'root-not-found',
      `There is no folder ${root}.`,
      'Give --root the data folder of a host, e.g. ~/.claude',
    );
  }
}

const NEWEST_BY_LINES = 3;

function matching(sessions: readonly FoundSession[], prefix: string): readonly FoundSession[] {
  const hits = sessions.filter(({ located }) => nativeId(located.id).startsWith(prefix));
  const exact = hits.filter(({ located }) => nativeId(located.id) === prefix);
  if (exact.length > 0) return exact;
  if (hits.length === 1) return hits;
  if (hits.length === 0) {
    throw new UserError('session-not-found', `No session begins with «${prefix}».`, 'List them with: troupe ls');
  }
  const ids = hits.slice(0, 5).map(({ located }) => nativeId(located.id));
  throw new UserError(
    'session-ambiguous',
    `${hits.length} sessions begin with «${prefix}»: ${ids.join(', ')}${hits.length > 5 ? ' …' : ''}`,
    'Give more characters of the id.',
  );
}

export function noSessions(places: readonly Place[]): UserError {
  const where = places.map(({ root }) => root).join(', ');
  return new UserError(
    'no-sessions',
    `No sessions found (looked in ${where || 'no folder'}).`,
    'Run one of the supported programs once, or point to its data folder with --root.',
  );
}

function byLastActivity(a: SessionTree, b: SessionTree): number {
  return (b.lastActivityAt ?? 0) - (a.lastActivityAt ?? 0) || (a.id < b.id ? -1 : 1);
}

export function placesOf(
  adapters: readonly SourceAdapter[],
  roots: (adapter: SourceAdapter) => readonly string[],
  forced = false,
): Place[] {
  return adapters.flatMap((adapter) => roots(adapter).map((root) => ({ adapter, root, forced })));
}
