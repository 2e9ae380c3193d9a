import type { Clock } from '../base/clock.ts';
import { type FolderWatch, type PlaceChange, watchFolders } from '../io/watch-folders.ts';
import { nativeId } from '../model/ids.ts';
import type { LiveTrees, TreeChange } from '../model/ports.ts';
import type { StalledAfter } from '../model/tree.ts';
import { findTouched } from './changed-places.ts';
import { createChanges } from './changes.ts';
import { createFollowedSessions, type LiveWindow } from './followed-sessions.ts';
import { hasLiveProcess } from './liveness.ts';
import type { Place } from './places.ts';
import { createSessionIndex } from './session-index.ts';
import { createWorkQueue } from './work-queue.ts';

export interface TrackerOptions {
  readonly clock: Clock;
  readonly stalledAfter?: StalledAfter;
  readonly window?: LiveWindow;
  /** How often to look without being told, in milliseconds. */
  readonly sweepEveryMs?: number;
  /** Told where something failed that must not stop the rest. */
  readonly onError?: (error: unknown) => void;
}

export const LIVE_WINDOW: LiveWindow = { ms: 24 * 3_600_000, sessions: 100 };
const SWEEP_EVERY_MS = 20_000;
/** Where the system gives us no watches, looking is all there is. */
const SWEEP_UNWATCHED_MS = 1_000;
/** Lines come in bunches: one look for all that come this close together. */
const TOGETHER_MS = 8;
/** How often to see whether processes still run. */
const PULSE_MS = 1_000;
const PULSES_PER_REBUILD = 5;

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
  const followed = createFollowedSessions({ index, clock, window, emit, ...(stalledAfter && { stalledAfter }) });
  const changes = createChanges();
  const queue = createWorkQueue(onError);
  const watches: FolderWatch[] = [];
  let isComplete = false;
  let pulses = 0;
  let timers: readonly NodeJS.Timeout[] = [];

  const lookAtChanges = async (): Promise<void> => {
    const { sessions, isListingChanged } = await findTouched(changes.take(), index, followed);
    for (const [id, files] of sessions) await followed.update(id, files).catch(onError);
    if (isListingChanged && isComplete) emit({ kind: 'listing' });
  };
  const lookSoon = queue.debounced(lookAtChanges, TOGETHER_MS, () => changes.isEmpty());
  const onChange = (file: string, what: PlaceChange): void => {
    changes.addFile(file, what);
    lookSoon();
  };
  const pulse = (): void => {
    pulses++;
    const lost = followed.rootsWithLostProcess();
    for (const place of index.places()) if (lost.has(place.root)) changes.addFacts(place);
    if (lost.size > 0) lookSoon();
    if (pulses % PULSES_PER_REBUILD === 0) queue.run(async () => followed.rebuildAtWork());
  };
  const sweep = async (): Promise<void> => {
    for (const watch of watches) await watch.sweep();
    for (const place of index.places()) changes.addFacts(place);
    for (const id of followed.ids()) changes.addSession(id);
    lookSoon();
    await queue.add(async () => followed.letGo() && emit({ kind: 'listing' }));
    sweepLater();
  };
  const sweepLater = (): void => {
    if (queue.isClosed) return;
    const isBlind = watches.some((watch) => watch.counts().unwatched > 0);
    const timer = setTimeout(() => void sweep().catch(onError), isBlind ? SWEEP_UNWATCHED_MS : sweepEveryMs);
    timers = [...timers.slice(0, 1), timer];
  };
  const begin = async (): Promise<void> => {
    await index.load();
    for (const { adapter, root } of index.places()) {
      const isWanted = await adapter.follow?.watched(root);
      watches.push(watchFolders(root, { onChange, ...(isWanted && { isWanted }) }));
    }
    await Promise.all(watches.map(({ ready }) => ready));
    const sessions = index.all();
    const young = sessions.filter(followed.isInWindow).slice(0, window.sessions);
    const alive = sessions.filter(({ located }) => hasLiveProcess(located));
    for (const { located } of new Set([...young, ...alive])) {
      if (queue.isClosed) return;
      await followed.update(located.id).catch(onError);
    }
    isComplete = true;
    emit({ kind: 'listing' });
    sweepLater();
  };
  timers = [setInterval(pulse, PULSE_MS)];
  queue.run(begin);

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
    }),
    subscribe(listener) {
      listeners.add(listener);
      return { close: () => void listeners.delete(listener) };
    },
    look: (native) =>
      queue.add(async () => {
        const id = index.all().find(({ located }) => nativeId(located.id) === native)?.located.id;
        if (id === undefined) return undefined;
        const isNew = !followed.has(id);
        const tree = await followed.look(id);
        if (isNew && tree) emit({ kind: 'listing' });
        return tree;
      }),
    ledgerOf: followed.ledgerOf,
    transcript: followed.transcript,
    close() {
      queue.close();
      for (const timer of timers) clearTimeout(timer);
      for (const watch of watches) watch.close();
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
