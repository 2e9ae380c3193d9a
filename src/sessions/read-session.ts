import {
  type AgentNode,
  buildTree,
  type JoinedTrees,
  joinTrees,
  type MessageRecord,
  mainAgentOf,
  namedBelow,
  type OpenedSession,
  reduce,
  type SessionForked,
  type SessionId,
  type SessionLedger,
  type SessionTree,
  type SourceId,
} from '../core/index.ts';
import type { LocatedSession, LocatedSource, SourceAdapter } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { claim, type FoundSession, isOfFiles } from './find-sessions.ts';
import { FollowedSession } from './follow-session.ts';

/** Reads every source of a session into a new ledger. A source that cannot be read is a diagnostic; the others go on. */
export async function readSession(adapter: SourceAdapter, session: LocatedSession): Promise<SessionLedger> {
  const followed = new FollowedSession(adapter, session);
  await followed.refresh(session);
  return followed.ledger;
}

/** Looks for the older session that this one began as a copy of. Reads its neighbours, so only where one was opened. */
export async function noteOrigin(
  adapter: SourceAdapter,
  session: LocatedSession,
  ledger: SessionLedger,
): Promise<void> {
  const fact = await originOf(adapter, session, ledger);
  if (fact && fact !== 'too early') reduce(ledger, fact);
}

/** The fact that it is a copy; `too early` as long as nothing was said in it. */
export async function originOf(
  adapter: SourceAdapter,
  session: LocatedSession,
  ledger: SessionLedger,
): Promise<SessionForked | 'too early' | undefined> {
  const main = mainAgentOf(session.id);
  let first: MessageRecord | undefined;
  for (const message of ledger.messages.values()) {
    if (message.role !== 'user' || !message.agents.has(main)) continue;
    if (!first || message.origin.offset < first.origin.offset) first = message;
  }
  if (!first) return 'too early';
  const found = await adapter.findOrigin?.(session, first.id);
  if (!found) return undefined;
  const replies = [...found.replies].filter((id) => ledger.messages.has(id));
  return { kind: 'session-forked', session: session.id, origin: first.origin, from: found.id, replies };
}

/** Of a session with hundreds of files, each of which is asked for. */
const sourcesOfSession = new WeakMap<LocatedSession, ReadonlyMap<SourceId, LocatedSource>>();

function sourcesById(session: LocatedSession): ReadonlyMap<SourceId, LocatedSource> {
  const known = sourcesOfSession.get(session) ?? new Map(session.sources.map((source) => [source.id, source]));
  sourcesOfSession.set(session, known);
  return known;
}

/** Where an agent's own conversation stands, in the order in which it was written; some may lie outside the session. */
export async function sourcesOf(
  adapter: SourceAdapter,
  session: LocatedSession,
  agent: AgentNode,
): Promise<readonly LocatedSource[]> {
  const own = sourcesById(session);
  const away = agent.sources.some((id) => !own.has(id));
  const borrowed = away && adapter.locateAgents ? await adapter.locateAgents(session, [agent.id]) : [];
  const known = away ? new Map([...own, ...borrowed.map((source) => [source.id, source] as const)]) : own;
  // Without a file of its own there may be copies of its lines in the main transcript.
  if (agent.sources.length === 0) return session.sources.filter((source) => !source.agent && !source.companion);
  return agent.sources.flatMap((id) => known.get(id) ?? []);
}

/** Sessions that were read, with those that belong into their trees. */
interface ReadSessions {
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

interface ReadSessionsOptions {
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
      const ledgers = ledgersWithin(tree, (session) => read.get(session)?.ledger);
      return { tree, ledger: one.ledger, ...(ledgers.size > 0 && { joined: ledgers }) };
    },
  };
}

/** The ledgers of the other sessions in a tree. */
export function ledgersWithin(
  { agents }: SessionTree,
  ledgerOf: (session: SessionId) => SessionLedger | undefined,
): ReadonlyMap<SessionId, SessionLedger> {
  const ledgers = new Map<SessionId, SessionLedger>();
  for (const { session } of agents) {
    const ledger = session && ledgerOf(session);
    if (ledger) ledgers.set(session, ledger);
  }
  return ledgers;
}

/** The session at the top of the tree that this one is in. */
export function topOf(id: SessionId, { within }: JoinedTrees): SessionId {
  let top = id;
  for (let above = within.get(top); above !== undefined; above = within.get(top)) top = above;
  return top;
}
