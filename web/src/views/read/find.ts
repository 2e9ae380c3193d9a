import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { countHits, createSearchPattern, type Hit, hitsIn } from '../../../../src/core/transcript/index.ts';
import { type Book, PAGE } from './book.ts';

/** What is looked for in a transcript, and how far the looking has come. */
export interface Finder {
  readonly isShown: ReadonlySignal<boolean>;
  readonly query: ReadonlySignal<string>;
  readonly pattern: ReadonlySignal<RegExp | undefined>;
  readonly progress: ReadonlySignal<FindProgress>;
  readonly current: ReadonlySignal<FoundPlace | undefined>;
  show(): void;
  hide(): void;
  /** `near`: the message that the person looks at. */
  look(query: string, near: number): void;
  step(by: 1 | -1, near: number): void;
  /** The end of the transcript was read again. */
  lookAgain(): void;
  close(): void;
}

export interface FindProgress {
  readonly hits: number;
  /** Messages that were looked through. */
  readonly searched: number;
}

export interface FoundPlace {
  readonly message: number;
  /** Of the hits in its message. */
  readonly nth: number;
  readonly hit: Hit;
  /** Of all hits that are known, from 1. */
  readonly ordinal: number;
}

/** Messages that are read at once to be looked through. */
const BATCH = 8 * PAGE;
/** A keystroke must not wait for the one before it. */
const SLICE_MS = 12;
/** Messages at the end that may have changed with the last news. */
const UNSETTLED = 40;
const NOTHING: FindProgress = { hits: 0, searched: 0 };

export function createFinder(book: Book): Finder {
  const isShown = signal(false);
  const query = signal('');
  const pattern = signal<RegExp | undefined>(undefined);
  const progress = signal(NOTHING);
  const current = signal<FoundPlace | undefined>(undefined);
  const counts = createHitCounts();
  let run = 0;
  let isRunning = false;

  /** From where the person looks to the end, then from the beginning; `from`: not what lies before it. */
  const search = async (from: number, near: number): Promise<void> => {
    const mine = ++run;
    if (!pattern.value) return;
    isRunning = true;
    const start = near - (near % PAGE);
    if (await searchRange(mine, Math.max(from, start), () => book.total.value ?? 0)) return;
    if (await searchRange(mine, from, () => Math.max(from, start))) return;
    isRunning = false;
    tell(book.total.value ?? 0);
    if (!current.value) goTo(counts.firstFrom(0), 'first');
  };

  /** Says whether another search has begun meanwhile. */
  const searchRange = async (mine: number, from: number, end: () => number): Promise<boolean> => {
    const wanted = pattern.value;
    let sliceEnd = performance.now() + SLICE_MS;
    for (let at = from; wanted && at < end(); at += BATCH) {
      const to = Math.min(at + BATCH, end());
      await book.load(at, to);
      if (mine !== run) return true;
      for (let index = at; index < to; index++) {
        const message = book.at(index);
        counts.set(index, message ? countHits(message, wanted) : 0);
        if (performance.now() < sliceEnd) continue;
        await breathe();
        if (mine !== run) return true;
        sliceEnd = performance.now() + SLICE_MS;
      }
      tell(progress.value.searched + to - at);
      if (!current.value) goTo(counts.firstFrom(from), 'first');
    }
    return mine !== run;
  };

  const tell = (searched: number): void => {
    batch(() => {
      progress.value = { hits: counts.sum(), searched: Math.min(searched, book.total.value ?? 0) };
      const place = current.value;
      if (place) current.value = withOrdinal(place);
    });
  };

  const withOrdinal = (place: Omit<FoundPlace, 'ordinal'>): FoundPlace => {
    const ordinal = counts.sumBefore(place.message) + place.nth + 1;
    const before = current.value;
    const isSame = before?.message === place.message && before.nth === place.nth && before.ordinal === ordinal;
    return isSame ? before : { ...place, ordinal };
  };

  const goTo = (message: number | undefined, which: 'first' | 'last' | number): void => {
    if (message === undefined) return;
    const [wanted, text] = [pattern.value, book.at(message)];
    if (!text) {
      // It was let go meanwhile.
      const mine = run;
      void book.load(message, message + 1).then(() => mine === run && book.at(message) && goTo(message, which));
      return;
    }
    const hits = wanted ? hitsIn(text, wanted) : [];
    const nth = which === 'first' ? 0 : which === 'last' ? hits.length - 1 : which;
    const hit = hits[nth];
    if (hit) current.value = withOrdinal({ message, nth, hit });
  };

  const forget = (text: string): void => {
    run++;
    counts.clear();
    isRunning = false;
    query.value = text;
    pattern.value = createSearchPattern(text);
    current.value = undefined;
    progress.value = NOTHING;
  };

  return {
    isShown,
    query,
    pattern,
    progress,
    current,
    show() {
      isShown.value = true;
    },
    hide() {
      batch(() => {
        isShown.value = false;
        forget('');
      });
    },
    look(text, near) {
      batch(() => forget(text));
      void search(0, near);
    },
    step(by, near) {
      const place = current.value;
      const next = place ? place.nth + by : 0;
      if (place && next >= 0 && next < counts.of(place.message)) return goTo(place.message, next);
      const from = place?.message ?? near;
      if (by === 1) goTo(counts.firstFrom(from + 1) ?? counts.firstFrom(0), 'first');
      else goTo(counts.lastBefore(from) ?? counts.lastBefore(Number.POSITIVE_INFINITY), 'last');
    },
    lookAgain() {
      if (pattern.value && !isRunning) void search(Math.max(0, progress.value.searched - UNSETTLED), 0);
    },
    close() {
      run++;
    },
  };
}

function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** How many hits there are in which message. */
export interface HitCounts {
  set(message: number, count: number): void;
  of(message: number): number;
  /** In all messages. */
  sum(): number;
  /** In those before this one. */
  sumBefore(message: number): number;
  /** The first message with a hit, from this one on. */
  firstFrom(message: number): number | undefined;
  /** The last message with a hit before this one. */
  lastBefore(message: number): number | undefined;
  clear(): void;
}

export function createHitCounts(): HitCounts {
  const counts = new Map<number, number>();
  /** Messages with hits, in their order. */
  let order: number[] = [];
  let sum = 0;
  const placeOf = (message: number): number => {
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((order[middle] ?? 0) < message) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    set(message, count) {
      const before = counts.get(message) ?? 0;
      sum += count - before;
      if (count === before) return;
      if (before === 0) order.splice(placeOf(message), 0, message);
      if (count === 0) order.splice(placeOf(message), 1);
      if (count === 0) counts.delete(message);
      else counts.set(message, count);
    },
    of: (message) => counts.get(message) ?? 0,
    sum: () => sum,
    sumBefore: (message) =>
      order.slice(0, placeOf(message)).reduce((before, one) => before + (counts.get(one) ?? 0), 0),
    firstFrom: (message) => order[placeOf(message)],
    lastBefore: (message) => order[placeOf(message) - 1],
    clear() {
      counts.clear();
      order = [];
      sum = 0;
    },
  };
}
