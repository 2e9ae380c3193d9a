import {
  type LiveTrees,
  nativeId,
  type SessionId,
  STALLED_AFTER,
  type StalledAfter,
  type TreeChange,
} from '../core/index.ts';
import type { AgentScan } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { type FolderWatch, type PlaceChange, type WatchHandlers, watchFolders } from '../lib/watch-folders.ts';
import { type ChangeBatch, createChanges, findTouched } from './changes.ts';
import { createFollowedSessions, hasLiveProcess, type LiveWindow } from './followed-sessions.ts';
import type { Place } from './places.ts';
import { createSessionIndex } from './session-index.ts';
import type { Config } from './settings.ts';

export interface TrackerOptions {
  readonly clock: Clock;
  readonly stalledAfter?: StalledAfter;
  readonly window?: LiveWindow;
  /** How often to look without being told, in milliseconds. */
  readonly sweepEveryMs?: number;
  /** How folders are watched, where it is not the system's own way. */
  readonly watch?: WatchHandlers['watch'];
  /** Told where something failed that must not stop the rest. */
  readonly onError?: (error: unknown) => void;
}

export const LIVE_WINDOW: LiveWindow = { ms: 24 * 3_600_000, sessions: 100 };
const SWEEP_EVERY_MS = 30_000;
/** Lines come in bunches: one look for all that come this close together. */
const TOGETHER_MS = 8;
/** A file that is in the middle of something is looked at again after so long. */
const UNFINISHED_MS = 1_000;
/** Changes of the less urgent kind that are looked at in one go, so that it takes about so long. */
const SLICE_MS = 50;
const [MIN_SLICE, FIRST_SLICE] = [8, 64];
/** How often to see whether processes still run. */
const PULSE_MS = 1_000;
const PULSES_PER_REBUILD = 10;

/**
 * Follows every session of the given places: watches tell what changed, a sweep now and then finds what they miss, a
 * pulse finds processes that died. All work is done in one queue, so no session is read by two at once.
 */
