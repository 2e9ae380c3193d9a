import { createLineSplitter, type Line } from './lines.ts';
import { openLines } from './regular-file.ts';

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
