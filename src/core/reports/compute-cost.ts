import { type ModelUsage, subtractUsage, type Usage } from '../usage.ts';
import { type Price, priceOf } from './prices.ts';
import type { CostReport } from './shapes.ts';

const MILLION = 1_000_000;
const BILLION = 1_000_000_000;

/** What requests cost: what the host itself says, and by the price list where it says nothing. */
export function computeCost(used: readonly ModelUsage[], isLowerBound: boolean): CostReport {
  let usd = 0;
  const unpricedModels: string[] = [];
  for (const { model, usage, billed } of used) {
    const rest = billed ? subtractUsage(usage, billed.usage) : usage;
    const price = priceOf(model);
    if (billed) usd += billed.nanoUsd / BILLION;
    if (price) usd += dollars(rest, price);
    else if (isUsed(rest)) unpricedModels.push(model);
  }
  return { usd, isLowerBound: isLowerBound || unpricedModels.length > 0, unpricedModels };
}

/** Where the host does not say how long it keeps what was written to the cache, it is the shorter time. */
function dollars({ input, output, cacheRead, cacheWrite, cacheWrite1h }: Usage, price: Price): number {
  const written = (cacheWrite - cacheWrite1h) * price.cacheWrite5m + cacheWrite1h * price.cacheWrite1h;
  return (input * price.input + output * price.output + cacheRead * price.cacheRead + written) / MILLION;
}

/** Replies that the host makes up itself name a model that does not exist, and used nothing. */
function isUsed(usage: Usage): boolean {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0;
}
