/** ISO 8601, UTC; null where the time is not known. */
export function isoTime(at: number | undefined): string | null {
  return at === undefined || at === 0 ? null : new Date(at).toISOString();
}

/** What is not known is null in JSON: never 0, never left out. */
export function orNull<T>(value: T | undefined): T | null {
  return value === undefined ? null : value;
}
