import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { cleanLine, type TranscriptBlock, type TranscriptMessage } from '../../../../src/core/index.ts';
import { cleanMessage, isOpen } from '../../../../src/core/transcript/index.ts';
import type { Backend, MessageRange, TranscriptPart } from '../../backend.ts';
import type { AgentRef } from '../../store.ts';

export const PAGE = 50;
/** The server answers 500 messages at most. */
const PAGES_AT_ONCE = 8;
/** Characters that are kept. Beyond that, the least recently used pages are dropped, and read again when needed. */
const KEPT_CHARACTERS = 16_000_000;
/** How many messages back a call may still be without its result. */
const OPEN_WITHIN = 40;
const PAUSE_AFTER_FAILURE_MS = 2000;

export type BookState =
  | { readonly kind: 'reading' | 'ready' | 'missing' }
  | { readonly kind: 'failed'; readonly reason: string };

interface Entry {
  readonly message: TranscriptMessage;
  readonly traits: string;
  readonly size: number;
}

/** The transcript of one agent, as far as it was read. It grows while the agent works. */
export class Book {
  readonly #state = signal<BookState>({ kind: 'reading' });
  readonly #title = signal('');
  readonly #total = signal<number | undefined>(undefined);
  readonly #edition = signal(0);
  readonly #volume = signal(0);
  readonly #read: (range: MessageRange) => Promise<TranscriptPart | undefined>;
  readonly #messages = new Map<number, Entry>();
  /** Characters per page, least recently used first. */
  readonly #sizes = new Map<number, number>();
  /** Per page: the total when all of it was requested. Not every counted message can be read. */
  readonly #asked = new Map<number, number>();
  readonly #reading = new Map<number, Promise<void>>();
  /** Pages that stay loaded: those in view. */
  #held: readonly [number, number] = [0, 0];
  #isClosed = false;
  #pausedUntil = 0;

  constructor(read: (range: MessageRange) => Promise<TranscriptPart | undefined>) {
    this.#read = read;
  }

  get state(): ReadonlySignal<BookState> {
    return this.#state;
  }
  /** Title of the conversation; empty before the first answer. */
  get title(): ReadonlySignal<string> {
    return this.#title;
  }
  /** Number of messages; unknown before the first answer. */
  get total(): ReadonlySignal<number | undefined> {
    return this.#total;
  }
  /** Increases whenever messages arrive, change or go. */
  get edition(): ReadonlySignal<number> {
    return this.#edition;
  }
  /** Increases when everything loaded so far turns out to belong to another conversation. */
  get volume(): ReadonlySignal<number> {
    return this.#volume;
  }

  at(index: number): TranscriptMessage | undefined {
    return this.#messages.get(index)?.message;
  }

  /** The message was requested and did not come. */
  isLost(index: number): boolean {
    return !this.#messages.has(index) && this.#asked.has(Math.floor(index / PAGE));
  }

