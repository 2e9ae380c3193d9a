export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A minute at the most; `what` is what a failure says. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 2_400; tries++) {
    if (holds()) return;
    await pause(25);
  }
  throw new Error(`waited in vain for ${what}`);
}
