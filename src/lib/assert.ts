/** For what cannot be missing unless we made a mistake. */
export function assertFound<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`troupe: ${what}`);
  return value;
}
