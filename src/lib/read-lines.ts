import { closeSync, readSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createLineSplitter, type Line } from './lines.ts';
import { openLines, openRegularSync } from './regular-file.ts';
import { borrowBuffer, returnBuffer } from './spare-buffers.ts';

const CHUNK_BYTES = 1024 * 1024;

export interface LinesRead {
  readonly next: number;
  readonly end: number;
}

type OnLine = (line: Line) => void;

/**
 * Hands over every line of a file from `startOffset` on, in order, the torn last one included; returns the offset behind
 * the last whole line, from where a later call can go on, and where the bytes ended.
 */
export async function readLines(path: string, onLine: OnLine, startOffset = 0): Promise<LinesRead> {
  // Others have their turn, however many files are read one after the other.
  await setImmediate();
  const stats = statSync(path);
  const length = stats.size - startOffset;
  return length < CHUNK_BYTES
    ? readAtOnce(path, onLine, startOffset, Math.max(0, length))
    : readByChunks(path, onLine, startOffset);
}

/**
 * Without leaving the thread: of a session with hundreds of files, more time went into waiting for other threads to open, read and
 * close them than into reading them.
 */
function readAtOnce(path: string, onLine: OnLine, startOffset: number, length: number): LinesRead {
  // One more than there was: where it is not filled, that was all.
  const buffer = borrowBuffer(length + 1);
  const splitter = createLineSplitter({ startOffset });
  let [position, next] = [startOffset, startOffset];
  const handle = openRegularSync(path);
  try {
    for (let bytesRead = buffer.length; bytesRead === buffer.length; ) {
      bytesRead = readSync(handle, buffer, 0, buffer.length, position);
      position += bytesRead;
      for (const line of splitter.push(buffer.subarray(0, bytesRead))) {
        next = line.offset + line.length + 1;
        onLine(line);
      }
    }
    const rest = splitter.rest();
    if (rest) onLine(rest);
    return { next, end: position };
  } finally {
    closeSync(handle);
    returnBuffer(buffer);
  }
}

async function readByChunks(path: string, onLine: OnLine, startOffset: number): Promise<LinesRead> {
  const splitter = createLineSplitter({ startOffset });
  const file = await openLines(path);
  // While one chunk is taken apart, the system fetches the next one into the other buffer.
  let [current, other] = [borrowBuffer(CHUNK_BYTES), borrowBuffer(CHUNK_BYTES)];
  const buffers = [current, other];
  try {
    let position = startOffset;
    let next = startOffset;
    let { bytesRead } = await file.read(current, 0, CHUNK_BYTES, position);
    while (bytesRead > 0) {
      position += bytesRead;
      const ahead = file.read(other, 0, CHUNK_BYTES, position);
      try {
        for (const line of splitter.push(current.subarray(0, bytesRead))) {
          next = line.offset + line.length + 1;
          onLine(line);
        }
      } finally {
        ({ bytesRead } = await ahead);
      }
      [current, other] = [other, current];
    }
    const rest = splitter.rest();
    if (rest) onLine(rest);
    return { next, end: position };
  } finally {
    await file.close();
    for (const buffer of buffers) returnBuffer(buffer);
  }
}
