import {
  type AgentNode,
  buildTree,
  type JoinedTrees,
  joinTrees,
  namedBelow,
  reduce,
  type SessionId,
  type SessionLedger,
  type SessionTree,
  type SourceId,
} from '../core/index.ts';
import { AgentScan, type LocatedSession, type LocatedSource, type SourceAdapter } from '../hosts/index.ts';
import { atMost, type Clock } from '../lib/clock.ts';
import { claim, type FoundSession } from './find-sessions.ts';
import { FollowedSession, originOf } from './follow-session.ts';
import { type CachedSession, Neighbourhood, type SessionCache, sourcesBefore, stampOf } from './session-cache.ts';

/** Reads every source of a session into a new ledger. A source that cannot be read is a diagnostic; the others go on. */
export async function readSession(
  adapter: SourceAdapter,
  session: LocatedSession,
  scan?: AgentScan,
): Promise<SessionLedger> {
  const followed = new FollowedSession(adapter, session);
  await followed.refresh(session, undefined, scan);
  return followed.ledger;
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
  agent: Pick<AgentNode, 'id' | 'sources'>,
): Promise<readonly LocatedSource[]> {
  const own = sourcesById(session);
  const isOthers = (source: LocatedSource | undefined): boolean =>
    source === undefined || (source.agent !== undefined && source.agent !== agent.id);
  const away = agent.sources.some((id) => isOthers(own.get(id)));
  const borrowed = away && adapter.locateAgents ? await adapter.locateAgents(session, [agent.id]) : [];
  const known = away ? new Map([...own, ...borrowed.map((source) => [source.id, source] as const)]) : own;
  // Without a file of its own there may be copies of its lines in the main transcript.
  if (agent.sources.length === 0) return session.sources.filter((source) => !source.agent && !source.companion);
  return agent.sources.flatMap((id) => known.get(id) ?? []);
}

/** While one is taken apart, the system fetches the other. */
const SIDE_BY_SIDE = 2;

interface ReadOptions {
  /** A list needs trees only: the facts of many sessions are not held for it. Then nothing can be opened. */
  readonly withoutFacts?: boolean;
  readonly scan?: AgentScan | undefined;
  readonly cache?: SessionCache | undefined;
  /** A session is not in the cache, and is about to be read from its files. */
  readonly onMiss?: () => void;
}

interface ReadSession {
  readonly session: FoundSession;
  tree: SessionTree;
  /** Read again if the cache has lost them. */
  ledger(): Promise<SessionLedger>;
  readonly cached: CachedSession | undefined;
}

/** Sessions that were read, with those that belong into their trees. `all`: every session there is, for those that others name. */
export function createReadSessions(
  all: readonly FoundSession[],
  clock: Clock,
  { withoutFacts = false, scan = new AgentScan(), cache, onMiss }: ReadOptions = {},
) {
  const read = new Map<SessionId, ReadSession>();
  const around = new Neighbourhood(all);
  const strangers = new Set<SessionId>();
  const byId = new Map(all.map((found) => [found.located.id, found]));
  const joined = (): JoinedTrees => joinTrees([...read.values()].map(({ tree }) => tree));

  const readOne = async (session: FoundSession): Promise<SessionTree> => {
    const { id } = session.located;
    const known = read.get(id);
    if (known) return known.tree;
    const cached = cache?.find(session, around);
    const one = (cached && fromCache(session, cached)) ?? (await fromFiles(session));
    read.set(id, one);
    return one.tree;
  };
  const fromCache = (session: FoundSession, cached: CachedSession): ReadSession | undefined => {
    const facts = cached.tree ? undefined : cached.ledger();
    const tree = cached.tree ?? (facts && buildTree(facts, { now: clock() }));
    if (!tree) return undefined;
    const again = async () => facts ?? cached.ledger() ?? (await readSession(session.adapter, session.located, scan));
    return { session, tree, cached, ledger: keepResult(again) };
  };
  const fromFiles = async (session: FoundSession): Promise<ReadSession> => {
    const before = cache?.findBefore(session);
    if (cache && !before) onMiss?.();
    const stamp = cache && stampOf(session, clock());
    const states = cache && sourcesBefore(session, clock());
    const followed = new FollowedSession(session.adapter, session.located, before);
    await followed.refresh(session.located, undefined, scan);
    const { ledger } = followed;
    const tree = buildTree(ledger, { now: clock() });
    if (cache && states) {
      const own = new Set(session.located.sources.map((source) => source.path));
      const borrowed = followed.sources.map((source) => source.path).filter((file) => !own.has(file));
      const dependsOnOthers = borrowed.length > 0 || followed.isWaiting() || ledger.mayBeCopy === true;
      const marks = followed.marks();
      const old = new Map(before?.sources.map((source) => [source.path, source]));
      const sources = states.map((state) => {
        const mark = marks.get(state.path);
        return mark ? { ...state, mark } : (old.get(state.path) ?? state);
      });
      const { facts } = session.located;
      cache.keep(session, { ledger, tree, stamp, sources, facts, borrowed, dependsOnOthers }, around);
    }
    const again = () => readSession(session.adapter, session.located, scan);
    return { session, tree, cached: undefined, ledger: withoutFacts ? again : async () => ledger };
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
  /** Reads these unless they were read before, the sessions that their commands started, and those that started them. */
  const add = async (sessions: readonly FoundSession[], onRead = () => {}): Promise<void> => {
    const fewAtOnce = atMost(SIDE_BY_SIDE);
    await Promise.all(sessions.map((one) => fewAtOnce(() => readOne(one).finally(onRead))));
    for (const session of sessions) {
      const tree = await readOne(session);
      await readBelow(tree);
      await readAbove(tree, new Set());
      const lead = await session.adapter.findLead?.(session.located);
      if (lead !== undefined) await readNamed(lead);
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
  const findOrigin = async ({ session, cached }: ReadSession, ledger: SessionLedger) => {
    if (cached?.origin !== undefined) return cached.origin;
    const origin = await originOf(session.adapter, session.located, ledger, scan);
    if (origin === 'too early') return undefined;
    cache?.keepOrigin(session, origin ?? null, around);
    return origin;
  };
  /** The session with all that stands in its tree; with the one that it was forked from. */
  const open = async (id: SessionId) => {
    const one = read.get(id);
    if (!one || withoutFacts) return undefined;
    const ledger = await one.ledger();
    const origin = await findOrigin(one, ledger);
    if (origin) reduce(ledger, origin);
    one.tree = buildTree(ledger, { now: clock() });
    const tree = joined().of(id) ?? one.tree;
    const ledgers = new Map<SessionId, SessionLedger>();
    for (const { session } of tree.agents) {
      const other = session === undefined || ledgers.has(session) ? undefined : read.get(session);
      if (session && other) ledgers.set(session, await other.ledger());
    }
    return { tree, ledger, ...(ledgers.size > 0 && { joined: ledgers }) };
  };
  /** From what was kept alone, if nothing is to be added to it. */
  const openTree = async (id: SessionId): Promise<SessionTree | undefined> => {
    const one = read.get(id);
    if (!one?.cached?.tree || one.cached.origin !== null) return (await open(id))?.tree;
    return joined().of(id) ?? one.tree;
  };
  return {
    add,
    joined,
    /** By session, each for itself. */
    trees: (): ReadonlyMap<SessionId, SessionTree> => new Map([...read].map(([id, { tree }]) => [id, tree])),
    open,
    openTree,
  };
}

function keepResult<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
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
