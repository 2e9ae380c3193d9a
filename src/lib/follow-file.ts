import { readSync, type Stats, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createLineSplitter, type Line } from './lines.ts';
import { readLines, readRange } from './read-lines.ts';
import { closing, MAX_DOCUMENT_BYTES, openRegularSync, readRegular, readRegularSync } from './regular-file.ts';
import { isGone } from './user-error.ts';

/**
 * What a look at a file brought. `replaced`: it holds other bytes than those that were read. `later`: something came, and
 * is to be looked at a little later.
 */
export type Look = 'nothing' | 'news' | 'replaced' | 'gone' | 'later';

/** One growing file: each look hands over the lines that came since the last one, the torn last one again if it grew. */
export interface LineCursor {
  /** Behind the last whole line. */
  readonly next: number;
  /** When the file was last written to, as of the last look; epoch milliseconds. */
  readonly modifiedAt: number;
  look(onLine: (line: Line) => void): Promise<Look>;
  /** Undefined: half a line is at its end, or it is no file of lines. */
  mark(): FileMark | undefined;
}

/** How far a file of lines was read: `hasGrownFrom` tells later whether it only grew since. */
export interface FileMark {
  readonly inode: number;
  /** Behind the last whole line. */
  readonly next: number;
  /** The first bytes, and those before `next`, as base64. */
  readonly head: string;
  readonly tail: string;
}

/** It still holds what was read of it. */
export function hasGrownFrom({ inode, next, head, tail }: FileMark, file: string): boolean {
  try {
    const now = statSync(file);
    if (now.ino !== inode || now.size < next) return false;
    const [first, last] = [Buffer.from(head, 'base64'), Buffer.from(tail, 'base64')];
    const isSame = (bytes: Uint8Array, from: number): boolean => isEqual(readBytes(file, from, bytes.length), bytes);
    return isSame(first, 0) && isSame(last, next - last.length);
  } catch {
    return false;
  }
}

/** Of its beginning and of where it was read to: enough to tell that a file was written anew and has grown beyond its old size. */
const TAIL_BYTES = 64;
/** So much is read at once, without giving way to others: an append is a few kilobytes. */
const AT_ONCE_BYTES = 256 * 1024;

/** A last line so long that is still being written is looked at now and then, not at each of its pieces. */
const LONG_TAIL_BYTES = 1024 * 1024;
const LONG_TAIL_MS = 1_000;

/** Two writes so close together may leave the same times behind: the system's clock of files has coarse ticks. */
const TICK_MS = 20;

interface Seen {
  readonly inode: number;
  /** As much as was read, which is more or less than the file had just before where somebody writes meanwhile. */
  readonly size: number;
  readonly changedAt: number;
  readonly modifiedAt: number;
  /** It was of this size before it was read as well: the times are those of the bytes that were read. */
  readonly isExact: boolean;
  /** So young that what was written right after it was read has the same times. */
  readonly isYoung: boolean;
}

