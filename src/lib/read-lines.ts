import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createLineSplitter, type Line } from './lines.ts';
import { assertSize, closing, openLines, openRegularSync } from './regular-file.ts';

const CHUNK_BYTES = 1024 * 1024;

/** The system clears each new megabyte before it can be used, which takes as long as reading one. */
const spare: Buffer[] = [];
const MAX_SPARE = 4;

function takeChunk(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
}

function giveBack(chunk: Buffer): void {
  if (spare.length < MAX_SPARE) spare.push(chunk);
}

export interface LinesRead {
  readonly next: number;
  readonly end: number;
}

type OnLine = (line: Line) => void;

/**
 * Hands over every line of a file from `startOffset` on, in order, the torn last one included. Its bytes hold until `onLine` returns. Returns the offset behind
 * the last whole line, from where a later call can go on, and where the bytes ended.
 */
export async function readLines(path: string, onLine: OnLine, startOffset = 0): Promise<LinesRead> {
  // Others have their turn, however many files are read one after the other.
  await setImmediate();
  const length = statSync(path).size - startOffset;
  return length < CHUNK_BYTES ? readAtOnce(path, onLine, startOffset) : readByChunks(path, onLine, startOffset);
}

/**
 * Without leaving the thread: of a session with hundreds of files, more time went into waiting for other threads to open, read and
 * close them than into reading them.
 */
function readAtOnce(path: string, onLine: OnLine, startOffset: number): LinesRead {
  const splitter = createLineSplitter({ startOffset });
  let position = startOffset;
  const handle = openRegularSync(path);
  const buffer = takeChunk();
  try {
    for (let bytesRead = buffer.length; bytesRead === buffer.length; ) {
      bytesRead = readSync(handle, buffer, 0, buffer.length, position);
      position += bytesRead;
      for (const line of splitter.push(buffer.subarray(0, bytesRead))) onLine(line);
    }
    const rest = splitter.rest();
    if (rest) onLine(rest);
    return { next: splitter.next, end: position };
  } finally {
    giveBack(buffer);
    closeSync(handle);
  }
}

async function readByChunks(path: string, onLine: OnLine, startOffset: number): Promise<LinesRead> {
  const splitter = createLineSplitter({ startOffset });
  const file = await openLines(path);
  // While one chunk is taken apart, the system fetches the next one into the other buffer.
  let [current, other] = [takeChunk(), takeChunk()];
  try {
    let position = startOffset;
    let { bytesRead } = await file.read(current, 0, CHUNK_BYTES, position);
    while (bytesRead > 0) {
      position += bytesRead;
      const ahead = file.read(other, 0, CHUNK_BYTES, position);
      try {
        for (const line of splitter.push(current.subarray(0, bytesRead))) onLine(line);
      } finally {
        ({ bytesRead } = await ahead);
      }
      [current, other] = [other, current];
    }
    const rest = splitter.rest();
    if (rest) onLine(rest);
    return { next: splitter.next, end: position };
  } finally {
    await file.close();
    giveBack(current);
    giveBack(other);
  }
}

const BACKWARDS_BYTES = 64 * 1024;
const NEWLINE = 10;
/** A line has to fit into memory. Nobody writes one like that. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

/** The lines of a file from the last to the first, with their places; a torn one comes first. Reads only as far as asked. */
export async function* readLinesBackwards(path: string): AsyncGenerator<Line> {
  const file = await openLines(path);
  try {
    let position = (await file.stat()).size;
    /** Of the line whose beginning was not met yet, the last piece first. */
    let pieces: Uint8Array[] = [];
    let isTorn = true;
    const take = (offset: number): Line => {
      const bytes = Buffer.concat(pieces.reverse());
      const line = { bytes, offset, length: bytes.length, torn: isTorn, tooLong: false };
      pieces = [];
      isTorn = false;
      return line;
    };
    while (position > 0) {
      const from = Math.max(0, position - BACKWARDS_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(position - from), 0, position - from, from);
      let to = bytesRead;
      for (let at = lastNewline(buffer, to); at !== -1; at = lastNewline(buffer, to)) {
        pieces.push(buffer.subarray(at + 1, to));
        const line = take(from + at + 1);
        // Behind the last newline stands nothing, unless the last line is torn.
        if (!line.torn || line.length > 0) yield line;
        to = at;
      }
      pieces.push(buffer.subarray(0, to));
      assertSize(path, pieces.length * BACKWARDS_BYTES, MAX_LINE_BYTES);
      position = from;
    }
    const first = take(0);
    if (!first.torn || first.length > 0) yield first;
  } finally {
    await file.close();
  }
}

function lastNewline(buffer: Buffer, before: number): number {
  return before === 0 ? -1 : buffer.lastIndexOf(NEWLINE, before - 1);
}

/** The lines of a file in order, the torn last one included, as they are asked for: no more is read ahead than a chunk. */
export async function* streamLines(path: string, startOffset = 0): AsyncGenerator<Line> {
  const splitter = createLineSplitter({ startOffset });
  const file = await openLines(path);
  // Closes the file, also where nobody wants the rest.
  const stream = file.createReadStream({ start: startOffset, highWaterMark: 256 * 1024 });
  for await (const chunk of stream) yield* splitter.push(chunk);
  const rest = splitter.rest();
  if (rest) yield rest;
}

/** The beginning or the end of a file, at once: for hooks, whose host waits. Undefined where it cannot be read. */
export function readPart(file: string, end: 'head' | 'tail', bytes: number): string | undefined {
  try {
    return closing(openRegularSync(file), (descriptor) => {
      const { size } = fstatSync(descriptor);
      const buffer = Buffer.alloc(Math.min(bytes, size));
      const length = readSync(descriptor, buffer, 0, buffer.length, end === 'head' ? 0 : size - buffer.length);
      return buffer.toString('utf8', 0, length);
    });
  } catch {
    return undefined;
  }
}

/** The first bytes of a file: enough to tell what it is. */
export async function readHead(path: string, bytes: number): Promise<Uint8Array> {
  return readRange(path, 0, bytes);
}

/** The last bytes of a file, and where they begin. */
export async function readTail(path: string, bytes: number) {
  return closing(openRegularSync(path), (handle) => {
    const { size } = fstatSync(handle);
    const offset = Math.max(0, size - bytes);
    const buffer = Buffer.alloc(size - offset);
    return { bytes: buffer.subarray(0, readSync(handle, buffer, 0, buffer.length, offset)), offset };
  });
}

export async function readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
  // Others have their turn, however many files are looked into one after the other.
  await setImmediate();
  return closing(openRegularSync(path), (handle) => {
    const buffer = Buffer.allocUnsafe(Math.min(length, Math.max(0, fstatSync(handle).size - offset)));
    return buffer.subarray(0, readSync(handle, buffer, 0, buffer.length, offset));
  });
}
