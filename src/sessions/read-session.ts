import {
  type AgentNode,
  buildTree,
  type JoinedTrees,
  joinTrees,
  namedBelow,
  type SessionId,
  type SessionLedger,
  type SessionTree,
  type SourceId,
} from '../core/index.ts';
import { AgentScan, type LocatedSession, type LocatedSource, type SourceAdapter } from '../hosts/index.ts';
import { atMost, type Clock } from '../lib/clock.ts';
import { claim, type FoundSession } from './find-sessions.ts';
import { FollowedSession, mayBeCopy } from './follow-session.ts';
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

/** Sessions that were read, with those that belong into their trees. */
export class ReadSessions {
  readonly #clock: Clock;
  readonly #withoutFacts: boolean;
  readonly #scan: AgentScan;
  readonly #cache: SessionCache | undefined;
  readonly #onMiss: (() => void) | undefined;
  readonly #around: Neighbourhood;
  readonly #byId: ReadonlyMap<SessionId, FoundSession>;
  readonly #read = new Map<SessionId, ReadSession>();
  readonly #strangers = new Set<SessionId>();

  /** `all`: every session there is, for those that others name. */
  constructor(
    all: readonly FoundSession[],
    clock: Clock,
    { withoutFacts = false, scan = new AgentScan(), cache, onMiss }: ReadOptions = {},
  ) {
    [this.#clock, this.#withoutFacts, this.#scan] = [clock, withoutFacts, scan];
    [this.#cache, this.#onMiss] = [cache, onMiss];
    this.#around = new Neighbourhood(all);
    this.#byId = new Map(all.map((found) => [found.located.id, found]));
  }

  /** Reads these unless they were read before, the sessions that their commands started, and those that started them. */
  async add(sessions: readonly FoundSession[], onRead = () => {}): Promise<void> {
    const fewAtOnce = atMost(SIDE_BY_SIDE);
    await Promise.all(sessions.map((one) => fewAtOnce(() => this.#readOne(one).finally(onRead))));
    for (const session of sessions) {
      const tree = await this.#readOne(session);
      await this.#readBelow(tree);
      await this.#readAbove(tree, new Set());
      const lead = await session.adapter.findLead?.(session.located);
      if (lead !== undefined) await this.#readNamed(lead);
    }
  }

  joined(): JoinedTrees {
    return joinTrees([...this.#read.values()].map(({ tree }) => tree));
  }

  /** By session, each for itself. */
  trees(): ReadonlyMap<SessionId, SessionTree> {
    return new Map([...this.#read].map(([id, { tree }]) => [id, tree]));
  }

  /** The session with all that stands in its tree; with the one that it was forked from. */
  async open(id: SessionId) {
    const one = this.#read.get(id);
    if (!one || this.#withoutFacts) return undefined;
    const ledger = await one.ledger();
    one.tree = buildTree(ledger, { now: this.#clock() });
    const tree = this.joined().of(id) ?? one.tree;
    const ledgers = new Map<SessionId, SessionLedger>();
    for (const { session } of tree.agents) {
      const other = session === undefined || ledgers.has(session) ? undefined : this.#read.get(session);
      if (session && other) ledgers.set(session, await other.ledger());
    }
    return { tree, ledger, ...(ledgers.size > 0 && { joined: ledgers }) };
  }

  openTree(id: SessionId): SessionTree | undefined {
    return this.joined().of(id) ?? this.#read.get(id)?.tree;
  }

  async #readOne(session: FoundSession): Promise<SessionTree> {
    const { id } = session.located;
    const known = this.#read.get(id);
    if (known) return known.tree;
    const cached = this.#cache?.find(session, this.#around);
    const one = (cached && this.#fromCache(session, cached)) ?? (await this.#fromFiles(session));
    this.#read.set(id, one);
    return one.tree;
  }

  #fromCache(session: FoundSession, cached: CachedSession): ReadSession | undefined {
    const facts = cached.tree ? undefined : cached.ledger();
    const tree = cached.tree ?? (facts && buildTree(facts, { now: this.#clock() }));
    if (!tree) return undefined;
    const again = async () =>
      facts ?? cached.ledger() ?? (await readSession(session.adapter, session.located, this.#scan));
    return { session, tree, cached, ledger: keepResult(again) };
  }

  async #fromFiles(session: FoundSession): Promise<ReadSession> {
    const before = this.#cache?.findBefore(session);
    if (this.#cache && !before) this.#onMiss?.();
    const stamp = this.#cache && stampOf(session, this.#clock());
    const states = this.#cache && sourcesBefore(session, this.#clock());
    const followed = new FollowedSession(session.adapter, session.located, before);
    await followed.refresh(session.located, undefined, this.#scan);
    const { ledger } = followed;
    const tree = buildTree(ledger, { now: this.#clock() });
    if (this.#cache && states) {
      const own = new Set(session.located.sources.map((source) => source.path));
      const borrowed = followed.sources.map((source) => source.path).filter((file) => !own.has(file));
      const dependsOnOthers = borrowed.length > 0 || followed.isWaiting() || mayBeCopy(ledger);
      const marks = followed.marks();
      const old = new Map(before?.sources.map((source) => [source.path, source]));
      const sources = states.map((state) => {
        const mark = marks.get(state.path);
        return mark ? { ...state, mark } : (old.get(state.path) ?? state);
      });
      const { facts } = session.located;
      this.#cache.keep(session, { ledger, tree, stamp, sources, facts, borrowed, dependsOnOthers }, this.#around);
    }
    const again = () => readSession(session.adapter, session.located, this.#scan);
    return { session, tree, cached: undefined, ledger: this.#withoutFacts ? again : async () => ledger };
  }

  /** One that another names. */
  async #readNamed(id: SessionId): Promise<SessionTree | undefined> {
    const found = this.#byId.get(id);
    if (!found || this.#read.has(id) || this.#strangers.has(id)) return this.#read.get(id)?.tree;
    const ours = await claim(found, new Set());
    if (!ours) this.#strangers.add(id);
    return ours && this.#readOne(ours);
  }

  async #readBelow(tree: SessionTree): Promise<void> {
    const open = [tree];
    for (let next = open.pop(); next; next = open.pop())
      for (const session of namedBelow(next)) {
        const isNew = !this.#read.has(session);
        const below = await this.#readNamed(session);
        if (below && isNew) open.push(below);
      }
  }

  async #readAbove(tree: SessionTree, seen: Set<SessionId>): Promise<void> {
    seen.add(tree.id);
    for (const { session } of tree.begunBy ?? []) {
      const above = seen.has(session) ? undefined : await this.#readNamed(session);
      if (!above) continue;
      await this.#readBelow(above);
      await this.#readAbove(above, seen);
    }
  }
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
