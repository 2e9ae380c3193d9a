import { type ReadonlySignal, signal } from '@preact/signals';
import { type AuditFilter, type HeardCall, matchesFilter } from '../../../src/core/index.ts';
import type { Backend } from '../backend.ts';
import { onHeard } from '../store.ts';

/** `silent`: nobody listens to hooks here, as in a recording. */
export type FeedState = 'loading' | 'ready' | 'silent' | { readonly trouble: string };

export interface CallFeed {
  /** Oldest first, each once. */
  readonly calls: ReadonlySignal<readonly HeardCall[]>;
  readonly state: ReadonlySignal<FeedState>;
  readonly hasOlder: ReadonlySignal<boolean>;
  /** Asks for those before the first one. */
  loadOlder(): Promise<void>;
  close(): void;
}

/** A page that is left open for days lets go of the oldest, unless somebody asked for them: they can be had again. */
const KEPT = 5_000;

/** Tool calls that hooks heard of: the newest `limit`, then each as it comes. */
export function openCallFeed(backend: Pick<Backend, 'heard'>, filter: AuditFilter, limit: number): CallFeed {
  const calls = signal<readonly HeardCall[]>([]);
  const state = signal<FeedState>('loading');
  const hasOlder = signal(false);
  let isClosed = false;

  const set = (next: readonly HeardCall[]): void => {
    const kept = Math.max(KEPT, calls.peek().length);
    if (next.length > kept) hasOlder.value = true;
    calls.value = next.slice(-kept);
  };
  const ask = async (wanted: AuditFilter) => {
    const part = await backend.heard(wanted, limit);
    state.value = part ? 'ready' : 'silent';
    return isClosed ? undefined : part;
  };
  const load = async (): Promise<void> => {
    try {
      const before = calls.peek();
      const part = await ask(filter);
      if (!part) return;
      // Where more than one answer holds came in the meantime, what we had does not reach up to it.
      const isGap = part.hasMore && (part.entries[0]?.n ?? 0) > (before.at(-1)?.n ?? 0);
      const since = calls.peek().filter((call) => !before.includes(call));
      if (isGap || before.length === 0) hasOlder.value = part.hasMore;
      set(mergeCalls(isGap ? since : calls.peek(), part.entries));
    } catch (error) {
      state.value = { trouble: error instanceof Error ? error.message : String(error) };
    }
  };
  const stop = onHeard({
    hear: (news) => {
      const wanted = news.filter((call) => matchesFilter(call, filter));
      if (wanted.length > 0) set(mergeCalls(calls.peek(), wanted));
    },
    miss: () => void load(),
  });
  void load();
  return {
    calls,
    state,
    hasOlder,
    async loadOlder() {
      const first = calls.peek()[0];
      if (!first) return;
      try {
        const part = await ask({ ...filter, until: Date.parse(first.at) });
        if (!part) return;
        const older = mergeCalls(calls.peek(), part.entries);
        // They are asked for by time: where all of an answer is one millisecond, it does not lead further back.
        hasOlder.value = part.hasMore && older.length > calls.peek().length;
        calls.value = older;
      } catch (error) {
        state.value = { trouble: error instanceof Error ? error.message : String(error) };
      }
    },
    close() {
      isClosed = true;
      stop();
    },
  };
}

/** In the order of the audit; what is in both is there once. */
export function mergeCalls(a: readonly HeardCall[], b: readonly HeardCall[]): readonly HeardCall[] {
  const last = a.at(-1)?.n ?? 0;
  if (b.every(({ n }, index) => n > (b[index - 1]?.n ?? last))) return [...a, ...b];
  const byNumber = new Map([...a, ...b].map((call) => [call.n, call]));
  return [...byNumber.values()].sort((one, other) => one.n - other.n);
}
