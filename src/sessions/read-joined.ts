import {
  buildTree,
  type JoinedTrees,
  joinTrees,
  namedBelow,
  type OpenedSession,
  type SessionId,
  type SessionLedger,
  type SessionTree,
} from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { claim, type FoundSession } from './find-sessions.ts';
import { noteOrigin, readSession } from './read-session.ts';
import { isOfFiles } from './share-session.ts';

/** Sessions that were read, with those that belong into their trees. */
export interface ReadSessions {
  /** Reads these, where they are not read yet, the sessions that commands in them started, and those that started them. */
  add(sessions: readonly FoundSession[]): Promise<void>;
  joined(): JoinedTrees;
  /** The session with all that stands in its tree; with the one that it was forked from. */
  open(id: SessionId): Promise<Omit<OpenedSession, 'ignoredFiles' | 'problems'> | undefined>;
}

interface Read {
  readonly session: FoundSession;
  readonly ledger: SessionLedger | undefined;
  tree: SessionTree;
}

export interface ReadSessionsOptions {
  readonly clock: Clock;
  /** A list needs trees only: the facts of many sessions are not held for it. Then nothing can be opened. */
  readonly withoutFacts?: boolean;
}

/** While one is taken apart, the system fetches the other. */
const FILES_SIDE_BY_SIDE = 2;
/** A database has a thread of its own: so many questions ahead, and neither of the two waits for the other to wake up. */
export const TABLES_SIDE_BY_SIDE = 8;

/** `all`: every session there is, for those that others name. */
export function createReadSessions(
  all: readonly FoundSession[],
  { clock, withoutFacts }: ReadSessionsOptions,
): ReadSessions {
  const read = new Map<SessionId, Read>();
  const strangers = new Set<SessionId>();
  const byId = new Map(all.map((found) => [found.located.id, found]));
  const joined = (): JoinedTrees => joinTrees([...read.values()].map(({ tree }) => tree));

  const readOne = async (session: FoundSession): Promise<SessionTree> => {
    const { id } = session.located;
    const known = read.get(id);
    if (known) return known.tree;
    const ledger = await readSession(session.adapter, session.located);
    const tree = buildTree(ledger, { now: clock() });
    read.set(id, { session, ledger: withoutFacts ? undefined : ledger, tree });
    return tree;
  };
  /** One that another names. */
  const readNamed = async (id: SessionId): Promise<SessionTree | undefined> => {
    const found = byId.get(id);
    if (!found || read.has(id) || strangers.has(id)) return read.get(id)?.tree;
    const ours = await claim(found, new Set());
    if (!ours) strangers.add(id);
    return ours && readOne(ours);
  };
  const readBelow = async (tree: SessionTree): Promise<void> => {
    const open = [tree];
    for (let next = open.pop(); next; next = open.pop())
      for (const session of namedBelow(next)) {
        const isNew = !read.has(session);
        const below = await readNamed(session);
        if (below && isNew) open.push(below);
      }
  };
  const add = async (sessions: readonly FoundSession[]): Promise<void> => {
    const [ofFiles, ofTables] = [sessions.filter(isOfFiles), sessions.filter((one) => !isOfFiles(one))];
    const readSideBySide = async (queue: Iterable<FoundSession>, lanes: number): Promise<void> => {
      const readOn = async (): Promise<void> => {
        for (const session of queue) await readOne(session);
      };
      await Promise.all(Array.from({ length: lanes }, readOn));
    };
    await Promise.all([
      readSideBySide(ofFiles.values(), FILES_SIDE_BY_SIDE),
      readSideBySide(ofTables.values(), TABLES_SIDE_BY_SIDE),
    ]);
    for (const session of sessions) {
      const tree = await readOne(session);
      await readBelow(tree);
      await readAbove(tree, new Set());
    }
  };
  const readAbove = async (tree: SessionTree, seen: Set<SessionId>): Promise<void> => {
    seen.add(tree.id);
    for (const { session } of tree.begunBy ?? []) {
      const above = seen.has(session) ? undefined : await readNamed(session);
      if (!above) continue;
      await readBelow(above);
      await readAbove(above, seen);
    }
  };
  return {
    add,
    joined,
    async open(id) {
      const one = read.get(id);
      if (!one?.ledger) return undefined;
      await noteOrigin(one.session.adapter, one.session.located, one.ledger);
      one.tree = buildTree(one.ledger, { now: clock() });
      const tree = joined().of(id) ?? one.tree;
      const within = new Set(tree.agents.flatMap(({ session }) => session ?? []));
      const ledgers = [...within].flatMap((session) => {
        const ledger = read.get(session)?.ledger;
        return ledger ? [[session, ledger] as const] : [];
      });
      return { tree, ledger: one.ledger, ...(ledgers.length > 0 && { joined: new Map(ledgers) }) };
    },
  };
}
