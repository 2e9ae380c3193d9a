import { setImmediate } from 'node:timers/promises';
import {
  type AgentId,
  type LiveTrees,
  nativeId,
  ORPHAN_MS,
  type SessionId,
  STALLED_AFTER,
  type StalledAfter,
  type TreeChange,
} from '../core/index.ts';
import { AgentScan } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { Listeners } from '../lib/listeners.ts';
import { FolderWatch, type PlaceChange, type WatchHandlers } from '../lib/watch-folders.ts';
import { type ChangeBatch, Changes, findTouched } from './changes.ts';
import type { FoundSession } from './find-sessions.ts';
import { FollowedSessions, hasLiveProcess, type LiveWindow } from './followed-sessions.ts';
import { newestOf, OlderSessions } from './glance.ts';
import type { DataFolder } from './places.ts';
import type { OpenCache } from './session-cache.ts';
import { SessionIndex } from './session-index.ts';
import type { Config } from './settings.ts';

export interface TrackerOptions {
  readonly clock: Clock;
  readonly stalledAfter?: StalledAfter;
  readonly window?: LiveWindow;
  /** How often to look for changes that watches missed, in milliseconds. */
  readonly sweepEveryMs?: number;
  /** How folders are watched, if not in the system's own way. */
  readonly watch?: WatchHandlers['watch'];
  /** What was read of sessions that are not followed. */
  readonly openCache?: OpenCache;
  /** How many sessions that are not followed are missing in it: called after each look at them. */
  readonly onUnread?: (sessions: number) => void;
  /** Gets failures that must not stop the rest. */
  readonly onError?: (error: unknown) => void;
}

/** Lines come in bunches: one look for all that come this close together. */
const TOGETHER_MS = 8;
/** A file in the middle of a write is read again after so long. */
const UNFINISHED_MS = 1_000;
/** Target duration of one batch of less urgent changes. */
const SLICE_MS = 50;
const [MIN_SLICE, FIRST_SLICE] = [8, 64];
/**
 * Delay before sessions are compared again with others that changed; and the rest after it, as a multiple of its duration, but not longer
 * than the last figure.
 */
const [NEIGHBOURS_MS, NEIGHBOURS_REST, LONGEST_REST_MS] = [250, 30, 10_000];
/** How often to check that processes still run. */
const PULSE_MS = 1_000;
const PULSES_PER_REBUILD = 10;
const PULSES_PER_GLANCE = 3;

/** The tracker's options as the settings have them. */
export function trackerOptionsOf({ live = {} }: Config) {
  const { windowHours = 24, windowSessions = 100, sweepSeconds = 30, stalledAfterSeconds = {} } = live;
  const stalledAfterMs = Object.entries(stalledAfterSeconds).map(([what, seconds = 0]) => [what, seconds * 1000]);
  return {
    window: { ms: windowHours * 3_600_000, sessions: windowSessions },
    sweepEveryMs: sweepSeconds * 1000,
    stalledAfter: { ...STALLED_AFTER, ...(Object.fromEntries(stalledAfterMs) as Partial<StalledAfter>) },
  };
}

/**
 * Follows every session of the given places: watches report what changed, a sweep now and then finds what they miss, a
 * pulse finds processes that died. All work runs in one queue, so no session is read by two at once.
 */
export function startTracker(wanted: readonly DataFolder[], options: TrackerOptions): LiveTrees {
  return new Tracker(wanted, { ...trackerOptionsOf({}), ...options });
}

class Tracker implements LiveTrees {
  readonly #wanted: readonly DataFolder[];
  readonly #options: TrackerOptions & ReturnType<typeof trackerOptionsOf>;
  readonly #onError: (error: unknown) => void;
  readonly #listeners: Listeners<TreeChange>;
  readonly #index: SessionIndex;
  readonly #followed: FollowedSessions;
  readonly #changes: Changes;
  /** Files that watches reported since the last look. */
  readonly #news = new Set<string>();
  readonly #queue: WorkQueue;
  readonly #watches: FolderWatch[] = [];
  readonly #listening: { close(): void }[] = [];
  readonly #unwatched: UnwatchedFolders;
  readonly #unfinished = new Map<string, NodeJS.Timeout>();
  readonly #unsettled = new Map<SessionId, NodeJS.Timeout>();
  /** Sessions that may be worth following: the newest first, once everything that came with them is listed. */
  readonly #arrivals = new Set<SessionId>();
  /** Places that could not be listed: each sweep tries again. */
  readonly #unread = new Set<DataFolder>();
  readonly #older: OlderSessions;
  readonly #lookSoon: () => void;
  readonly #pulseTimer: NodeJS.Timeout;
  #sweepTimer: NodeJS.Timeout | undefined;
  #neighboursTimer: NodeJS.Timeout | undefined;
  #isComplete = false;
  #isGlancing = false;
  #pulses = 0;
  /** Files in one batch, so that nothing else waits long: somebody may move a folder of thousands of sessions. */
  #slice = FIRST_SLICE;

