import path from 'node:path';
import {
  type AgentEvent,
  type AgentId,
  buildTree,
  isAtWork,
  type MessageRange,
  type PartOfTranscript,
  reduce,
  type SessionId,
  type SessionLedger,
  type SessionTree,
  type SourceProgress,
  type StalledAfter,
  shareUnchanged,
  type TreeChange,
} from '../core/index.ts';
import type { AgentScan, LocatedSession } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { isRunning } from '../lib/processes.ts';
import { claim, type FoundSession } from './find-sessions.ts';
import { type FollowedProgress, type FollowedSession, followSession } from './follow-session.ts';
import { originOf } from './read-session.ts';
import { createOpenBodies, readTranscript } from './read-transcript.ts';
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
  /** A file holds other bytes than before: it may be another session's now. */
  readonly onReplaced: (file: string) => void;
  /** A file is in the middle of something, and is to be looked at again. */
  readonly onUnfinished: (file: string) => void;
}

/** The sessions that are read and kept up to date. Its callers see to it that no two of them work at once. */
export interface FollowedSessions {
  /** Brings one up to date, in all its files or in those that are named; begins with it where it is young enough. */
  update(id: SessionId, files?: ReadonlySet<string>, scan?: AgentScan): Promise<void>;
  /** Reads one however old it is, and keeps it for a while. */
  look(id: SessionId): Promise<SessionTree | undefined>;
  /** Looks for the session that this one was forked from; to be called beside the queue, for it reads the neighbours. */
  findOrigin(id: SessionId): Promise<ForkOrigin | undefined>;
  noteOrigin(id: SessionId, origin: ForkOrigin): void;
  /** Sessions that read this file, their own or another's. */
  readersOf(file: string): Iterable<SessionId>;
  isRead(file: string): boolean;
  ids(): readonly SessionId[];
  has(id: SessionId): boolean;
  trees(): readonly SessionTree[];
  ledgerOf(id: SessionId): SessionLedger | undefined;
  transcript(id: SessionId, agent: AgentId, range: MessageRange): Promise<PartOfTranscript | undefined>;
  /** Agents that sessions of this root wait for may have turned up. Tells which sessions wait for any. */
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
  /** The generation of the ledger in which its origin was looked for. */
  originOf?: number;
  /** What is noted of it in `readers`. */
  files: ReadonlySet<string>;
  /** What may change without a line being read, when the tree was last built. */
  state?: string;
}

/** What `findOrigin` found, for the ledger it looked at. */
export interface ForkOrigin {
  readonly generation: number;
  readonly fact?: AgentEvent;
}

/** What changes faster than it can be read is read as far as it goes, and again at the next look. */
const TRIES = 3;
/** However old it is, a session that somebody looked at is kept so long. */
const KEPT_MS = 10 * 60_000;

