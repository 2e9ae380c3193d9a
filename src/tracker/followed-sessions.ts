import type { Clock } from '../base/clock.ts';
import { buildTree } from '../model/build-tree.ts';
import type { AgentId, SessionId } from '../model/ids.ts';
import type { SessionLedger } from '../model/ledger.ts';
import type { MessageRange, PartOfTranscript, SourceProgress, TreeChange } from '../model/ports.ts';
import { shareUnchanged } from '../model/share-unchanged.ts';
import { isAtWork, type SessionTree, type StalledAfter } from '../model/tree.ts';
import { claim, type FoundSession } from './find-sessions.ts';
import { type FollowedSession, followSession } from './follow-session.ts';
import { hasLiveProcess, hasLostProcess } from './liveness.ts';
import { createOpenBodies } from './open-bodies.ts';
import { noteOrigin } from './read-session.ts';
import { readTranscript } from './read-transcript.ts';
import type { SessionIndex } from './session-index.ts';

/** Sessions younger than this are followed; at most so many, the newest. Those with a running process always are. */
export interface LiveWindow {
  readonly ms: number;
  readonly sessions: number;
}

export interface FollowedOptions {
  readonly index: SessionIndex;
  readonly clock: Clock;
  readonly window: LiveWindow;
  readonly stalledAfter?: StalledAfter;
  readonly emit: (change: TreeChange) => void;
}

/** The sessions that are read and kept up to date. Its callers see to it that no two of them work at once. */
export interface FollowedSessions {
  /** Brings one up to date, in all its files or in those that are named; begins with it where it is young enough. */
  update(id: SessionId, files?: ReadonlySet<string>): Promise<void>;
  /** Reads one however old it is, and keeps it for a while. */
  look(id: SessionId): Promise<SessionTree | undefined>;
  /** Sessions that read this file, their own or another's. */
  readersOf(file: string): Iterable<SessionId>;
  ids(): readonly SessionId[];
  has(id: SessionId): boolean;
  trees(): readonly SessionTree[];
  ledgerOf(id: SessionId): SessionLedger | undefined;
  transcript(id: SessionId, agent: AgentId, range: MessageRange): Promise<PartOfTranscript | undefined>;
  /** Agents that sessions of this root wait for may have turned up. */
  lookForAgents(root: string): readonly SessionId[];
  /** Silence, too, changes a tree. */
  rebuildAtWork(): void;
  /** Roots of sessions of which a process is gone. */
  rootsWithLostProcess(): ReadonlySet<string>;
  isInWindow(found: FoundSession): boolean;
  /** Lets go of those that have become old and that nobody looks at. Whether there were any. */
  letGo(): boolean;
  readonly foreignFiles: number;
}

interface Followed {
  found: FoundSession;
  readonly session: FollowedSession;
  /** Files that were found to be ours. */
  readonly ours: Set<string>;
  tree?: SessionTree;
  lookedAt?: number;
  /** The generation of the ledger in which its origin was noted. */
  originOf?: number;
}

/** However old it is, a session that somebody looked at is kept so long. */
const KEPT_MS = 10 * 60_000;

