import {
  type AgentReport,
  computeChange,
  computeDetail,
  computeListing,
  computeSessionList,
  computeTimeline,
  type FeedSource,
  isSessionBusy,
  joinTrees,
  type LiveEvent,
  type LiveSnapshot,
  type LiveTrees,
  listEntryOfDetail,
  listEntryOfOlder,
  localDay,
  type MessageRange,
  namedBelow,
  nativeId,
  partOfList,
  type SessionDetail,
  type SessionId,
  type SessionListReport,
  type SessionListRequest,
  type SessionTree,
  type SourceProgress,
  shareUnchanged,
  type TimelineReport,
  type Transcript,
  type TreeChange,
} from '../core/index.ts';
import { known } from '../lib/json.ts';
import { Listeners } from '../lib/listeners.ts';
import { dataFoldersFor } from './places.ts';
import { ledgersWithin, topOf } from './read-session.ts';
import { withAgentLinks } from './read-transcript.ts';

/** Everything that is followed, as it changes. */
export interface LiveFeed {
  /** First a snapshot, at once or as soon as there is one; then every change in order. */
  subscribe(listener: (event: LiveEvent) => void): Subscription;
}

export interface Subscription {
  close(): void;
}

/** A feed that may have to find another source on the way. */
export interface SourcedFeed extends LiveFeed {
  source(): FeedSource;
  /** One listener: told whenever it is another one. */
  onSource(listener: (source: FeedSource) => void): void;
}

/** What is followed on this machine, for a UI that answers questions about it. */
export interface Live extends LiveFeed {
  /** As it stands. */
  snapshot(): LiveSnapshot;
  /** A part of the list of all sessions, followed or not. */
  list(request: SessionListRequest): SessionListReport;
  /** By its whole id. One of the older ones is read now, and followed from now on. */
  session(id: string, options: { readonly internal: boolean }): Promise<SessionDetail | undefined>;
  /** What happened in it when; with `since` (epoch milliseconds) only what was not over by then. */
  timeline(id: string, since?: number): Promise<TimelineReport | undefined>;
  /** By its whole id, in the session that is named or in any that is followed, the newest first. */
  agent(id: string, session?: string): Promise<AgentReport | undefined>;
  /** Messages `from` on, at most `limit` of them: only their bytes are read. */
  transcript(agent: string, range: MessageRange, session?: string): Promise<TranscriptPage | undefined>;
  close(): void;
}

/** A part of a transcript. */
export interface TranscriptPage extends Transcript {
  readonly from: number;
  /** How many messages there are in all. */
  readonly total: number;
}

/** Hundreds of files may come at once: the list of sessions is told so late, once for all of them. */
const LISTING_MS = 200;

/** Hooks wait while the list of thousands is computed: pages of one list share it for so long, or so many times as long as it took. */
const LIST_MS = 200;
const LIST_PAUSE = 20;

