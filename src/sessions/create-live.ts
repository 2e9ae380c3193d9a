import {
  computeChange,
  computeDetail,
  computeListing,
  computeTimeline,
  type LiveEvent,
  type LiveTrees,
  nativeId,
  type SessionDetail,
  type SessionId,
  type SessionLedger,
  type SessionTree,
  type TreeChange,
} from '../core/index.ts';
import { known } from '../lib/json.ts';
import type { Live, Subscription } from './live-feed.ts';

/** Hundreds of files may come at once: the list of sessions is told so late, once for all of them. */
const LISTING_MS = 200;

/** Trees as they change, turned into reports once for all who look. */
export function createLive(trees: LiveTrees, onError: (error: unknown) => void = () => {}): Live {
  const details = new Map<SessionId, SessionDetail>();
  const listeners = new Set<(event: LiveEvent) => void>();
  const tell = (event: LiveEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        onError(error);
      }
    }
  };
  let listed = '';
  const tellListing = (): void => {
    listingTimer = undefined;
    const data = computeListing(trees.listing());
    const text = JSON.stringify(data);
    if (text !== listed) tell({ type: 'listing', data });
    listed = text;
  };
  let listingTimer: NodeJS.Timeout | undefined;
  const take = (change: TreeChange): void => {
    if (change.kind === 'listing') {
      listingTimer ??= setTimeout(tellListing, LISTING_MS);
      return;
    }
    if (change.kind === 'gone') {
      const gone = details.get(change.session);
      if (details.delete(change.session) && gone) tell({ type: 'gone', data: { sessionId: gone.id, host: gone.host } });
      return;
    }
    const detail = computeDetail(change.tree, { internal: false });
    const sources = change.sources.map(({ source, agent, bytes }) => ({
      source,
      agentId: agent === undefined ? null : nativeId(agent),
      bytes,
    }));
    const data = computeChange(details.get(change.tree.id), detail, sources);
    details.set(change.tree.id, detail);
    if (data) tell({ type: 'change', data });
  };
  for (const tree of trees.current()) details.set(tree.id, computeDetail(tree, { internal: false }));
  const subscription = trees.subscribe(take);

  const snapshot = () => {
    const sessions = [...details.values()].sort(byActivity);
    const listing = trees.listing();
    return { sessions, ...computeListing(listing), places: listing.places, asks: [] };
  };
  /** The session that is named; else any that is followed, the last active first. */
  const treeWith = async (agent: string, session: string | undefined): Promise<SessionTree | undefined> => {
    if (session !== undefined) return trees.look(session);
    const having = trees.current().filter(({ agents }) => agents.some(({ id }) => nativeId(id) === agent));
    return having.toSorted((a, b) => (b.lastActivityAt ?? 0) - (a.lastActivityAt ?? 0))[0] ?? trees.look(agent);
  };

  return {
    snapshot,
    subscribe(listener): Subscription {
      listener({ type: 'snapshot', data: snapshot() });
      listeners.add(listener);
      return { close: () => void listeners.delete(listener) };
    },
    async session(id, options) {
      const tree = await trees.look(id);
      return tree && computeDetail(tree, options);
    },
    async timeline(id, since) {
      const tree = await trees.look(id);
      const ledger = tree && trees.ledgerOf(tree.id);
      const within = new Set(tree?.agents.flatMap(({ session }) => session ?? []));
      const joined = new Map([...within].flatMap((one) => withLedger(one, trees.ledgerOf(one))));
      return ledger && computeTimeline({ tree, ledger, joined }, known({ since }));
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
    close() {
      clearTimeout(listingTimer);
      subscription.close();
      listeners.clear();
      trees.close();
    },
  };
}

function withLedger(
  id: SessionId,
  ledger: SessionLedger | undefined,
): readonly (readonly [SessionId, SessionLedger])[] {
  return ledger ? [[id, ledger]] : [];
}

function byActivity(a: SessionDetail, b: SessionDetail): number {
  return (b.lastActivityAt ?? '') < (a.lastActivityAt ?? '') ? -1 : 1;
}