export function createFollowedSessions(options: FollowedOptions): FollowedSessions {
  const { index, clock, window, stalledAfter, emit } = options;
  const followed = new Map<SessionId, Followed>();
  const readers = new Map<string, Set<SessionId>>();
  const bodies = createOpenBodies();
  const foreign = new Set<string>();

  const isInWindow = ({ located }: FoundSession): boolean =>
    clock() - located.modifiedAt < window.ms || hasLiveProcess(located);
  const build = (one: Followed, sources: readonly SourceProgress[]): void => {
    const tree = buildTree(one.session.ledger, { now: clock(), ...(stalledAfter && { stalledAfter }) });
    one.tree = shareUnchanged(one.tree, tree);
    emit({ kind: 'tree', tree: one.tree, sources });
  };
  const forget = (id: SessionId): void => {
    if (!followed.delete(id)) return;
    for (const [file, ids] of readers) if (ids.delete(id) && ids.size === 0) readers.delete(file);
    emit({ kind: 'gone', session: id });
  };
  /** Reads the neighbours of a session, so only where somebody looks at it. */
  const renewOrigin = async (one: Followed): Promise<void> => {
    if (one.lookedAt === undefined || one.originOf === one.session.generation) return;
    one.originOf = one.session.generation;
    await noteOrigin(one.found.adapter, one.found.located, one.session.ledger);
  };
  const follow = async (id: SessionId, isWanted: boolean, files?: ReadonlySet<string>): Promise<void> => {
    const found = index.get(id);
    const known = followed.get(id);
    if (found && !known && !isWanted && !isInWindow(found)) return;
    const ours = known?.ours ?? new Set();
    const claimed = found && (await claim(found, foreign, ours));
    if (!claimed) return forget(id);
    const one = known ?? { found: claimed, session: followSession(claimed.adapter, claimed.located), ours };
    one.found = claimed;
    followed.set(id, one);
    const before = stateOf(one.session);
    const { generation } = one.session;
    const progress = [...(await one.session.refresh(claimed.located, files))];
    if (generation !== one.session.generation) {
      // Files were written anew: whose they are is to be asked anew as well.
      ours.clear();
      const again = await claim(found, foreign, ours);
      if (!again) return forget(id);
      one.found = again;
      progress.push(...(await one.session.refresh(again.located)));
    }
    for (const { path } of one.session.sources) readers.set(path, (readers.get(path) ?? new Set()).add(id));
    await renewOrigin(one);
    if (progress.length > 0 || !one.tree || before !== stateOf(one.session)) build(one, progress);
  };

  return {
    update: (id, files) => follow(id, false, files),
    async look(id) {
      if (!followed.has(id)) await follow(id, true);
      const one = followed.get(id);
      if (!one) return undefined;
      one.lookedAt = clock();
      await renewOrigin(one);
      build(one, []);
      return one.tree;
    },
    readersOf: (file) => readers.get(file) ?? [],
    ids: () => [...followed.keys()],
    has: (id) => followed.has(id),
    trees: () => [...followed.values()].flatMap(({ tree }) => tree ?? []),
    ledgerOf: (id) => followed.get(id)?.session.ledger,
    async transcript(id, agent, range) {
      const one = followed.get(id);
      const node = one?.tree?.agents.find((candidate) => candidate.id === agent);
      if (!one?.tree || !node) return undefined;
      one.lookedAt = clock();
      return readTranscript(one.found, one.tree, node, range, bodies.of(one.found.adapter));
    },
    lookForAgents(root) {
      const here = [...followed].filter(([, { found }]) => found.located.root === root);
      for (const [, { session }] of here) session.lookForAgents();
      return here.map(([id]) => id);
    },
    rebuildAtWork() {
      for (const one of followed.values()) if (one.tree?.agents.some(({ status }) => isAtWork(status))) build(one, []);
    },
    rootsWithLostProcess() {
      const lost = [...followed.values()].filter(({ session }) => hasLostProcess(session.ledger));
      return new Set(lost.map(({ found }) => found.located.root));
    },
    isInWindow,
    letGo() {
      const byAge = [...followed.values()].sort((a, b) => b.found.located.modifiedAt - a.found.located.modifiedAt);
      const old = byAge.filter(({ found, lookedAt }, rank) => {
        if (hasLiveProcess(found.located) || (lookedAt !== undefined && clock() - lookedAt < KEPT_MS)) return false;
        return rank >= window.sessions || !isInWindow(found);
      });
      for (const { found } of old) forget(found.located.id);
      return old.length > 0;
    },
    get foreignFiles() {
      return foreign.size;
    },
  };
}

/** What may change without a line being read. */
function stateOf({ generation, ledger }: FollowedSession): string {
  return JSON.stringify([generation, ...ledger.processes.values()]);
}
