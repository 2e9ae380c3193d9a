// The one seed of all tests that draw at random: fixed in `npm test`, another in each round of `npm run fuzz`.
// Loaded before the first test (setup.ts), so properties need no seed of their own.
import fc from 'fast-check';

const DRAWN = process.env['TROUPE_SEED'];
const SEED = Number(DRAWN ?? 20_261_115);
fc.configureGlobal({ seed: SEED });

/** How often to run a property that takes seconds: in full in `npm run fuzz`, a quarter of that in `npm test`. */
export const runsOf = (all: number): number => (DRAWN === undefined ? Math.ceil(all / 4) : all);

/** Numbers from 0 to 1, the same for the same seed: for tests that are not properties. */
export function createRandom(seed = SEED): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