export function createFollowedSessions(options: FollowedOptions): FollowedSessions {
  const { index, clock, window, stalledAfter, emit, onReplaced, onUnfinished } = options;
  const followed = new Map<SessionId, Followed>();
  const readers = new Map<string, Set<SessionId>>();
  const bodies = createOpenBodies();
  const foreign = new Set<string>();

  const isInWindow = ({ located }: FoundSession): boolean =>
    clock() - located.modifiedAt < window.ms || hasLiveProcess(located);
  /** Of thousands of sessions that come at once, it is not worth reading those that would be let go. */
  const isAmongNewest = ({ located }: FoundSession): boolean => {
    if (followed.size < window.sessions || hasLiveProcess(located)) return true;
    const newer = [...followed.values()].filter(({ found }) => found.located.modifiedAt > located.modifiedAt);
    return newer.length < window.sessions;
  };
  const build = (one: Followed, sources: readonly SourceProgress[]): void => {
    const tree = buildTree(one.session.ledger, { now: clock(), ...(stalledAfter && { stalledAfter }) });
    one.tree = shareUnchanged(one.tree, tree);
    emit({ kind: 'tree', tree: one.tree, sources });
  };
  const forget = (id: SessionId): void => {
    const one = followed.get(id);
    if (!one) return;
    followed.delete(id);
    for (const file of one.files) dropReader(file, id);
    emit({ kind: 'gone', session: id });
  };
  const noteReaders = (id: SessionId, one: Followed): void => {
    const files = new Set(one.session.sources.map((source) => source.path));
    for (const file of one.files) if (!files.has(file)) dropReader(file, id);
    for (const file of files) readers.set(file, (readers.get(file) ?? new Set()).add(id));
    one.files = files;
  };
  const dropReader = (file: string, id: SessionId): void => {
    const ids = readers.get(file);
    if (ids?.delete(id) && ids.size === 0) readers.delete(file);
  };
  const follow = async (id: SessionId, isWanted: boolean, changed?: Changed): Promise<void> => {
    let found = index.get(id);
    let one = followed.get(id);
    if (found && !one && !isWanted && !(isInWindow(found) && isAmongNewest(found))) return;
    let files = changed?.files;
    const progress: FollowedProgress[] = [];
    for (let tries = 0; tries < TRIES; tries++) {
      const ours: Set<string> = one?.ours ?? new Set();
      const claimed = found && (await claim(found, foreign, ours));
      if (!found || !claimed) return forget(id);
      one ??= { found, session: followSession(claimed.adapter, claimed.located), ours, files: new Set() };
      one.found = claimed;
      followed.set(id, one);
      const { session } = one;
      const { generation } = session;
      const read = await session.refresh(claimed.located, files, changed?.scan);
      progress.push(...read.progress);
      for (const file of read.unfinished) onUnfinished(file);
      for (const file of read.missing) onReplaced(file);
      for (const { path: file, modifiedAt } of read.progress) index.noteModified(id, file, modifiedAt);
      const now = index.get(id);
      const isMadeOfOthers = !hasSameFiles(now, found);
      if (generation === session.generation && !isMadeOfOthers) break;
      // Files were written anew: whose they are is to be asked anew as well. Or another of its places is the newest now.
      ours.clear();
      for (const source of [...session.sources, ...found.located.sources]) onReplaced(source.path);
      for (const file of read.replaced) onReplaced(file);
      if (isMadeOfOthers) session.lookForAgents();
      found = now;
      files = undefined;
    }
    if (!one) return;
    noteReaders(id, one);
    const state = JSON.stringify([one.session.generation, one.found.located.facts]);
    if (progress.length > 0 || !one.tree || state !== one.state) build(one, progress);
    one.state = state;
  };

  return {
    update: (id, files, scan) => follow(id, false, known({ files, scan })),
    async look(id) {
      if (!followed.has(id)) await follow(id, true);
      const one = followed.get(id);
      if (!one) return undefined;
      one.lookedAt = clock();
      return one.tree;
    },
    async findOrigin(id) {
      const one = followed.get(id);
      const { ledger, generation } = one?.session ?? {};
      if (!one || !ledger || generation === undefined || one.originOf === generation) return undefined;
      const fact = await originOf(one.found.adapter, one.found.located, ledger);
      return fact === 'too early' ? undefined : { generation, ...known({ fact }) };
    },
    noteOrigin(id, { generation, fact }) {
      const one = followed.get(id);
      if (!one || one.session.generation !== generation) return;
      one.originOf = generation;
      if (!fact) return;
      reduce(one.session.ledger, fact);
      build(one, []);
    },
    readersOf: (file) => readers.get(file) ?? [],
    isRead: (file) => readers.has(file),
    ids: () => [...followed.keys()],
    has: (id) => followed.has(id),
    trees: () => [...followed.values()].flatMap(({ tree }) => tree ?? []),
    ledgerOf: (id) => followed.get(id)?.session.ledger,
    async transcript(id, agent, range) {
      const one = followed.get(id);
      const node = one?.tree?.agents.find((candidate) => candidate.id === agent);
      if (!one?.tree || !node) return undefined;
      one.lookedAt = clock();
      return readTranscript(one.found, one.tree, node, range, { opened: bodies.of(one.found.adapter) });
    },
    lookForAgents(root) {
      const isHere = ({ path: file }: { readonly path: string }): boolean => file.startsWith(root + path.sep);
      const here = [...followed].filter(([, { session }]) => session.isWaiting() && session.sources.some(isHere));
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
      // What is no part of any session any more is gone from the disk.
      const used = index.usedFiles();
      return [...foreign].filter((file) => used.has(file)).length;
    },
  };
}

/** In the same order: of two places, the newer one comes first. */
function hasSameFiles(a: FoundSession | undefined, b: FoundSession): boolean {
  const [ours, theirs] = [a?.located.sources ?? [], b.located.sources];
  return (
    ours === theirs || (ours.length === theirs.length && ours.every(({ path: file }, at) => file === theirs[at]?.path))
  );
}

interface Changed {
  readonly files?: ReadonlySet<string>;
  readonly scan?: AgentScan;
}

/** One of the host's processes is at it, by what lies beside the session. */
export function hasLiveProcess({ facts }: LocatedSession): boolean {
  return facts.some((fact) => fact.kind === 'process-seen' && fact.alive);
}

/** A process that was alive is there no more. A kill leaves no trace on disk: somebody has to look. */
export function hasLostProcess({ processes }: SessionLedger): boolean {
  return [...processes.values()].some(({ pid, alive }) => alive && !isRunning(pid));
}
