import { type LiveTrees, nativeId, type SessionId, type StalledAfter, type TreeChange } from '../core/index.ts';
import type { AgentScan } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { type FolderWatch, type PlaceChange, type WatchHandlers, watchFolders } from '../lib/watch-folders.ts';
import { findTouched } from './changed-places.ts';
import { type ChangeBatch, createChanges } from './changes.ts';
import { createFollowedSessions, type LiveWindow } from './followed-sessions.ts';
import { hasLiveProcess } from './liveness.ts';
import type { Place } from './places.ts';
import { createSessionIndex } from './session-index.ts';
import { followUnwatched } from './unwatched.ts';
import { createWorkQueue } from './work-queue.ts';

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
