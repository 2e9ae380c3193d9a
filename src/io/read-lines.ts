import { open } from 'node:fs/promises';
import { createLineSplitter, type Line } from '../base/lines.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Hands over every line of a file from `startOffset` on, in order, the torn last one included; returns the offset behind
 * the last whole line, from where a later call can go on.
 */
export async function readLines(path: string, onLine: (line: Line) => void, startOffset = 0): Promise<number> {
  const splitter = createLineSplitter({ startOffset });
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let position = startOffset;
    let next = startOffset;
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      for (const line of splitter.push(buffer.subarray(0, bytesRead))) {
        next = line.offset + line.length + 1;
        onLine(line);
      }
    }
    const rest = splitter.rest();
    if (rest) onLine(rest);
    return next;
  } finally {
    await file.close();
  }
}