  constructor(wanted: readonly DataFolder[], options: TrackerOptions & ReturnType<typeof trackerOptionsOf>) {
    const { onError = () => {} } = options;
    this.#wanted = wanted;
    this.#options = options;
    this.#onError = onError;
    this.#listeners = new Listeners(onError);
    this.#index = new SessionIndex(wanted);
    this.#older = new OlderSessions(options.clock, options.openCache);
    this.#followed = new FollowedSessions({
      ...options,
      index: this.#index,
      emit: (change) => this.#listeners.tell(change),
      onReplaced: (file) => this.#lookAgain(file, 'entry'),
      onUnfinished: (file) => this.#readLater(file),
      onUnsettled: (session, dueAt) => this.#settleLater(session, dueAt),
    });
    this.#changes = new Changes((file) => this.#followed.isRead(file));
    this.#queue = new WorkQueue(onError);
    this.#unwatched = new UnwatchedFolders(this.#watches, () => this.#tellListing());
    const isDone = (): boolean => this.#changes.isEmpty() && this.#arrivals.size === 0;
    this.#lookSoon = this.#queue.debounced(() => this.#lookAtChanges(), TOGETHER_MS, isDone);
    this.#pulseTimer = setInterval(() => this.#pulse(), PULSE_MS);
    this.#queue.run(() => this.#listAll().finally(() => this.#sweepLater()));
  }

  readonly current: LiveTrees['current'] = () => this.#followed.trees();
  readonly ledgerOf: LiveTrees['ledgerOf'] = (session) => this.#followed.ledgerOf(session);
  readonly subscribe: LiveTrees['subscribe'] = (listener) => this.#listeners.add(listener);
  readonly transcript: LiveTrees['transcript'] = (...of) => this.#followed.transcript(...of);

  listing() {
    const { older, emptySessions } = this.#older.list(this.#unfollowed());
    return {
      older,
      emptySessions,
      ignoredFiles: this.#index.ignoredFiles + this.#followed.foreignFiles,
      places: this.#wanted.map(({ root }) => root),
      isComplete: this.#isComplete,
      notices: [...this.#unwatched.notices, ...this.#index.problems()],
    };
  }

  async look(native: string) {
    const followed = this.#followed;
    const id = await this.#queue.add(async () => {
      const found = this.#index.all().find(({ located }) => nativeId(located.id) === native)?.located.id;
      const isNew = found !== undefined && !followed.has(found);
      const tree = found === undefined ? undefined : await followed.look(found);
      if (isNew && tree) this.#tellListing();
      return tree?.id;
    });
    return followed.trees().find((tree) => tree.id === id);
  }

  async readNow(session?: SessionId, agent?: AgentId) {
    const followed = this.#followed;
    // After one turn of the event loop, watches have reported everything that was written until now.
    await setImmediate();
    return this.#queue.add(async () => {
      await this.#lookAtChanges();
      if (session !== undefined) await this.#readNow(session, agent);
      return followed.freshTrees();
    });
  }

  async #readNow(session: SessionId, agent: AgentId | undefined): Promise<void> {
    const followed = this.#followed;
    if (followed.has(session)) await followed.update(session);
    else if (await followed.look(session)) this.#tellListing();
    if (agent === undefined || followed.hasTranscriptOf(session, agent)) return;
    for (const { place, part } of this.#index.partsOf(session))
      await this.#index.relocate(place, part.folder, [session]);
    await followed.update(session);
  }

  close(): void {
    this.#queue.close();
    clearInterval(this.#pulseTimer);
    clearTimeout(this.#sweepTimer);
    clearTimeout(this.#neighboursTimer);
    for (const timer of [...this.#unfinished.values(), ...this.#unsettled.values()]) clearTimeout(timer);
    for (const one of [...this.#watches, ...this.#listening]) one.close();
    this.#listeners.clear();
  }

  #tellListing(): void {
    this.#listeners.tell({ kind: 'listing' });
    this.#glanceAtOlder();
  }

  #unfollowed(): readonly FoundSession[] {
    return this.#index.all().filter(({ located }) => !this.#followed.has(located.id));
  }

  /** A few at a time, behind everything else: they are only listed. */
  #glanceAtOlder(): void {
    if (this.#isGlancing || !this.#isComplete || this.#queue.isClosed) return;
    this.#isGlancing = true;
    this.#queue.run(async () => {
      const look = this.#older.look(this.#unfollowed(), this.#index.all(), SLICE_MS);
      const { isNews, isMore, unread } = await look.finally(() => {
        this.#isGlancing = false;
      });
      if (isNews) this.#listeners.tell({ kind: 'listing' });
      if (isMore) this.#glanceAtOlder();
      else this.#options.onUnread?.(unread);
    });
  }

  #onChange(file: string, what: PlaceChange): void {
    this.#news.add(file);
    this.#lookAgain(file, what);
  }

  #lookAgain(file: string, what: PlaceChange): void {
    this.#changes.addFile(file, what);
    this.#lookSoon();
  }

  #readLater(file: string): void {
    if (this.#unfinished.has(file) || this.#queue.isClosed) return;
    const lookAgain = (): void => void (this.#unfinished.delete(file) && this.#lookAgain(file, 'written'));
    this.#unfinished.set(file, setTimeout(lookAgain, UNFINISHED_MS));
  }

  #settleLater(session: SessionId, dueAt: number): void {
    if (this.#queue.isClosed) return;
    const settle = (): void => {
      this.#unsettled.delete(session);
      this.#queue.run(async () => this.#followed.settle(session, dueAt));
    };
    clearTimeout(this.#unsettled.get(session));
    // Never longer: the clock may have been set back since.
    const delay = Math.min(ORPHAN_MS, Math.max(0, dueAt - this.#options.clock()));
    this.#unsettled.set(session, setTimeout(settle, delay));
  }

  /** Watches first: what changes during the listing is looked at afterwards. */
  async #listAll(): Promise<void> {
    const { watch } = this.#options;
    const onChange = (file: string, what: PlaceChange): void => this.#onChange(file, what);
    for (const { adapter, root } of await this.#index.findPlaces()) {
      const isWanted = await adapter.follow?.watched(root);
      if (this.#queue.isClosed) return;
      const heard = adapter.follow?.listen?.(root, (what) => onChange(root, what));
      const beside = adapter.follow?.listenBeside?.(root, () => onChange(root, 'written'));
      if (beside) this.#listening.push(beside);
      if (heard) this.#listening.push(heard);
      else this.#watches.push(new FolderWatch(root, { onChange, ...known({ isWanted, watch }) }));
    }
    for (const folder of new Set(this.#index.places().flatMap(({ records = [] }) => records)))
      this.#watches.push(new FolderWatch(folder, { onChange, ...known({ watch }) }));
    await Promise.all(this.#watches.map(({ ready }) => ready));
    this.#unwatched.count();
    for (const place of this.#index.places()) await this.#load(place);
    await this.#followYoung();
    this.#queue.run(async () => {
      this.#isComplete = true;
      this.#tellListing();
    });
  }

  async #load(place: DataFolder): Promise<void> {
    try {
      await this.#index.loadPlace(place);
      this.#unread.delete(place);
    } catch (error) {
      this.#unread.add(place);
      this.#onError(error);
    }
  }

  /** The newest first, one piece of work each: a request for one of them does not wait for all. */
  async #followYoung(): Promise<void> {
    const sessions = this.#index.all();
    const inWindow = sessions.filter((found) => this.#followed.isInWindow(found));
    const young = await newestOf(inWindow, this.#options.window.sessions);
    const alive = sessions.filter(({ located }) => hasLiveProcess(located));
    for (const { located } of new Set([...young, ...alive])) this.#queue.run(() => this.#followed.update(located.id));
  }

  async #lookAtChanges(): Promise<void> {
    await this.#lookAt(this.#changes.takeUrgent());
    const begin = performance.now();
    const batch = this.#changes.take(this.#slice);
    const isAll = batch.files.size < this.#slice;
    await this.#lookAt(batch);
    const took = performance.now() - begin;
    if (isAll) await this.#lookAtArrivals();
    const next = took > SLICE_MS ? this.#slice / 2 : this.#slice * 2;
    this.#slice = isAll ? FIRST_SLICE : Math.max(MIN_SLICE, next);
  }

  async #lookAt(batch: ChangeBatch): Promise<void> {
    const { sessions, isListingChanged } = await findTouched(batch, this.#index, this.#followed);
    const scan = new AgentScan();
    for (const [id, files] of sessions)
      if (this.#followed.has(id)) {
        const before = this.#index.get(id);
        await this.#followed.update(id, files, scan).catch(this.#onError);
        this.#lookForProcess(id, before);
      } else this.#arrivals.add(id);
    if (isListingChanged && this.#isComplete) this.#tellListing();
    this.#followed.noteChanges([...this.#news]);
    this.#news.clear();
    this.#lookAtNeighboursIn(NEIGHBOURS_MS);
  }

  /** A process that writes to a session which none was at work on may be younger than its last message was. */
  #lookForProcess(id: SessionId, before: FoundSession | undefined): void {
    const now = this.#index.get(id);
    if (!before || !now || now.located.modifiedAt <= before.located.modifiedAt) return;
    const { facts } = now.located;
    if (facts.length === 0 || facts.some(({ kind }) => kind === 'process-seen')) return;
    for (const { place } of this.#index.partsOf(id)) this.#changes.facts.add(place);
    this.#lookSoon();
  }

  #lookAtNeighboursIn(ms: number): void {
    if (this.#neighboursTimer || this.#queue.isClosed || this.#followed.withNewNeighbours().length === 0) return;
    this.#neighboursTimer = setTimeout(async () => {
      const begin = performance.now();
      const scan = new AgentScan();
      for (const id of this.#followed.withNewNeighbours())
        if (!this.#queue.isClosed) await this.#compareWithNeighbours(id, scan).catch(() => {});
      const rest = (performance.now() - begin) * NEIGHBOURS_REST;
      this.#neighboursTimer = undefined;
      this.#lookAtNeighboursIn(Math.min(LONGEST_REST_MS, Math.max(NEIGHBOURS_MS, rest)));
    }, ms);
  }

  /** The search is beside the queue: it reads the neighbours, and nothing else should wait for that. */
  async #compareWithNeighbours(id: SessionId, scan: AgentScan): Promise<void> {
    const isSame = await this.#queue.add(async () => this.#followed.comparison(id));
    const isStill = await isSame?.(scan).catch(this.#onError);
    if (isStill === false) await this.#queue.add(() => this.#followed.readAgain(id, new AgentScan()));
  }

  async #lookAtArrivals(): Promise<void> {
    const age = (id: SessionId): number => this.#index.get(id)?.located.modifiedAt ?? 0;
    const newestFirst = [...this.#arrivals].map((id) => ({ id, at: age(id) })).sort((a, b) => b.at - a.at);
    const end = performance.now() + SLICE_MS;
    for (const { id } of newestFirst) {
      if (performance.now() > end) break;
      this.#arrivals.delete(id);
      await this.#followed.update(id).catch(this.#onError);
    }
    // Those that are followed now are no longer among the older ones.
    if (newestFirst.length > 0 && this.#isComplete) this.#tellListing();
  }

  #pulse(): void {
    this.#pulses++;
    this.#unwatched.look().catch(this.#onError);
    const lost = this.#followed.rootsWithLostProcess();
    for (const place of this.#index.places()) if (lost.has(place.root)) this.#changes.facts.add(place);
    if (lost.size > 0) this.#lookSoon();
    if (this.#pulses % PULSES_PER_GLANCE === 0 && this.#older.hasNews()) this.#glanceAtOlder();
    if (this.#pulses % PULSES_PER_REBUILD !== 0) return;
    this.#queue.run(async () => this.#followed.rebuildAtWork());
  }

  #sweepLater(): void {
    if (this.#queue.isClosed) return;
    const sweep = (): void =>
      void this.#sweep()
        .catch(this.#onError)
        .finally(() => this.#sweepLater());
    this.#sweepTimer = setTimeout(sweep, this.#options.sweepEveryMs);
  }

  async #sweep(): Promise<void> {
    for (const watch of this.#watches) await watch.sweep();
    this.#unwatched.count();
    await this.#queue.add(async () => {
      const isNew = this.#unread.size > 0;
      for (const place of this.#unread) await this.#load(place);
      if (isNew) await this.#followYoung();
      const isRecounted = await this.#index.recountIgnored();
      if (this.#followed.letGo() || isRecounted) this.#tellListing();
      else this.#glanceAtOlder();
    });
    for (const place of this.#index.places()) this.#changes.facts.add(place);
    for (const id of this.#followed.ids()) this.#changes.sessions.add(id);
    this.#lookSoon();
  }
}

/** Polling an unwatched folder waits for so many times as long as the last poll took: it costs a twentieth of the time. */
const UNWATCHED_REST = 20;

/** Folders that the system would not watch: they are polled, and people are told. */
class UnwatchedFolders {
  readonly #watches: readonly FolderWatch[];
  readonly #onNotice: () => void;
  /** For people. */
  notices: readonly string[] = [];
  #isLooking = false;
  #nextAt = 0;
  #restMs = 0;

  constructor(watches: readonly FolderWatch[], onNotice: () => void) {
    this.#watches = watches;
    this.#onNotice = onNotice;
  }

  /** To be called when folders may have come, or watches may have been granted. */
  count(): void {
    const folders = this.#folders();
    const isLimitReached = this.#watches.some((watch) => watch.counts().isLimitReached);
    const before = this.notices.join();
    this.notices = folders === 0 ? [] : [noticeOf(folders, isLimitReached, roughSeconds(this.#restMs))];
    if (this.notices.join() !== before) this.#onNotice();
  }

  /** To be called every second: polls if it is time. */
  async look(): Promise<void> {
    if (this.#isLooking || performance.now() < this.#nextAt || this.#folders() === 0) return;
    this.#isLooking = true;
    try {
      const begin = performance.now();
      for (const watch of this.#watches) await watch.readUnwatched();
      this.#restMs = (performance.now() - begin) * UNWATCHED_REST;
      this.#nextAt = performance.now() + this.#restMs;
    } finally {
      this.#isLooking = false;
    }
  }

  #folders(): number {
    return this.#watches.reduce((sum, watch) => sum + watch.counts().unwatched, 0);
  }
}

/** 1, 2, 4, 8 …: each poll takes a little longer or shorter, which is not worth a new notice. */
function roughSeconds(ms: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(ms / 1000)));
}

function noticeOf(folders: number, isLimitReached: boolean, seconds: number): string {
  const many = folders === 1 ? '1 folder is' : `${folders} folders are`;
  const looked = `${many} looked at every ${seconds} s instead of being watched`;
  if (!isLimitReached) return looked;
  return `the system's limit of file watches is reached: ${looked}; to raise it: fs.inotify.max_user_watches`;
}

/** Under a flood, a pause of so many times as long as the last look took: lines gather, and others get their turn. */
const REST = 3;
const MAX_REST_MS = 40;

/** One thing after the other: a session must not be read by two at once. */
class WorkQueue {
  readonly #onError: (error: unknown) => void;
  #tail: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  isClosed = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Fails if the work fails; the queue goes on. */
  add<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(this.#onError);
    return done;
  }

  /** For work that nobody waits for: its failure goes to `onError`. */
  run(work: () => Promise<unknown>): void {
    this.add(work).catch(() => {});
  }

  /** Requests work that is done once for all requests within `ms`, and again until `isDone`. */
  debounced(work: () => Promise<void>, ms: number, isDone: () => boolean): () => void {
    const askIn = (wait: number): void => {
      if (this.isClosed || this.#timer) return;
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.run(once);
      }, wait);
    };
    const once = async (): Promise<void> => {
      if (this.isClosed || isDone()) return;
      const begin = performance.now();
      await work();
      if (!isDone()) askIn(Math.min(MAX_REST_MS, (performance.now() - begin) * REST));
    };
    return () => askIn(ms);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.#timer);
  }
}