/** Trees as they change, turned into reports once for all who look. */
export function createLive(trees: LiveTrees, onError?: (error: unknown) => void): Live {
  const hosts = [...new Set(dataFoldersFor({ roots: [] }).map(({ adapter }) => adapter.host))];
  const toDetail = (tree: SessionTree): SessionDetail => computeDetail(tree, { internal: false });
  const details = new Map(trees.current().map((tree) => [tree.id, toDetail(tree)]));
  const listeners = new Listeners<LiveEvent>(onError);
  let listed = '';
  let lastList: { readonly key: string; readonly list: SessionListReport; readonly until: number } | undefined;
  let listingTimer: NodeJS.Timeout | undefined;
  const tellListing = (): void => {
    listingTimer = undefined;
    const data = computeListing(trees.listing());
    const text = JSON.stringify(data);
    if (text !== listed) listeners.tell({ type: 'listing', data });
    listed = text;
  };
  const subscription = trees.subscribe((change) => {
    if (change.kind !== 'tree') lastList = undefined;
    if (change.kind === 'listing') {
      listingTimer ??= setTimeout(tellListing, LISTING_MS);
    } else if (change.kind === 'gone') {
      const gone = details.get(change.session);
      details.delete(change.session);
      if (gone) listeners.tell({ type: 'gone', data: { sessionId: gone.id, host: gone.host } });
    } else {
      const { id } = change.tree;
      const detail = toDetail(change.tree);
      const before = details.get(id);
      // Rows move only then.
      if (!before || isSessionBusy(before) !== isSessionBusy(detail)) lastList = undefined;
      const data = computeChange(before, detail, change.sources.map(toProgress));
      details.set(id, detail);
      if (data) listeners.tell({ type: 'change', data });
    }
  });
  const snapshot = (): LiveSnapshot => {
    const sessions = [...details.values()].sort(byActivity);
    const listing = trees.listing();
    return { sessions, ...computeListing(listing), places: listing.places, asks: [] };
  };
  return {
    ...createAnswers(trees),
    snapshot,
    list({ from, limit, at, ...what }) {
      const key = JSON.stringify(what);
      if (lastList?.key !== key || performance.now() > lastList.until) {
        const begin = performance.now();
        const entries = [
          ...[...details.values()].map(listEntryOfDetail),
          ...trees.listing().older.map(listEntryOfOlder),
        ];
        const all = { ...what, from: 0, limit: entries.length };
        const list = computeSessionList(entries, all, { now: Date.now(), dayOf: localDay, hosts });
        const now = performance.now();
        lastList = { key, list, until: now + Math.max(LIST_MS, LIST_PAUSE * (now - begin)) };
      }
      return partOfList(lastList.list, { from, limit, ...known({ at }) });
    },
    subscribe(listener) {
      listener({ type: 'snapshot', data: snapshot() });
      return listeners.add(listener);
    },
    close() {
      clearTimeout(listingTimer);
      subscription.close();
      listeners.clear();
      trees.close();
    },
  };
}

function toProgress({ source, agent, bytes }: SourceProgress) {
  return { source, agentId: agent === undefined ? null : nativeId(agent), bytes };
}

function createAnswers(trees: LiveTrees): Pick<Live, 'session' | 'timeline' | 'agent' | 'transcript'> {
  /** The session that is named; else any that is followed, the last active first. */
  const treeWith = async (agent: string, session: string | undefined): Promise<SessionTree | undefined> => {
    if (session !== undefined) return trees.look(session);
    const having = trees.current().filter(({ agents }) => agents.some(({ id }) => nativeId(id) === agent));
    return having.toSorted((a, b) => (b.lastActivityAt ?? 0) - (a.lastActivityAt ?? 0))[0] ?? trees.look(agent);
  };
  return {
    async session(id, options) {
      const tree = await trees.look(id);
      return tree && computeDetail(tree, options);
    },
    async timeline(id, since) {
      const tree = await trees.look(id);
      const ledger = tree && trees.ledgerOf(tree.id);
      const joined = tree && ledgersWithin(tree, (one) => trees.ledgerOf(one));
      return ledger && computeTimeline({ tree, ledger, ...known({ joined }) }, known({ since }));
    },
    async agent(id, session) {
      const tree = await treeWith(id, session);
      const { main, subagents } = tree ? computeDetail(tree, { internal: true }) : { main: undefined, subagents: [] };
      return [main, ...subagents].find((agent) => agent?.id === id);
    },
    async transcript(id, range, session) {
      const tree = await treeWith(id, session);
      const agent = tree?.agents.find((one) => nativeId(one.id) === id);
      const part = tree && agent && (await trees.transcript(tree.id, agent.id, range));
      return part && { ...part.transcript, from: range.from, total: part.total };
    },
  };
}

function byActivity(a: SessionDetail, b: SessionDetail): number {
  return (b.lastActivityAt ?? '') < (a.lastActivityAt ?? '') ? -1 : 1;
}

/**
 * Sessions as they change, those that a command of an agent started in the tree of that agent: whoever listens hears of them
 * there, and of no session twice. One that turns out to be another's goes from the list, and comes back when the other goes.
 */
