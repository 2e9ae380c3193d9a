import type { ModelUsage, Usage } from '../model/usage.ts';
import { type Price, priceOf } from './prices.ts';
import type { CostReport } from './shapes.ts';

const MILLION = 1_000_000;

/** What requests cost by the price list. */
export function computeCost(used: readonly ModelUsage[], isLowerBound: boolean): CostReport {
  let usd = 0;
  const unpricedModels: string[] = [];
  for (const { model, usage } of used) {
    const price = priceOf(model);
    if (price) usd += dollars(usage, price);
    else if (isUsed(usage)) unpricedModels.push(model);
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
