// Prices and context windows by model: data, as of the dates below.

import { addTo, type ModelUsage, type Usage } from '../usage.ts';
import type { CostReport } from './shapes.ts';

/**
 * List prices in US dollars for a million tokens, as of 2026-11-15. Data, not knowledge: a model that is not here has no
 * price, and UIs say so. Those of 4-5, 4-6 and 4-8 are what Claude Code 2.1.325 itself counts with. Reading from the cache
 * costs a tenth of the input, writing to it a quarter more for five minutes and twice as much for an hour.
 */
export const PRICES_AS_OF = '2026-11-15';

/** By the beginning of the model's name; the first that fits counts. */
const PRICES: readonly (readonly [prefix: string, input: number, output: number])[] = [
  ['claude-fable-5', 10, 50],
  ['claude-opus-5', 5, 25],
  ['claude-opus-4-5', 5, 25],
  ['claude-opus-4-6', 5, 25],
  ['claude-opus-4-7', 5, 25],
  ['claude-opus-4-8', 5, 25],
  ['claude-opus-4-1', 15, 75],
  ['claude-opus-4-2025', 15, 75],
  ['claude-sonnet-5', 2, 10],
  ['claude-sonnet-4', 3, 15],
  ['claude-haiku-4-5', 1, 5],
  ['claude-3-7-sonnet', 3, 15],
  ['claude-3-5-sonnet', 3, 15],
  ['claude-3-5-haiku', 0.8, 4],
  ['claude-3-opus', 15, 75],
];

const MILLION = 1_000_000;
const BILLION = 1_000_000_000;

/** What requests cost: what the host itself says, and by the price list where it says nothing. */
export function computeCost(used: readonly ModelUsage[], isLowerBound: boolean): CostReport {
  let usd = 0;
  const unpricedModels: string[] = [];
  for (const { model, usage, billed } of used) {
    const rest = billed ? addTo({ ...usage }, billed.usage, -1) : usage;
    const price = PRICES.find(([prefix]) => model.startsWith(prefix));
    if (billed) usd += billed.nanoUsd / BILLION;
    if (price) usd += dollars(rest, price);
    else if (isUsed(rest)) unpricedModels.push(model);
  }
  return { usd, isLowerBound: isLowerBound || unpricedModels.length > 0, unpricedModels };
}

/** Where the host does not say how long it keeps what was written to the cache, it is the shorter time. */
function dollars(usage: Usage, [, input, output]: (typeof PRICES)[number]): number {
  const { cacheRead, cacheWrite, cacheWrite1h } = usage;
  const written = (cacheWrite - cacheWrite1h) * (input * 1.25) + cacheWrite1h * (input * 2);
  return (usage.input * input + usage.output * output + cacheRead * (input * 0.1) + written) / MILLION;
}

/** Replies that the host makes up itself name a model that does not exist, and used nothing. */
function isUsed(usage: Usage): boolean {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0;
}

/**
 * Context windows by model, as of 2026-11: what Claude Code itself said in recordings, and the model list for older ones.
 * Data, not knowledge: a model that is not here has an unknown window, and the race draws a lane without an end. The first
 * prefix that fits counts.
 */
const WINDOWS: readonly (readonly [prefix: string, tokens: number])[] = [
  ['claude-opus-4-8', 1_000_000],
  ['claude-haiku-5-5', 1_000_000],
  ['claude-opus-4-5', 200_000],
  ['claude-opus-4-1', 200_000],
  ['claude-opus-4-2025', 200_000],
  ['claude-sonnet-4', 200_000],
  ['claude-haiku-4', 200_000],
  ['claude-3', 200_000],
];

/** A request beyond the table's window was made with a larger one that nobody wrote down. */
export function contextWindowOf(model: string | undefined, contextTokens: number | undefined): number | null {
  const window = WINDOWS.find(([prefix]) => model?.startsWith(prefix))?.[1];
  return window === undefined || (contextTokens ?? 0) > window ? null : window;
}
