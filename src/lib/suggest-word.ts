/** The known word that was probably meant; undefined where none is near. */
export function suggestWord(word: string, known: readonly string[]): string | undefined {
  const far = Math.max(1, Math.floor(word.length / 3));
  const plain = simplify(word);
  const near = known
    .map((name) => ({ name, distance: editDistance(plain, simplify(name), far + 1) }))
    .filter(({ distance }) => distance <= far);
  return near.sort((a, b) => a.distance - b.distance)[0]?.name;
}

/** `onError`, `on-error` and `On_Error` are slips of another kind than `no_error`. */
function simplify(word: string): string {
  return word
    .slice(0, 40)
    .toLowerCase()
    .replace(/[-_\s]/g, '');
}

/** Insertions, deletions, replacements and swaps of neighbours; `limit` where it is no less. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return Math.min(last[b.length] ?? limit, limit);
}
