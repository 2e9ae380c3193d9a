import type { Line } from './lines.ts';
import { assertSize, openLines } from './regular-file.ts';

const CHUNK_BYTES = 64 * 1024;
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
      const from = Math.max(0, position - CHUNK_BYTES);
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
      assertSize(path, pieces.length * CHUNK_BYTES, MAX_LINE_BYTES);
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
