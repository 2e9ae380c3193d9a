import type { CallMark, Track } from './track.ts';

/** The call of a row at a moment, give or take: of several the shortest, because the others are seen around it. */
export function callAt({ calls, longestMs }: Track, at: number, reachMs: number, now: number): CallMark | undefined {
  let best: CallMark | undefined;
  for (let index = firstFrom(calls, at + reachMs) - 1; index >= 0; index--) {
    const mark = calls[index];
    if (!mark) break;
    // Nothing that began before can reach so far, but what has no end.
    if (mark.from + longestMs + reachMs < at && mark.to !== undefined && index < calls.length - OPEN_REACH) break;
    if (endOf(mark, now) + reachMs < at) continue;
    if (!best || endOf(mark, now) - mark.from < endOf(best, now) - best.from) best = mark;
  }
  return best;
}

/** Calls without a result are among the last ones. */
const OPEN_REACH = 50;

function endOf({ from, to }: CallMark, now: number): number {
  return to ?? Math.max(from, now);
}

/** Index of the first call that begins after a moment. */
export function firstFrom(calls: readonly CallMark[], at: number): number {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((calls[middle]?.from ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
