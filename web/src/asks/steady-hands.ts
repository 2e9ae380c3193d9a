/** Who was about to press when the list moved under the pointer gets another look first. */
const STEADY_MS = 500;

interface SteadyHands {
  /** What stands there from top to bottom, whenever they are drawn. */
  see(ids: readonly string[], now: number): void;
  /** What is pressed now was there before. */
  isSteady(now: number): boolean;
}

export function createSteadyHands(): SteadyHands {
  let before: readonly string[] = [];
  let movedAt = Number.NEGATIVE_INFINITY;
  return {
    see(ids, now) {
      // What is added at the end moves nothing.
      if (before.some((id, index) => ids[index] !== id)) movedAt = now;
      before = ids;
    },
    isSteady: (now) => now - movedAt >= STEADY_MS,
  };
}