export function startTracker(wanted: readonly Place[], options: TrackerOptions): LiveTrees {
  const { clock, window = LIVE_WINDOW, sweepEveryMs = SWEEP_EVERY_MS, onError = () => {} } = options;
  const listeners = new Set<(change: TreeChange) => void>();
  const emit = (change: TreeChange): void => {
    for (const listener of listeners) attempt(() => listener(change), onError);
  };
  const { stalledAfter } = options;
  const index = createSessionIndex(wanted);
  const changes = createChanges((file) => followed.isRead(file));
  const unfinished = new Map<string, NodeJS.Timeout>();
  const followed = createFollowedSessions({
    index,
    clock,
    window,
    emit,
    ...(stalledAfter && { stalledAfter }),
    onReplaced: (file) => onChange(file, 'entry'),
    onUnfinished(file) {
      if (unfinished.has(file) || queue.isClosed) return;
      const lookAgain = (): void => void (unfinished.delete(file) && onChange(file, 'written'));
      unfinished.set(file, setTimeout(lookAgain, UNFINISHED_MS));
    },
  });
  const queue = createWorkQueue(onError);
  const watches: FolderWatch[] = [];
  const listening: { close(): void }[] = [];
  const unwatched = followUnwatched(watches, () => emit({ kind: 'listing' }));
  let isComplete = false;
  let pulses = 0;

  const lookAt = async (batch: ChangeBatch): Promise<void> => {
    const { sessions, isListingChanged } = await findTouched(batch, index, followed);
    const scan: AgentScan = new Map();
    for (const [id, files] of sessions)
      if (followed.has(id)) await followed.update(id, files, scan).catch(onError);
      else arrivals.add(id);
    if (isListingChanged && isComplete) emit({ kind: 'listing' });
  };
  /** Sessions that may be worth following. The newest first, once all that came with them is known. */
  const arrivals = new Set<SessionId>();
  const lookAtArrivals = async (): Promise<void> => {
    const age = (id: SessionId): number => index.get(id)?.located.modifiedAt ?? 0;
    const newestFirst = [...arrivals].map((id) => ({ id, at: age(id) })).sort((a, b) => b.at - a.at);
    const end = performance.now() + SLICE_MS;
    for (const { id } of newestFirst) {
      if (performance.now() > end) break;
      arrivals.delete(id);
      await followed.update(id).catch(onError);
    }
    // Those that are followed now are no longer among the older ones.
    if (newestFirst.length > 0 && isComplete) emit({ kind: 'listing' });
  };
  /** So many at a time that nobody waits long: somebody may move a folder of thousands of sessions. */
  let slice = FIRST_SLICE;
  const lookAtChanges = async (): Promise<void> => {
    await lookAt(changes.takeUrgent());
    const begin = performance.now();
    const batch = changes.take(slice);
    const isAll = batch.files.size < slice;
    await lookAt(batch);
    const took = performance.now() - begin;
    if (isAll) await lookAtArrivals();
    slice = isAll ? FIRST_SLICE : Math.max(MIN_SLICE, took > SLICE_MS ? slice / 2 : slice * 2);
  };
  const isDone = (): boolean => changes.isEmpty() && arrivals.size === 0;
  const lookSoon = queue.debounced(lookAtChanges, TOGETHER_MS, isDone);
  const onChange = (file: string, what: PlaceChange): void => {
    changes.addFile(file, what);
    lookSoon();
  };
  const pulse = (): void => {
    pulses++;
    unwatched.look().catch(onError);
    const lost = followed.rootsWithLostProcess();
    for (const place of index.places()) if (lost.has(place.root)) changes.addFacts(place);
    if (lost.size > 0) lookSoon();
    if (pulses % PULSES_PER_REBUILD === 0) queue.run(async () => followed.rebuildAtWork());
  };
  const timers: { readonly pulse: NodeJS.Timeout; sweep?: NodeJS.Timeout } = { pulse: setInterval(pulse, PULSE_MS) };
  const sweep = async (): Promise<void> => {
    for (const watch of watches) await watch.sweep();
    unwatched.count();
    await queue.add(async () => {
      const isNew = unread.size > 0;
      for (const place of unread) await load(place);
      if (isNew) followYoung();
      const isRecounted = await index.recountIgnored();
      if (followed.letGo() || isRecounted) emit({ kind: 'listing' });
    });
    for (const place of index.places()) changes.addFacts(place);
    for (const id of followed.ids()) changes.addSession(id);
    lookSoon();
  };
  const sweepLater = (): void => {
    if (queue.isClosed) return;
    timers.sweep = setTimeout(() => void sweep().catch(onError).finally(sweepLater), sweepEveryMs);
  };
  /** A place that cannot be looked at is tried again at each sweep. */
  const unread = new Set<Place>();
  const load = async (place: Place): Promise<void> => {
    try {
      await index.loadPlace(place);
      unread.delete(place);
    } catch (error) {
      unread.add(place);
      onError(error);
    }
  };
  /** The newest first. One piece of work each: whoever asks for one of them in between does not wait for all. */
  const followYoung = (): void => {
    const sessions = index.all();
    const young = sessions.filter(followed.isInWindow).slice(0, window.sessions);
    const alive = sessions.filter(({ located }) => hasLiveProcess(located));
    for (const { located } of new Set([...young, ...alive])) queue.run(() => followed.update(located.id));
  };
  /** Watches first: what changes while everything is listed is looked at afterwards. */
  const listAll = async (): Promise<void> => {
    for (const { adapter, root } of await index.findPlaces()) {
      const isWanted = await adapter.follow?.watched(root);
      if (queue.isClosed) return;
      const heard = adapter.follow?.listen?.(root, (what) => onChange(root, what));
      if (heard) listening.push(heard);
      else watches.push(watchFolders(root, { onChange, ...known({ isWanted, watch: options.watch }) }));
    }
    for (const folder of new Set(index.places().flatMap(({ told = [] }) => told)))
      watches.push(watchFolders(folder, { onChange, ...known({ watch: options.watch }) }));
    await Promise.all(watches.map(({ ready }) => ready));
    unwatched.count();
    for (const place of index.places()) await load(place);
    followYoung();
    queue.run(async () => {
      isComplete = true;
      emit({ kind: 'listing' });
    });
  };
  queue.run(() => listAll().finally(sweepLater));

  return {
    current: followed.trees,
    listing: () => ({
      older: index
        .all()
        .filter(({ located }) => !followed.has(located.id))
        .map(({ located: { id, modifiedAt, sources } }) => ({ id, modifiedAt, files: sources.length })),
      ignoredFiles: index.ignoredFiles + followed.foreignFiles,
      places: wanted.map(({ root }) => root),
      isComplete,
      notices: [...unwatched.notices(), ...index.problems()],
    }),
    subscribe(listener) {
      listeners.add(listener);
      return { close: () => void listeners.delete(listener) };
    },
    async look(native) {
      const id = await queue.add(async () => {
        const found = index.all().find(({ located }) => nativeId(located.id) === native)?.located.id;
        const isNew = found !== undefined && !followed.has(found);
        const tree = found === undefined ? undefined : await followed.look(found);
        if (isNew && tree) emit({ kind: 'listing' });
        return tree?.id;
      });
      // Beside the queue: it reads the neighbours of the session, and nobody else should wait for that.
      const origin = id === undefined ? undefined : await followed.findOrigin(id);
      if (id !== undefined && origin) await queue.add(async () => followed.noteOrigin(id, origin));
      return followed.trees().find((tree) => tree.id === id);
    },
    ledgerOf: followed.ledgerOf,
    transcript: followed.transcript,
    close() {
      queue.close();
      clearInterval(timers.pulse);
      clearTimeout(timers.sweep);
      for (const timer of unfinished.values()) clearTimeout(timer);
      for (const one of [...watches, ...listening]) one.close();
      listeners.clear();
    },
  };
}

function attempt(action: () => void, onError: (error: unknown) => void): void {
  try {
    action();
  } catch (error) {
    onError(error);
  }
}

