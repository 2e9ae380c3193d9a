/**
 * List prices in US dollars for a million tokens, as of 2026-11-15. Data, not knowledge: a model that is not here has no
 * price, and faces say so. Those of 4-5, 4-6 and 4-8 are what Claude Code 2.1.325 itself counts with. Reading from the cache
 * costs a tenth of the input, writing to it a quarter more for five minutes and twice as much for an hour.
 */
export const PRICES_AS_OF = '2026-11-15';

export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

const price = (input: number, output: number): Price => ({
  input,
  output,
  cacheRead: input * 0.1,
  cacheWrite5m: input * 1.25,
  cacheWrite1h: input * 2,
});

/** By the beginning of the model's name; the first that fits counts. */
const PRICES: readonly (readonly [prefix: string, price: Price])[] = [
  ['claude-fable-5', price(10, 50)],
  ['claude-opus-5', price(5, 25)],
  ['claude-opus-4-5', price(5, 25)],
  ['claude-opus-4-6', price(5, 25)],
  ['claude-opus-4-7', price(5, 25)],
  ['claude-opus-4-8', price(5, 25)],
  ['claude-opus-4-1', price(15, 75)],
  ['claude-opus-4-2025', price(15, 75)],
  ['claude-sonnet-5', price(2, 10)],
  ['claude-sonnet-4', price(3, 15)],
  ['claude-haiku-4-5', price(1, 5)],
  ['claude-3-7-sonnet', price(3, 15)],
  ['claude-3-5-sonnet', price(3, 15)],
  ['claude-3-5-haiku', price(0.8, 4)],
  ['claude-3-opus', price(15, 75)],
];

export function priceOf(model: string): Price | undefined {
  return PRICES.find(([prefix]) => model.startsWith(prefix))?.[1];
}