  /** Reads the page that is shown first. */
  async open(place: 'beginning' | 'end' | number): Promise<void> {
    if (place === 'beginning') return this.#fetchRange({ from: 0, limit: PAGE });
    // Only an answer says where the end is.
    if (place === 'end') await this.#fetchRange({ from: 0, limit: 1 });
    const at = place === 'end' ? (this.#total.value ?? 0) - 1 : place;
    return this.#fetchRange({ from: Math.max(0, Math.floor(at / PAGE) * PAGE), limit: PAGE });
  }

  /** Requests missing messages of this range without waiting, and keeps the range loaded. */
  want(from: number, to: number): void {
    this.#held = [Math.floor(from / PAGE), Math.floor(to / PAGE)];
    if (this.#total.value === undefined || Date.now() < this.#pausedUntil) return;
    this.#readPages(this.#missingPages(from, to));
  }

  /** Requests missing messages of this range, and waits for them. */
  async load(from: number, to: number): Promise<void> {
    await Promise.all(this.#readPages(this.#missingPages(from, to)));
  }

  /** Reads the end again, from the first call that is still without its result. */
  async refresh(): Promise<void> {
    const end = this.#total.value;
    // The first answer is still to come.
    if (this.#state.value.kind === 'reading') return;
    if (end === undefined) return this.#fetchRange({ from: 0, limit: PAGE });
    let from = Math.max(0, end - 1);
    for (let index = from; index >= Math.max(0, end - OPEN_WITHIN); index--) {
      const entry = this.#messages.get(index);
      if (entry && isOpen(entry.message)) from = index;
    }
    return this.#fetchRange({ from, limit: PAGE });
  }

  close(): void {
    this.#isClosed = true;
  }

  #forget(): void {
    this.#messages.clear();
    this.#sizes.clear();
    this.#asked.clear();
    this.#volume.value++;
  }

  /** Drops the least recently used pages beyond the limit. */
  #evict(): void {
    let sum = [...this.#sizes.values()].reduce((a, b) => a + b, 0);
    for (const [page, size] of this.#sizes) {
      if (sum <= KEPT_CHARACTERS) return;
      if (page >= this.#held[0] && page <= this.#held[1]) continue;
      for (let index = page * PAGE; index < (page + 1) * PAGE; index++) this.#messages.delete(index);
      this.#sizes.delete(page);
      this.#asked.delete(page);
      sum -= size;
    }
  }

  #markUsed(page: number, size: number): void {
    this.#sizes.delete(page);
    this.#sizes.set(page, size);
  }

  #put(part: TranscriptPart): void {
    const isOther = part.messages.some((message, offset) => {
      const before = this.#messages.get(part.from + offset);
      return before !== undefined && before.message.id !== message.id;
    });
    let isChanged = isOther || part.total !== this.#total.value;
    if (isOther || part.total < (this.#total.value ?? 0)) this.#forget();
    for (const [offset, message] of part.messages.entries()) {
      const index = part.from + offset;
      const traits = traitsOf(message);
      const before = this.#messages.get(index);
      if (before?.traits === traits) continue;
      isChanged = true;
      const size = sizeOf(message);
      this.#messages.set(index, { message: cleanMessage(message), traits, size });
      const page = Math.floor(index / PAGE);
      this.#markUsed(page, (this.#sizes.get(page) ?? 0) + size - (before?.size ?? 0));
    }
    this.#evict();
    this.#title.value = cleanLine(part.title ?? '');
    this.#total.value = part.total;
    this.#state.value = { kind: 'ready' };
    if (isChanged) this.#edition.value++;
  }

  async #fetchRange(range: MessageRange): Promise<void> {
    try {
      const part = await this.#read(range);
      if (this.#isClosed) return;
      if (part) batch(() => this.#put(part));
      else if (this.#total.value === undefined) this.#state.value = { kind: 'missing' };
    } catch (error) {
      this.#pausedUntil = Date.now() + PAUSE_AFTER_FAILURE_MS;
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#isClosed) this.#state.value = { kind: 'failed', reason };
    }
  }

  #isMissing(page: number): boolean {
    if (this.#asked.get(page) === this.#total.value) return false;
    const to = Math.min((page + 1) * PAGE, this.#total.value ?? 0);
    for (let index = page * PAGE; index < to; index++) if (!this.#messages.has(index)) return true;
    return false;
  }

  /** Neighbouring pages are one request. */
  #readPages(pages: readonly number[]): readonly Promise<void>[] {
    const promises = pages.flatMap((page) => this.#reading.get(page) ?? []);
    const fresh = pages.filter((page) => !this.#reading.has(page));
    for (let at = 0; at < fresh.length; ) {
      const from = fresh[at] ?? 0;
      let count = 1;
      while (count < PAGES_AT_ONCE && fresh[at + count] === from + count) count++;
      const promise = this.#fetchRange({ from: from * PAGE, limit: count * PAGE }).then(() => {
        for (let page = from; page < from + count; page++) {
          this.#reading.delete(page);
          if (this.#state.value.kind === 'ready') this.#asked.set(page, this.#total.value ?? 0);
        }
      });
      for (let page = from; page < from + count; page++) this.#reading.set(page, promise);
      promises.push(promise);
      at += count;
    }
    return promises;
  }

  #missingPages(from: number, to: number): readonly number[] {
    const last = Math.floor(Math.max(from, Math.min(to, this.#total.value ?? 0) - 1) / PAGE);
    const pages: number[] = [];
    for (let page = Math.floor(Math.max(0, from) / PAGE); page <= last; page++) {
      const size = this.#sizes.get(page);
      if (size !== undefined) this.#markUsed(page, size);
      if (this.#isMissing(page)) pages.push(page);
    }
    return pages;
  }
}

/** Differs whenever the message does: replies grow block by block, and results come later. */
export function traitsOf({ id, content }: TranscriptMessage): string {
  const blocks = content.map((block) => {
    switch (block.type) {
      case 'tool_use':
        return `${block.tool_use_id}>${block.sub_agent_ref?.agent_id ?? ''}`;
      case 'tool_result':
        return `${block.is_error ? '!' : '='}${block.text.length}`;
      case 'image':
      case 'attachment':
        return block.media_type;
      default:
        return String(block.text.length);
    }
  });
  return [id, ...blocks].join(' ');
}

/** Characters it takes, about. */
export function sizeOf({ content }: TranscriptMessage): number {
  return content.reduce((sum, block) => sum + 100 + sizeOfBlock(block), 0);
}

function sizeOfBlock(block: TranscriptBlock): number {
  if (block.type === 'image') return block.data?.length ?? 0;
  if (block.type === 'attachment') return 0;
  return block.type === 'tool_use' ? sizeOfValue(block.input) : block.text.length;
}

function sizeOfValue(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > 32) return 8;
  return Object.values(value).reduce<number>((sum, one) => sum + 16 + sizeOfValue(one, depth + 1), 0);
}

// Transcripts that were opened lately, and where in them the person was: going through a door and back costs nothing.

/** Where the person was when they left. */
export interface Place {
  readonly index: number;
  /** Pixels of that message above the upper edge. */
  readonly above: number;
  readonly isAtEnd: boolean;
}

const KEPT = 4;
const books = new Map<string, Book>();
const places = new Map<string, Place>();

export function keyOf({ session, agent }: AgentRef): string {
  return `${session} ${agent}`;
}

/** `isNew`: nothing of it was read yet. */
export function takeBook(backend: Backend, ref: AgentRef): { readonly book: Book; readonly isNew: boolean } {
  const key = keyOf(ref);
  const before = books.get(key);
  const isNew = before?.state.value.kind !== 'ready';
  const book = isNew || !before ? new Book((range) => backend.transcript(ref.agent, ref.session, range)) : before;
  if (before && book !== before) before.close();
  books.delete(key);
  books.set(key, book);
  for (const [oldest, other] of books) {
    if (books.size <= KEPT) break;
    books.delete(oldest);
    other.close();
  }
  return { book, isNew };
}

export function rememberPlace(ref: AgentRef, place: Place): void {
  places.set(keyOf(ref), place);
}

export function placeIn(ref: AgentRef): Place | undefined {
  return places.get(keyOf(ref));
}
