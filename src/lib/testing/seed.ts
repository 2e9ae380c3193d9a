// The one seed of all tests that draw at random: fixed in `npm test`, another in each round of `npm run fuzz`.
// Loaded before the first test (setup.ts), so properties need no seed of their own.
import fc from 'fast-check';

const SEED = Number(process.env['TROUPE_SEED'] ?? 20_261_115);
fc.configureGlobal({ seed: SEED });

/** Numbers from 0 to 1, the same for the same seed: for tests that are not properties. */
export function createRandom(seed = SEED): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