/** The wishes of the person as the tracker takes them. */
export function trackerOptionsOf({ live = {} }: Config): Omit<TrackerOptions, 'clock' | 'onError'> {
  const { windowHours, windowSessions, sweepSeconds } = live;
  return {
    window: {
      ms: windowHours === undefined ? LIVE_WINDOW.ms : windowHours * 3_600_000,
      sessions: windowSessions ?? LIVE_WINDOW.sessions,
    },
    ...(sweepSeconds !== undefined && { sweepEveryMs: sweepSeconds * 1000 }),
    stalledAfter: stalledAfterOf(live),
  };
}

function stalledAfterOf({ stalledAfterSeconds = {} }: NonNullable<Config['live']>): StalledAfter {
  const ms = (seconds: number | undefined, otherwise: number): number =>
    seconds === undefined ? otherwise : seconds * 1000;
  const { start, reply, tool } = stalledAfterSeconds;
  return {
    start: ms(start, STALLED_AFTER.start),
    reply: ms(reply, STALLED_AFTER.reply),
    tool: ms(tool, STALLED_AFTER.tool),
  };
}

/** Folders that the system would not watch: they are looked at now and then, and people are told. */
export interface Unwatched {
  /** To be called every second: looks where it is time. */
  look(): Promise<void>;
  /** To be called when folders may have come, or watches may have been given. */
  count(): void;
  /** For people. */
  notices(): readonly string[];
}

/** A look that took so long is made again no sooner than after this many times as long: looking costs a twentieth. */
const UNWATCHED_REST = 20;

export function followUnwatched(watches: readonly FolderWatch[], onNotice: () => void): Unwatched {
  let notices: readonly string[] = [];
  let isLooking = false;
  let nextAt = 0;
  let restMs = 0;
  const counts = (): { readonly folders: number; readonly isLimitReached: boolean } => {
    const all = watches.map((watch) => watch.counts());
    return {
      folders: all.reduce((sum, { unwatched }) => sum + unwatched, 0),
      isLimitReached: all.some((one) => one.isLimitReached),
    };
  };
  const count = (): void => {
    const { folders, isLimitReached } = counts();
    const before = notices.join();
    notices = folders === 0 ? [] : [noticeOf(folders, isLimitReached, roughSeconds(restMs))];
    if (notices.join() !== before) onNotice();
  };
  return {
    notices: () => notices,
    count,
    async look() {
      if (isLooking || performance.now() < nextAt || counts().folders === 0) return;
      isLooking = true;
      try {
        const begin = performance.now();
        for (const watch of watches) await watch.lookAtUnwatched();
        restMs = (performance.now() - begin) * UNWATCHED_REST;
        nextAt = performance.now() + restMs;
      } finally {
        isLooking = false;
      }
    },
  };
}

/** 1, 2, 4, 8 …: a look takes a little longer or shorter each time, and that is no news. */
function roughSeconds(ms: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(ms / 1000)));
}

function noticeOf(folders: number, isLimitReached: boolean, seconds: number): string {
  const many = folders === 1 ? '1 folder is' : `${folders} folders are`;
  const looked = `${many} looked at every ${seconds} s instead of being watched`;
  if (!isLimitReached) return looked;
  return `the system's limit of file watches is reached: ${looked}; to raise it: fs.inotify.max_user_watches`;
}

/** One thing after the other: a session must not be read by two at once. */
export interface WorkQueue {
  readonly isClosed: boolean;
  /** Fails where the work fails; the queue goes on. */
  add<T>(work: () => Promise<T>): Promise<T>;
  /** For work whose failure nobody waits for: it is told to `onError`. */
  run(work: () => Promise<unknown>): void;
  /** A way to ask for work that is done once for all who ask within `ms`, and again as long as `isDone` says no. */
  debounced(work: () => Promise<void>, ms: number, isDone: () => boolean): () => void;
  close(): void;
}

/** Under a flood, so many times as long as the last look took: lines gather, and others get their turn. */
const REST = 3;
const MAX_REST_MS = 40;

export function createWorkQueue(onError: (error: unknown) => void): WorkQueue {
  let tail: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  const timers = new Set<NodeJS.Timeout>();
  const add = <T>(work: () => Promise<T>): Promise<T> => {
    const done = tail.then(work);
    tail = done.catch(onError);
    return done;
  };
  const run = (work: () => Promise<unknown>): void => void add(work).catch(() => {});
  return {
    get isClosed() {
      return isClosed;
    },
    add,
    run,
    debounced(work, ms, isDone) {
      let timer: NodeJS.Timeout | undefined;
      const askIn = (wait: number): void => {
        if (isClosed || timer) return;
        timer = setTimeout(() => {
          if (timer) timers.delete(timer);
          timer = undefined;
          run(once);
        }, wait);
        timers.add(timer);
      };
      const once = async (): Promise<void> => {
        if (isClosed || isDone()) return;
        const begin = performance.now();
        await work();
        if (!isDone()) askIn(Math.min(MAX_REST_MS, (performance.now() - begin) * REST));
      };
      return () => askIn(ms);
    },
    close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
