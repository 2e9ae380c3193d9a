import type { Row } from './rows.ts';
import type { Span } from './track.ts';

/** How much was done in each of `bins` equal parts of a stretch of time: calls that began in it, from 0 to 1. */
export function histogramOf(rows: readonly Row[], { from, to }: Span, bins: number): readonly number[] {
  const counts = new Array<number>(bins).fill(0);
  const scale = bins / Math.max(1, to - from);
  for (const { track } of rows) {
    for (const mark of track.calls) {
      const bin = Math.floor((mark.from - from) * scale);
      if (bin >= 0 && bin < bins) counts[bin] = (counts[bin] ?? 0) + 1;
    }
  }
  const most = Math.max(1, ...counts);
  // The root keeps a single call visible beside a flood.
  return counts.map((count) => Math.sqrt(count / most));
}
