/** Compares versions such as 2.1.45 by their numbers. */
export function isAtLeast(version, wanted) {
  const [have, want] = [version, wanted].map((text) => text.split('.').map(Number));
  for (const [at, number] of want.entries()) if ((have[at] ?? 0) !== number) return (have[at] ?? 0) > number;
  return true;
}
