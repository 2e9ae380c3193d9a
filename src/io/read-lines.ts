import { open } from 'node:fs/promises';
import { createLineSplitter, type Line } from '../base/lines.ts';
import { borrowBuffer, returnBuffer } from './spare-buffers.ts';

const MAX_CHUNK_BYTES = 1024 * 1024;
const MIN_CHUNK_BYTES = 4096;

export interface LinesRead {
  readonly next: number;
  readonly end: number;
}

/**
 * Hands over every line of a file from `startOffset` on, in order, the torn last one included; returns the offset behind
 * the last whole line, from where a later call can go on, and where the bytes ended.
 */
export async function readLines(path: string, onLine: (line: Line) => void, startOffset = 0): Promise<LinesRead> {
  const splitter = createLineSplitter({ startOffset });
  const file = await open(path, 'r');
  const buffers: Buffer[] = [];
  try {
    const { size } = await file.stat();
    const chunkBytes = Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, size - startOffset));
    // While one chunk is taken apart, the system fetches the next one into the other buffer.
    let [current, other] = [borrowBuffer(chunkBytes), borrowBuffer(chunkBytes)];
    buffers.push(current, other);
    let position = startOffset;
    let next = startOffset;
    let { bytesRead } = await file.read(current, 0, chunkBytes, position);
    while (bytesRead > 0) {
      position += bytesRead;
      const ahead = file.read(other, 0, chunkBytes, position);
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