export function joinLive(live: LiveTrees, onError: (error: unknown) => void = () => {}): LiveTrees {
  const own = new Map(live.current().map((tree) => [tree.id, tree]));
  const listeners = new Listeners<TreeChange>(onError);
  const asked = new Set<SessionId>();
  /** Empty sessions that somebody asked for by their id. */
  const wanted = new Set<SessionId>();
  const isListed = ({ id, isEmpty }: SessionTree): boolean => !isEmpty || wanted.has(id);
  let joined = joinTrees([...own.values()]);
  let shown = new Map(joined.trees.filter(isListed).map((tree) => [tree.id, tree]));

  /** One that commands name may be older than what is followed. */
  const askFor = (tree: SessionTree): void => {
    for (const session of [...namedBelow(tree), ...(tree.begunBy ?? []).map((by) => by.session)]) {
      if (own.has(session) || asked.has(session)) continue;
      asked.add(session);
      live.look(nativeId(session)).catch(onError);
    }
  };
  const show = (changed: SessionId, sources: readonly SourceProgress[]): void => {
    joined = joinTrees([...own.values()]);
    const before = shown;
    const share = (tree: SessionTree): SessionTree =>
      tree === own.get(tree.id) ? tree : shareUnchanged(before.get(tree.id), tree);
    shown = new Map(joined.trees.filter(isListed).map((tree) => [tree.id, share(tree)]));
    for (const id of before.keys()) if (!shown.has(id)) listeners.tell({ kind: 'gone', session: id });
    const top = topOf(changed, joined);
    // Others change only by what comes to them or leaves them.
    for (const [id, tree] of shown)
      if (id === top || !isSame(before.get(id), tree))
        listeners.tell({ kind: 'tree', tree, sources: id === top ? sources : [] });
  };
  /** Nearly always no session belongs to another: then nothing has to be looked at. */
  const areAlone = (): boolean =>
    joined.within.size === 0 && [...own.values()].every(({ printed, begunBy }) => !printed && !begunBy);
  const drop = (id: SessionId): void => {
    const isPlain = areAlone();
    own.delete(id);
    // Where its files are there and only nobody looked, it is read again.
    asked.delete(id);
    wanted.delete(id);
    for (const tree of own.values()) askFor(tree);
    if (!isPlain) show(id, []);
    else if (shown.delete(id)) listeners.tell({ kind: 'gone', session: id });
  };
  for (const tree of own.values()) askFor(tree);
  const subscription = live.subscribe((change) => {
    if (change.kind === 'gone') return drop(change.session);
    if (change.kind === 'listing') return listeners.tell(change);
    const { tree, sources } = change;
    const before = own.get(tree.id);
    own.set(tree.id, tree);
    askFor(tree);
    if (before?.isEmpty !== tree.isEmpty) listeners.tell({ kind: 'listing' });
    if (!areAlone()) return show(tree.id, sources);
    if (isListed(tree)) {
      shown.set(tree.id, tree);
      listeners.tell(change);
    } else if (shown.delete(tree.id)) listeners.tell({ kind: 'gone', session: tree.id });
  });
  const treeOf = (id: SessionId): SessionTree | undefined =>
    shown.get(id) ?? (joined.within.has(id) ? joined.of(id) : own.get(id));

  return {
    ledgerOf: (session) => live.ledgerOf(session),
    current: () => [...shown.values()],
    listing() {
      const listing = live.listing();
      const hidden = [...own.values()].filter((tree) => !isListed(tree)).length;
      return { ...listing, emptySessions: listing.emptySessions + hidden };
    },
    subscribe: (listener) => listeners.add(listener),
    async look(session) {
      const tree = await live.look(session);
      if (tree && !isListed(tree)) {
        wanted.add(tree.id);
        show(tree.id, []);
      }
      return tree && (treeOf(tree.id) ?? tree);
    },
    readNow: async (...asked) => joinTrees(await live.readNow(...asked)).trees,
    async transcript(session, agent, range) {
      const tree = treeOf(session);
      const node = tree?.agents.find(({ id }) => id === agent);
      const part = await live.transcript(node?.session ?? session, agent, range);
      return part && tree && node ? { ...part, transcript: withAgentLinks(part.transcript, tree, node) } : part;
    },
    close() {
      subscription.close();
      listeners.clear();
      live.close();
    },
  };
}

/** Which sessions stand in it, and where. */
function isSame(before: SessionTree | undefined, after: SessionTree): boolean {
  if (before === undefined || before === after) return before === after;
  const sessionsIn = ({ agents }: SessionTree): string =>
    [...new Set(agents.map(({ session }) => session ?? ''))].join(' ');
  return sessionsIn(before) === sessionsIn(after);
}