export function createLineCursor(file: string): LineCursor {
  let next = 0;
  let seen: Seen | undefined;
  /** When a long last line was last looked at, by our own clock. */
  let longTailAt = Number.NEGATIVE_INFINITY;
  /** The first bytes of all, as far as they are in whole lines. */
  let head: Uint8Array = new Uint8Array(0);
  /** The bytes before `next`. */
  let tail: Uint8Array = new Uint8Array(0);
  /** How the torn line behind `next` began: it may only grow. */
  let torn: Uint8Array = new Uint8Array(0);

  const readFrom = async (now: Stats, onLine: (line: Line) => void): Promise<void> => {
    const read = await readLines(file, onLine, next);
    next = read.next;
    const from = Math.max(0, next - TAIL_BYTES);
    const around = readBytes(file, from, Math.min(read.end, next + TAIL_BYTES) - from);
    tail = around.subarray(0, next - from);
    torn = around.subarray(next - from);
    noteHead();
    seen = toSeen(now, read.end);
  };
  const noteHead = (): void => {
    if (head.length < TAIL_BYTES) head = readBytes(file, 0, Math.min(TAIL_BYTES, next));
  };
  const readMuch = async (now: Stats, before: number, onLine: (line: Line) => void): Promise<Look> => {
    const around = await readRange(file, next - tail.length, tail.length + torn.length);
    if (!isEqual(around, Buffer.concat([tail, torn]))) return 'replaced';
    if (!isEqual(readBytes(file, 0, head.length), head)) return 'replaced';
    await readFrom(now, onLine);
    return seen && seen.size < before ? 'replaced' : 'news';
  };
  const readAtOnce = (now: Stats, before: number, onLine: (line: Line) => void): Look => {
    const from = next - tail.length;
    // Opening it again for its head would take as long as reading it.
    const [first, bytes] = closing(openRegularSync(file), (handle) => [
      readAt(handle, 0, head.length),
      readAt(handle, from, now.size - from),
    ]);
    // It may have been cut since we asked for its size.
    if (from + bytes.length < before || !isEqual(bytes.subarray(0, tail.length), tail)) return 'replaced';
    if (!isEqual(bytes.subarray(tail.length, tail.length + torn.length), torn) || !isEqual(first, head))
      return 'replaced';
    seen = toSeen(now, from + bytes.length);
    if (bytes.length === tail.length) return 'nothing';
    const splitter = createLineSplitter({ startOffset: next });
    for (const line of splitter.push(bytes.subarray(tail.length))) {
      next = line.offset + line.length + 1;
      onLine(line);
    }
    const rest = splitter.rest();
    if (rest) onLine(rest);
    // Copied: a view would keep all the bytes around it.
    tail = new Uint8Array(bytes.subarray(Math.max(0, next - TAIL_BYTES - from), next - from));
    torn = new Uint8Array(bytes.subarray(next - from, next - from + TAIL_BYTES));
    noteHead();
    return 'news';
  };

  return {
    get next() {
      return next;
    },
    get modifiedAt() {
      return seen?.modifiedAt ?? 0;
    },
    mark() {
      if (!seen || torn.length > 0) return undefined;
      const [first, last] = [head, tail].map((bytes) => Buffer.from(bytes).toString('base64'));
      return { inode: seen.inode, next, head: first ?? '', tail: last ?? '' };
    },
    async look(onLine) {
      try {
        // Without giving way: a promise for each of a thousand appends a second costs more than the reading.
        const now = statSync(file);
        if (!seen) {
          await readFrom(now, onLine);
          return 'news';
        }
        if (now.ino !== seen.inode || now.size < seen.size) return 'replaced';
        if (now.size === seen.size && !seen.isYoung && now.ctimeMs === seen.changedAt) return 'nothing';
        // Written, and no longer than before: an edit in place.
        if (now.size === seen.size && seen.isExact && now.mtimeMs !== seen.modifiedAt) return 'replaced';
        if (now.size - next > LONG_TAIL_BYTES) {
          if (performance.now() - longTailAt < LONG_TAIL_MS) return 'later';
          longTailAt = performance.now();
        }
        const { size } = seen;
        return now.size - next > AT_ONCE_BYTES ? await readMuch(now, size, onLine) : readAtOnce(now, size, onLine);
      } catch (error) {
        // It was there before. One that cannot be read at all is another matter: what is wrong with it is told.
        if (seen && isGone(error)) return 'gone';
        throw error;
      }
    },
  };
}

/** One document, written anew as a whole: each look hands over its text where it may have changed. */
export function createDocumentCursor(file: string, maxBytes = MAX_DOCUMENT_BYTES): LineCursor {
  let seen: Seen | undefined;
  /** The bytes of a text that is so young that its times do not tell whether it is still the same. */
  let young: Uint8Array | undefined;
  return {
    next: 0,
    mark: () => undefined,
    get modifiedAt() {
      return seen?.modifiedAt ?? 0;
    },
    async look(onLine) {
      try {
        // Others have their turn, however many files are read for the first time one after the other.
        if (!seen) await setImmediate();
        const now = statSync(file);
        const isSame = seen && now.ino === seen.inode && now.size === seen.size && now.ctimeMs === seen.changedAt;
        if (isSame && !young) return 'nothing';
        // As in `readLines`: the way to another thread and back takes longer than the reading.
        const isShort = now.size <= AT_ONCE_BYTES;
        const bytes = isShort ? readRegularSync(file, maxBytes) : await readRegular(file, maxBytes);
        seen = toSeen(now, bytes.length);
        const isAsBefore = isSame && young && isEqual(young, bytes);
        young = seen.isYoung ? bytes : undefined;
        if (isAsBefore) return 'nothing';
        onLine({ bytes, offset: 0, length: bytes.length, torn: false, tooLong: false });
        return 'news';
      } catch (error) {
        if (seen && isGone(error)) return 'gone';
        throw error;
      }
    },
  };
}

function toSeen({ ino, size, ctimeMs, mtimeMs }: Stats, read: number): Seen {
  const isYoung = Date.now() - ctimeMs < TICK_MS;
  return { inode: ino, size: read, changedAt: ctimeMs, modifiedAt: mtimeMs, isExact: read === size, isYoung };
}

function readBytes(file: string, offset: number, length: number): Uint8Array {
  return closing(openRegularSync(file), (handle) => readAt(handle, offset, length));
}

function readAt(handle: number, offset: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(handle, bytes, 0, length, offset));
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
