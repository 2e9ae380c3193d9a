// How tests wait: for what they expect, never for a time in which it should have happened.

/** Polls until `find` returns something, and returns that. Fails after a minute; `what` names it in the error. */
export async function until<T>(find: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = await find();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await pace(10);
  }
}

/** For programs that a test plays, e.g. a host that writes a line now and then. To wait for an outcome, use `until`. */
export const pace = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
