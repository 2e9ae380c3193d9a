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
  agent: AgentNode,
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

/** Sessions that were read, with those that belong into their trees. `all`: every session there is, for those that others name. */
export function createReadSessions(
  all: readonly FoundSession[],
  clock: Clock,
  /** A list needs trees only: the facts of many sessions are not held for it. Then nothing can be opened. */
  {
    withoutFacts = false,
    scan = new AgentScan(),
  }: { readonly withoutFacts?: boolean; readonly scan?: AgentScan | undefined } = {},
) {
  const read = new Map<SessionId, { session: FoundSession; ledger: SessionLedger | undefined; tree: SessionTree }>();
  const strangers = new Set<SessionId>();
  const byId = new Map(all.map((found) => [found.located.id, found]));
  const joined = (): JoinedTrees => joinTrees([...read.values()].map(({ tree }) => tree));

  const readOne = async (session: FoundSession): Promise<SessionTree> => {
    const { id } = session.located;
    const known = read.get(id);
    if (known) return known.tree;
    const ledger = await readSession(session.adapter, session.located, scan);
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
  /** Reads these unless they were read before, the sessions that their commands started, and those that started them. */
  const add = async (sessions: readonly FoundSession[]): Promise<void> => {
    const fewAtOnce = atMost(SIDE_BY_SIDE);
    await Promise.all(sessions.map((one) => fewAtOnce(() => readOne(one))));
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
  return {
    add,
    joined,
    /** By session, each for itself. */
    trees: (): ReadonlyMap<SessionId, SessionTree> => new Map([...read].map(([id, { tree }]) => [id, tree])),
    /** The session with all that stands in its tree; with the one that it was forked from. */
    async open(id: SessionId) {
      const one = read.get(id);
      if (!one?.ledger) return undefined;
      const origin = await originOf(one.session.adapter, one.session.located, one.ledger, scan);
      if (origin && origin !== 'too early') reduce(one.ledger, origin);
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
