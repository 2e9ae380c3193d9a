import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { countHits, createSearchPattern, type Hit, hitsIn } from '../../../../src/core/transcript/index.ts';
import { type Book, PAGE } from './book.ts';

export interface FindProgress {
  readonly hits: number;
  /** Messages that were searched. */
  readonly searched: number;
}

export interface FoundPlace {
  readonly message: number;
  /** Position among the hits of its message, from 0. */
  readonly nth: number;
  readonly hit: Hit;
  /** Position among all known hits, from 1. */
  readonly ordinal: number;
}

/** Messages per read. */
const BATCH = 8 * PAGE;
/** Longest stretch of work before input gets a turn. */
const SLICE_MS = 12;
/** Messages at the end that a refresh may have changed. */
const UNSETTLED = 40;
const NOTHING: FindProgress = { hits: 0, searched: 0 };

/** A search in one transcript, and its progress. */
export class Finder {
  readonly #isShown = signal(false);
  readonly #query = signal('');
  readonly #pattern = signal<RegExp | undefined>(undefined);
  readonly #progress = signal(NOTHING);
  readonly #current = signal<FoundPlace | undefined>(undefined);
  readonly #counts = new HitCounts();
  readonly #book: Book;
  #run = 0;
  #isRunning = false;

  constructor(book: Book) {
    this.#book = book;
  }

  get isShown(): ReadonlySignal<boolean> {
    return this.#isShown;
  }
  get query(): ReadonlySignal<string> {
    return this.#query;
  }
  get pattern(): ReadonlySignal<RegExp | undefined> {
    return this.#pattern;
  }
  get progress(): ReadonlySignal<FindProgress> {
    return this.#progress;
  }
  get current(): ReadonlySignal<FoundPlace | undefined> {
    return this.#current;
  }

  show(): void {
    this.#isShown.value = true;
  }

  hide(): void {
    batch(() => {
      this.#isShown.value = false;
      this.#reset('');
    });
  }

  /** `near`: the message that the person looks at. */
  search(query: string, near: number): void {
    batch(() => this.#reset(query));
    void this.#searchFrom(0, near);
  }

  step(by: 1 | -1, near: number): void {
    const place = this.#current.value;
    const next = place ? place.nth + by : 0;
    const from = place?.message ?? near;
    if (place && next >= 0 && next < this.#counts.of(place.message)) this.#goTo(place.message, next);
    else if (by === 1) this.#goTo(this.#counts.firstFrom(from + 1) ?? this.#counts.firstFrom(0), 'first');
    else this.#goTo(this.#counts.lastBefore(from) ?? this.#counts.lastBefore(Number.POSITIVE_INFINITY), 'last');
  }

  /** After the end of the transcript was read again. */
  searchEnd(): void {
    if (!this.#pattern.value || this.#isRunning) return;
    void this.#searchFrom(Math.max(0, this.#progress.value.searched - UNSETTLED), 0);
  }

  close(): void {
    this.#run++;
  }

  /** From where the person looks to the end, then from the message `from` on. */
  async #searchFrom(from: number, near: number): Promise<void> {
    const mine = ++this.#run;
    if (!this.#pattern.value) return;
    this.#isRunning = true;
    const start = near - (near % PAGE);
    if (await this.#searchRange(mine, Math.max(from, start), () => this.#book.total.value ?? 0)) return;
    if (await this.#searchRange(mine, from, () => Math.max(from, start))) return;
    this.#isRunning = false;
    this.#report(this.#book.total.value ?? 0);
    if (!this.#current.value) this.#goTo(this.#counts.firstFrom(0), 'first');
  }

  /** Returns whether another search began meanwhile. */
  async #searchRange(mine: number, from: number, end: () => number): Promise<boolean> {
    const wanted = this.#pattern.value;
    let sliceEnd = performance.now() + SLICE_MS;
    for (let at = from; wanted && at < end(); at += BATCH) {
      const to = Math.min(at + BATCH, end());
      await this.#book.load(at, to);
      if (mine !== this.#run) return true;
      for (let index = at; index < to; index++) {
        const message = this.#book.at(index);
        this.#counts.set(index, message ? countHits(message, wanted) : 0);
        if (performance.now() < sliceEnd) continue;
        await breathe();
        if (mine !== this.#run) return true;
        sliceEnd = performance.now() + SLICE_MS;
      }
      this.#report(this.#progress.value.searched + to - at);
      if (!this.#current.value) this.#goTo(this.#counts.firstFrom(from), 'first');
    }
    return mine !== this.#run;
  }

  #report(searched: number): void {
    batch(() => {
      this.#progress.value = { hits: this.#counts.sum(), searched: Math.min(searched, this.#book.total.value ?? 0) };
      const place = this.#current.value;
      if (place) this.#current.value = this.#withOrdinal(place);
    });
  }

  #withOrdinal(place: Omit<FoundPlace, 'ordinal'>): FoundPlace {
    const ordinal = this.#counts.sumBefore(place.message) + place.nth + 1;
    const before = this.#current.value;
    const isSame = before?.message === place.message && before.nth === place.nth && before.ordinal === ordinal;
    return isSame ? before : { ...place, ordinal };
  }

  #goTo(message: number | undefined, which: 'first' | 'last' | number): void {
    if (message === undefined) return;
    const [wanted, text] = [this.#pattern.value, this.#book.at(message)];
    if (!text) {
      // The book dropped its page meanwhile.
      const mine = this.#run;
      const isStillWanted = () => mine === this.#run && this.#book.at(message) !== undefined;
      void this.#book.load(message, message + 1).then(() => isStillWanted() && this.#goTo(message, which));
      return;
    }
    const hits = wanted ? hitsIn(text, wanted) : [];
    const nth = which === 'first' ? 0 : which === 'last' ? hits.length - 1 : which;
    const hit = hits[nth];
    if (hit) this.#current.value = this.#withOrdinal({ message, nth, hit });
  }

  #reset(text: string): void {
    this.#run++;
    this.#counts.clear();
    this.#isRunning = false;
    this.#query.value = text;
    this.#pattern.value = createSearchPattern(text);
    this.#current.value = undefined;
    this.#progress.value = NOTHING;
  }
}

function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** The number of hits in each message. */
export class HitCounts {
  readonly #counts = new Map<number, number>();
  /** Messages with hits, in order. */
  #order: number[] = [];
  #sum = 0;

  set(message: number, count: number): void {
    const before = this.of(message);
    this.#sum += count - before;
    if (count === before) return;
    if (before === 0) this.#order.splice(this.#placeOf(message), 0, message);
    if (count === 0) this.#order.splice(this.#placeOf(message), 1);
    if (count === 0) this.#counts.delete(message);
    else this.#counts.set(message, count);
  }

  of(message: number): number {
    return this.#counts.get(message) ?? 0;
  }

  sum(): number {
    return this.#sum;
  }

  sumBefore(message: number): number {
    return this.#order.slice(0, this.#placeOf(message)).reduce((sum, one) => sum + this.of(one), 0);
  }

  /** The first message with a hit, from this one on. */
  firstFrom(message: number): number | undefined {
    return this.#order[this.#placeOf(message)];
  }

  /** The last message with a hit before this one. */
  lastBefore(message: number): number | undefined {
    return this.#order[this.#placeOf(message) - 1];
  }

  clear(): void {
    this.#counts.clear();
    this.#order = [];
    this.#sum = 0;
  }

  #placeOf(message: number): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#order[middle] ?? 0) < message) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
