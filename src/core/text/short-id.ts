/** Enough for ids that are drawn at random. Those that begin with the time, made in the same minute, need more. */
const SHORT = 8;
const LONGEST = 20;

/**
 * So many characters of an id that people can tell it from others: those of a host's prefix (`ses_`), which is the same for
 * all, do not count.
 */
export function shortId(id: string, length = SHORT): string {
  return id.slice(0, prefixOf(id).length + length);
}

/** How much of the ids, behind their prefix, tells them apart, so that a command takes what stands there. */
export function uniqueLength(ids: readonly string[]): number {
  for (let length = SHORT; length < LONGEST; length++) {
    if (new Set(ids.map((id) => shortId(id, length))).size === ids.length) return length;
  }
  return LONGEST;
}

function prefixOf(id: string): string {
  return /^[a-z]{2,4}_/.exec(id)?.[0] ?? '';
}
