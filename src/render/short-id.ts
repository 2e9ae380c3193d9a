/** Enough for ids that are drawn at random. Those that begin with the time, made in the same minute, need more. */
const SHORT = 8;
const LONGEST = 20;

/** How much of the ids tells them apart, so that a command takes what stands there. */
export function uniqueLength(ids: readonly string[]): number {
  for (let length = SHORT; length < LONGEST; length++) {
    if (new Set(ids.map((id) => id.slice(0, length))).size === ids.length) return length;
  }
  return LONGEST;
}
