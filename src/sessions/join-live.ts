import {
  type JoinedTrees,
  joinTrees,
  type LiveTrees,
  namedBelow,
  nativeId,
  type SessionId,
  type SessionTree,
  type SourceProgress,
  shareUnchanged,
  type TreeChange,
} from '../core/index.ts';
import { groupBy } from '../lib/group.ts';
import { withDoors } from './to-transcript.ts';

/**
 * Sessions as they change, those that a command of an agent started in the tree of that agent: whoever listens hears of them
 * there, and of no session twice. One that turns out to be another's goes from the list, and comes back when the other goes.
 */
export function joinLive(live: LiveTrees, onError: (error: unknown) => void = () => {}): LiveTrees {
  const own = new Map<SessionId, SessionTree>(live.current().map((tree) => [tree.id, tree]));
  const listeners = new Set<(change: TreeChange) => void>();
  const asked = new Set<SessionId>();
  let joined = joinTrees([...own.values()]);
  let shown = new Map<SessionId, SessionTree>(joined.trees.map((tree) => [tree.id, tree]));

  const emit = (change: TreeChange): void => {
    for (const listener of listeners) listener(change);
  };
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
    shown = new Map(joined.trees.map((tree) => [tree.id, share(tree)]));
    for (const id of before.keys()) if (!shown.has(id)) emit({ kind: 'gone', session: id });
    const top = topOf(changed, joined);
    // Others change only by what comes to them or leaves them.
    for (const [id, tree] of shown)
      if (id === top || !isSame(before.get(id), tree)) emit({ kind: 'tree', tree, sources: id === top ? sources : [] });
  };
  /** Nearly always no session belongs to another: then nothing has to be looked at. */
  const isAlone = (tree: SessionTree | undefined): boolean =>
    joined.within.size === 0 && !tree?.printed && !tree?.begunBy && ![...own.values()].some(hasClaims);
  const drop = (id: SessionId): void => {
    const isPlain = isAlone(own.get(id));
    own.delete(id);
    // Where its files are there and only nobody looked, it is read again.
    asked.delete(id);
    for (const tree of own.values()) askFor(tree);
    if (!isPlain) show(id, []);
    else if (shown.delete(id)) emit({ kind: 'gone', session: id });
  };
  const put = (tree: SessionTree, sources: readonly SourceProgress[]): void => {
    own.set(tree.id, tree);
    askFor(tree);
    if (!isAlone(tree)) show(tree.id, sources);
    else {
      shown.set(tree.id, tree);
      emit({ kind: 'tree', tree, sources });
    }
  };
  const take = (change: TreeChange): void => {
    if (change.kind === 'listing') emit(change);
    else if (change.kind === 'gone') drop(change.session);
    else put(change.tree, change.sources);
  };
  for (const tree of own.values()) askFor(tree);
  const subscription = live.subscribe(take);
  const treeOf = (id: SessionId): SessionTree | undefined =>
    shown.get(id) ?? (joined.within.has(id) ? joined.of(id) : own.get(id));

  return {
    ...live,
    current: () => [...shown.values()],
    listing: () => live.listing(),
    subscribe(listener) {
      listeners.add(listener);
      return { close: () => void listeners.delete(listener) };
    },
    async look(session) {
      const tree = await live.look(session);
      return tree && (treeOf(tree.id) ?? tree);
    },
    async transcript(session, agent, range) {
      const tree = treeOf(session);
      const node = tree?.agents.find(({ id }) => id === agent);
      const part = await live.transcript(node?.session ?? session, agent, range);
      return part && tree && node ? { ...part, transcript: withDoors(part.transcript, tree, node) } : part;
    },
    close() {
      subscription.close();
      listeners.clear();
      live.close();
    },
  };
}

function hasClaims({ printed, begunBy }: SessionTree): boolean {
  return printed !== undefined || begunBy !== undefined;
}

function topOf(id: SessionId, { within }: JoinedTrees): SessionId {
  let top = id;
  for (let above = within.get(top); above !== undefined; above = within.get(top)) top = above;
  return top;
}

/** Which sessions stand in it, and where. */
function isSame(before: SessionTree | undefined, after: SessionTree): boolean {
  if (before === undefined || before === after) return before === after;
  const sessionsIn = ({ agents }: SessionTree): string =>
    [...groupBy(agents, ({ session }) => session).keys()].map((session) => session ?? '').join(' ');
  return sessionsIn(before) === sessionsIn(after);
}
