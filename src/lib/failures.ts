/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For what may fail, and need not work: a process may end, or a file go, while it is looked at. */
export function orElse<T, U>(look: () => T, otherwise: U): T | U {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
