import path from 'node:path';
import {
  type AgentId,
  buildTree,
  isAtWork,
  type MessageRange,
  mainAgentOf,
  type PartOfTranscript,
  SETTLE_MS,
  type SessionId,
  type SessionLedger,
  type SessionTree,
  Settling,
  type SourceProgress,
  type StalledAfter,
  shareUnchanged,
  type TreeChange,
} from '../core/index.ts';
import type { AgentScan, LocatedSession } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { isRunning } from '../lib/processes.ts';
import { claim, type FoundSession } from './find-sessions.ts';
import { type FollowedProgress, FollowedSession } from './follow-session.ts';
import { createOpener, readTranscript } from './read-transcript.ts';
import type { SessionIndex } from './session-index.ts';

/** Sessions younger than this are followed; at most so many, the newest. Those with a running process always are. */
export interface LiveWindow {
  readonly ms: number;
  readonly sessions: number;
}

interface FollowedOptions {
  readonly index: SessionIndex;
  readonly clock: Clock;
  readonly window: LiveWindow;
  readonly stalledAfter: StalledAfter;
  readonly emit: (change: TreeChange) => void;
  /** A file holds other bytes than before: it may be another session's now. */
  readonly onReplaced: (file: string) => void;
  /** A file is in the middle of a write, and is to be read again. */
  readonly onUnfinished: (file: string) => void;
  /** A state of the session is held back: to be settled at this time at the latest. */
  readonly onUnsettled: (session: SessionId, dueAt: number) => void;
}

interface Followed {
  found: FoundSession;
  readonly session: FollowedSession;
  /** Files that were found to be ours. */
  readonly ours: Set<string>;
  /** As it is shown. */
  tree?: SessionTree;
  readonly settling: Settling;
  /** Something is not shown yet. */
  isHeld?: boolean;
  lookedAt?: number;
  /** Its entries in `#readers`. */
  files: ReadonlySet<string>;
  /** What may change without a line being read, when the tree was last built. */
  state?: string;
  /** Files of other sessions changed that may decide what this one shows. */
  hasNewNeighbours?: boolean;
}

/** What changes faster than it can be read is read as far as it goes, and again next time. */
const TRIES = 3;
/** A session that somebody looked at is kept for so long, however old it is. */
const KEPT_MS = 10 * 60_000;

/** The sessions that are read and kept up to date. Callers must not run two of its async methods at once. */
export class FollowedSessions {
  readonly #options: FollowedOptions;
  readonly #followed = new Map<SessionId, Followed>();
  /** File → the sessions that read it. */
  readonly #readers = new Map<string, Set<SessionId>>();
  readonly #open = createOpener();
  readonly #foreign = new Set<string>();

  constructor(options: FollowedOptions) {
    this.#options = options;
  }

