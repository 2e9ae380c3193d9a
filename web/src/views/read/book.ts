import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { cleanLine, type TranscriptBlock, type TranscriptMessage } from '../../../../src/core/index.ts';
import { cleanMessage, isOpen } from '../../../../src/core/transcript/index.ts';
import type { MessageRange, TranscriptPart } from '../../backend.ts';

export const PAGE = 50;
/** The server answers 500 messages at most. */
const PAGES_AT_ONCE = 8;
/** Characters that are kept. Beyond it, what was not looked at for longest is let go, and read again when wanted. */
const KEPT_CHARACTERS = 16_000_000;
/** How far back a call may still be without its result. */
const OPEN_WITHIN = 40;
const PAUSE_AFTER_FAILURE_MS = 2000;

type BookState =
  | { readonly kind: 'reading' | 'ready' | 'missing' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The transcript of one agent, as far as it was read. It grows while the agent works. */
export interface Book {
  readonly state: ReadonlySignal<BookState>;
  /** Of the conversation. Empty before the first answer. */
  readonly title: ReadonlySignal<string>;
  /** How many messages there are; not known before the first answer. */
  readonly total: ReadonlySignal<number | undefined>;
  /** Counts up whenever messages came, changed or went. */
  readonly edition: ReadonlySignal<number>;
  /** Counts up when everything before turned out to be of another conversation. */
  readonly volume: ReadonlySignal<number>;
  at(index: number): TranscriptMessage | undefined;
  /** It was asked for, and did not come. */
  isLost(index: number): boolean;
  /** Reads the first messages that are to be seen. */
  open(place: 'beginning' | 'end' | number): Promise<void>;
  /** Has these read, where they are missing, without waiting for them. What is wanted is kept. */
  want(from: number, to: number): void;
  /** The same, and waits. */
  load(from: number, to: number): Promise<void>;
  /** Reads again what may have changed: the end. */
  refresh(): Promise<void>;
  close(): void;
}

interface Entry {
  readonly message: TranscriptMessage;
  readonly traits: string;
  readonly size: number;
}

export function createBook(read: (range: MessageRange) => Promise<TranscriptPart | undefined>): Book {
  const state = signal<BookState>({ kind: 'reading' });
  const title = signal('');
  const total = signal<number | undefined>(undefined);
  const edition = signal(0);
  const volume = signal(0);
  const messages = new Map<number, Entry>();
  /** By page, longest unused first. */
  const sizes = new Map<number, number>();
  /** By page: how many messages there were when all of it was asked for. Not all that is counted can be read. */
  const asked = new Map<number, number>();
  const reading = new Map<number, Promise<void>>();
  let held: readonly [number, number] = [0, 0];
  let isClosed = false;
  let pausedUntil = 0;

  const forget = (): void => {
    messages.clear();
    sizes.clear();
    asked.clear();
    volume.value++;
  };

  const letGo = (): void => {
    let sum = [...sizes.values()].reduce((a, b) => a + b, 0);
    for (const [page, size] of sizes) {
      if (sum <= KEPT_CHARACTERS) return;
      if (page >= held[0] && page <= held[1]) continue;
      for (let index = page * PAGE; index < (page + 1) * PAGE; index++) messages.delete(index);
      sizes.delete(page);
      asked.delete(page);
      sum -= size;
    }
  };

  const use = (page: number, size: number): void => {
    sizes.delete(page);
    sizes.set(page, size);
  };

  const put = (part: TranscriptPart): void => {
    const isOther = part.messages.some((message, offset) => {
      const before = messages.get(part.from + offset);
      return before !== undefined && before.message.id !== message.id;
    });
    let isChanged = isOther || part.total !== total.value;
    if (isOther || part.total < (total.value ?? 0)) forget();
    for (const [offset, message] of part.messages.entries()) {
      const index = part.from + offset;
      const traits = traitsOf(message);
      const before = messages.get(index);
      if (before?.traits === traits) continue;
      isChanged = true;
      const size = sizeOf(message);
      messages.set(index, { message: cleanMessage(message), traits, size });
      const page = Math.floor(index / PAGE);
      use(page, (sizes.get(page) ?? 0) + size - (before?.size ?? 0));
    }
    letGo();
    title.value = cleanLine(part.title ?? '');
    total.value = part.total;
    state.value = { kind: 'ready' };
    if (isChanged) edition.value++;
  };

  const fetchRange = async (range: MessageRange): Promise<void> => {
    try {
      const part = await read(range);
      if (isClosed) return;
      if (part) batch(() => put(part));
      else if (total.value === undefined) state.value = { kind: 'missing' };
    } catch (error) {
      pausedUntil = Date.now() + PAUSE_AFTER_FAILURE_MS;
      const reason = error instanceof Error ? error.message : String(error);
      if (!isClosed) state.value = { kind: 'failed', reason };
    }
  };

  const isMissing = (page: number): boolean => {
    if (asked.get(page) === total.value) return false;
    const to = Math.min((page + 1) * PAGE, total.value ?? 0);
    for (let index = page * PAGE; index < to; index++) if (!messages.has(index)) return true;
    return false;
  };

  /** Neighbouring pages in one go. */
  const readPages = (pages: readonly number[]): readonly Promise<void>[] => {
    const promises = pages.flatMap((page) => reading.get(page) ?? []);
    const fresh = pages.filter((page) => !reading.has(page));
    for (let at = 0; at < fresh.length; ) {
      const from = fresh[at] ?? 0;
      let count = 1;
      while (count < PAGES_AT_ONCE && fresh[at + count] === from + count) count++;
      const promise = fetchRange({ from: from * PAGE, limit: count * PAGE }).then(() => {
        for (let page = from; page < from + count; page++) {
          reading.delete(page);
          if (state.value.kind === 'ready') asked.set(page, total.value ?? 0);
        }
      });
      for (let page = from; page < from + count; page++) reading.set(page, promise);
      promises.push(promise);
      at += count;
    }
    return promises;
  };

  const missingPages = (from: number, to: number): readonly number[] => {
    const last = Math.floor(Math.max(from, Math.min(to, total.value ?? 0) - 1) / PAGE);
    const pages: number[] = [];
    for (let page = Math.floor(Math.max(0, from) / PAGE); page <= last; page++) {
      const size = sizes.get(page);
      if (size !== undefined) use(page, size);
      if (isMissing(page)) pages.push(page);
    }
    return pages;
  };

  return {
    state,
    title,
    total,
    edition,
    volume,
    at: (index) => messages.get(index)?.message,
    isLost: (index) => !messages.has(index) && asked.has(Math.floor(index / PAGE)),
    async open(place) {
      if (place === 'beginning') return fetchRange({ from: 0, limit: PAGE });
      // Where the end is, only an answer says.
      if (place === 'end') await fetchRange({ from: 0, limit: 1 });
      const at = place === 'end' ? (total.value ?? 0) - 1 : place;
      return fetchRange({ from: Math.max(0, Math.floor(at / PAGE) * PAGE), limit: PAGE });
    },
    want(from, to) {
      held = [Math.floor(from / PAGE), Math.floor(to / PAGE)];
      if (total.value === undefined || Date.now() < pausedUntil) return;
      readPages(missingPages(from, to));
    },
    async load(from, to) {
      await Promise.all(readPages(missingPages(from, to)));
    },
    async refresh() {
      const end = total.value;
      // The first answer is on its way.
      if (state.value.kind === 'reading') return;
      if (end === undefined) return fetchRange({ from: 0, limit: PAGE });
      let from = Math.max(0, end - 1);
      for (let index = from; index >= Math.max(0, end - OPEN_WITHIN); index--) {
        const entry = messages.get(index);
        if (entry && isOpen(entry.message)) from = index;
      }
      return fetchRange({ from, limit: PAGE });
    },
    close() {
      isClosed = true;
    },
  };
}

/** Changes whenever the message has: replies grow block by block, and results come later. */
function traitsOf({ id, content }: TranscriptMessage): string {
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
function sizeOf({ content }: TranscriptMessage): number {
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