  /** Brings a session up to date, in all files or in those that are named; starts to follow it if it is young enough. */
  async update(id: SessionId, files?: ReadonlySet<string>, scan?: AgentScan): Promise<void> {
    const arrived = this.#followed.has(id) ? undefined : this.#options.index.get(id);
    if (arrived && !(this.isInWindow(arrived) && this.#isAmongNewest(arrived))) return;
    await this.#follow(id, files, scan);
  }

  /** Reads a session however old it is, and keeps it for a while. */
  async look(id: SessionId): Promise<SessionTree | undefined> {
    if (!this.#followed.has(id)) await this.#follow(id);
    const one = this.#followed.get(id);
    if (!one) return undefined;
    one.lookedAt = this.#options.clock();
    // Who asks for it gets what is there.
    if (!one.tree) this.settle(id, one.lookedAt + SETTLE_MS);
    return one.tree;
  }

  /** Sessions that read this file, their own or another's. */
  readersOf(file: string): Iterable<SessionId> {
    return this.#readers.get(file) ?? [];
  }

  isRead(file: string): boolean {
    return this.#readers.has(file);
  }

  ids(): readonly SessionId[] {
    return [...this.#followed.keys()];
  }

  has(id: SessionId): boolean {
    return this.#followed.has(id);
  }

  trees(): readonly SessionTree[] {
    return [...this.#followed.values()].flatMap(({ tree }) => tree ?? []);
  }

  hasTranscriptOf(id: SessionId, agent: AgentId): boolean {
    const sources = this.#followed.get(id)?.session.sources ?? [];
    return sources.some(
      ({ companion, shape, agent: whose = mainAgentOf(id), agents }) =>
        shape === 'table' || (!companion && (whose === agent || agents?.includes(agent))),
    );
  }

  /** As they are by what was read, also where a state is held back until it is settled. */
  freshTrees(): readonly SessionTree[] {
    const { clock, stalledAfter } = this.#options;
    return [...this.#followed.values()].map(({ tree, isHeld, session }) =>
      tree && !isHeld ? tree : buildTree(session.ledger, { now: clock(), stalledAfter }),
    );
  }

  ledgerOf(id: SessionId): SessionLedger | undefined {
    return this.#followed.get(id)?.session.ledger;
  }

  async transcript(id: SessionId, agent: AgentId, range: MessageRange): Promise<PartOfTranscript | undefined> {
    const one = this.#followed.get(id);
    const node = one?.tree?.agents.find((candidate) => candidate.id === agent);
    if (!one?.tree || !node) return undefined;
    one.lookedAt = this.#options.clock();
    return readTranscript(one.found, one.tree, node, range, { open: this.#open });
  }

  /** Agents that sessions of this root wait for may have turned up. Returns the sessions that wait for any. */
  lookForAgents(root: string): readonly SessionId[] {
    const isHere = ({ path: file }: { readonly path: string }): boolean => file.startsWith(root + path.sep);
    const here = [...this.#followed].filter(([, { session }]) => session.isWaiting() && session.sources.some(isHere));
    for (const [, { session }] of here) session.lookForAgents();
    return here.map(([id]) => id);
  }

  /** To be called with all files that changed. */
  noteChanges(files: readonly string[]): void {
    for (const [id, one] of this.#followed) {
      if (one.hasNewNeighbours || !one.session.dependsOnOthers()) continue;
      const { root } = one.found.located;
      const { index } = this.#options;
      one.hasNewNeighbours = files.some((file) => file.startsWith(root + path.sep) && !index.isFileOf(id, file));
    }
  }

  withNewNeighbours(): readonly SessionId[] {
    return [...this.#followed].filter(([, one]) => one.hasNewNeighbours).map(([id]) => id);
  }

  /** Whether what a session has of others is still what a fresh read would find: may be asked beside other methods. */
  comparison(id: SessionId): ((scan: AgentScan) => Promise<boolean>) | undefined {
    const one = this.#followed.get(id);
    if (!one) return undefined;
    one.hasNewNeighbours = false;
    return one.session.compareWithOthers(one.found.located);
  }

  /** Reads a session as if it had never been read. */
  async readAgain(id: SessionId, scan: AgentScan): Promise<void> {
    this.#followed.get(id)?.session.startOver();
    if (this.#followed.has(id)) await this.#follow(id, undefined, scan);
  }

  /** Silence changes a tree, too. */
  rebuildAtWork(): void {
    for (const one of this.#followed.values())
      if (one.tree?.agents.some(({ status }) => isAtWork(status))) this.#build(one, []);
  }

  /** Shows what was held back until now. */
  settle(id: SessionId, dueAt: number): void {
    const one = this.#followed.get(id);
    // A timer may come a little early, and a clock may be set back.
    if (one) this.#build(one, [], Math.max(dueAt, this.#options.clock()));
  }

  /** Roots of sessions of which a process is gone. */
  rootsWithLostProcess(): ReadonlySet<string> {
    const lost = [...this.#followed.values()].filter(({ session }) => hasLostProcess(session.ledger));
    return new Set(lost.map(({ found }) => found.located.root));
  }

  isInWindow({ located }: FoundSession): boolean {
    const { clock, window } = this.#options;
    return clock() - located.modifiedAt < window.ms || hasLiveProcess(located);
  }

  /** Drops sessions that have become old and that nobody looks at. Returns whether there were any. */
  letGo(): boolean {
    const { clock, window } = this.#options;
    const byAge = [...this.#followed.values()].sort((a, b) => b.found.located.modifiedAt - a.found.located.modifiedAt);
    const old = byAge.filter(({ found, lookedAt }, rank) => {
      if (hasLiveProcess(found.located) || (lookedAt !== undefined && clock() - lookedAt < KEPT_MS)) return false;
      return rank >= window.sessions || !this.isInWindow(found);
    });
    for (const { found } of old) this.#forget(found.located.id);
    return old.length > 0;
  }

  get foreignFiles(): number {
    // A file that no session has any more is gone from the disk.
    const used = this.#options.index.usedFiles();
    return [...this.#foreign].filter((file) => used.has(file)).length;
  }

  async #follow(id: SessionId, changed?: ReadonlySet<string>, scan?: AgentScan): Promise<void> {
    const { index, onReplaced, onUnfinished } = this.#options;
    let found = index.get(id);
    let one = this.#followed.get(id);
    let files = changed;
    const progress: FollowedProgress[] = [];
    for (let tries = 0; tries < TRIES; tries++) {
      const ours: Set<string> = one?.ours ?? new Set();
      const claimed = found && (await claim(found, this.#foreign, ours));
      if (!found || !claimed) return this.#forget(id);
      one ??= {
        found,
        session: new FollowedSession(claimed.adapter, claimed.located),
        ours,
        files: new Set(),
        settling: new Settling(),
      };
      one.found = claimed;
      this.#followed.set(id, one);
      const { session } = one;
      const { generation } = session;
      const read = await session.refresh(claimed.located, files, scan);
      progress.push(...read.progress);
      for (const file of read.unfinished) onUnfinished(file);
      for (const file of read.missing) onReplaced(file);
      for (const { path: file, modifiedAt } of read.progress) index.noteModified(id, file, modifiedAt);
      const now = index.get(id);
      const isMadeOfOthers = !hasSameFiles(now, found);
      if (generation === session.generation && !isMadeOfOthers) break;
      // Files were rewritten, so they may belong to another session now; or another of its places is the newest now.
      ours.clear();
      for (const source of [...session.sources, ...found.located.sources]) onReplaced(source.path);
      for (const file of read.replaced) onReplaced(file);
      if (isMadeOfOthers) session.lookForAgents();
      found = now;
      files = undefined;
    }
    if (!one) return;
    this.#noteReaders(id, one);
    const state = JSON.stringify([one.session.generation, one.found.located.facts]);
    if (progress.length > 0 || !one.tree || state !== one.state) this.#build(one, progress);
    one.state = state;
  }

  /** Of thousands of sessions that come at once, those that would be dropped again are not worth reading. */
  #isAmongNewest({ located }: FoundSession): boolean {
    const { sessions } = this.#options.window;
    if (this.#followed.size < sessions || hasLiveProcess(located)) return true;
    const newer = [...this.#followed.values()].filter(({ found }) => found.located.modifiedAt > located.modifiedAt);
    return newer.length < sessions;
  }

  #build(one: Followed, sources: readonly SourceProgress[], now = this.#options.clock()): void {
    const { stalledAfter, emit, onUnsettled } = this.#options;
    const { ledger } = one.session;
    const { tree, dueAt } = one.settling.settle(buildTree(ledger, { now, stalledAfter }), ledger, now);
    one.isHeld = dueAt !== undefined;
    if (dueAt !== undefined) onUnsettled(ledger.id, dueAt);
    if (!tree) return;
    one.tree = shareUnchanged(one.tree, tree);
    emit({ kind: 'tree', tree: one.tree, sources });
  }

  #forget(id: SessionId): void {
    const one = this.#followed.get(id);
    if (!one) return;
    this.#followed.delete(id);
    for (const file of one.files) this.#dropReader(file, id);
    this.#options.emit({ kind: 'gone', session: id });
  }

  #noteReaders(id: SessionId, one: Followed): void {
    const files = new Set(one.session.sources.map((source) => source.path));
    for (const file of one.files) if (!files.has(file)) this.#dropReader(file, id);
    for (const file of files) this.#readers.set(file, (this.#readers.get(file) ?? new Set()).add(id));
    one.files = files;
  }

  #dropReader(file: string, id: SessionId): void {
    const ids = this.#readers.get(file);
    if (ids?.delete(id) && ids.size === 0) this.#readers.delete(file);
  }
}

/** In the same order: of two places, the newer one comes first. */
function hasSameFiles(a: FoundSession | undefined, b: FoundSession): boolean {
  const [ours, theirs] = [a?.located.sources ?? [], b.located.sources];
  return (
    ours === theirs || (ours.length === theirs.length && ours.every(({ path: file }, at) => file === theirs[at]?.path))
  );
}

/** By the files beside the session, a process of the host works on it. */
export function hasLiveProcess({ facts }: LocatedSession): boolean {
  return facts.some((fact) => fact.kind === 'process-seen' && fact.alive);
}

/** A process that was alive is gone. A kill leaves no trace on disk, so this has to be polled. */
function hasLostProcess({ processes }: SessionLedger): boolean {
  return [...processes.values()].some(({ pid, alive }) => alive && !isRunning(pid));
}
