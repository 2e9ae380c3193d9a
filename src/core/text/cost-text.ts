import type { CostReport } from '../reports/shapes.ts';
import { cleanLine } from './clean-text.ts';

/** $0.04, ≥ $12.30, no price for some-model. Null: nothing of it is known. */
export function costText(cost: CostReport | null): string {
  if (cost === null) return 'not known';
  const { usd, isLowerBound, unpricedModels } = cost;
  if (usd === 0 && unpricedModels.length > 0) return unpricedText(unpricedModels);
  // At least nothing is no news.
  if (usd < 0.0001 && isLowerBound) return 'not known';
  return `${isLowerBound ? '≥ ' : ''}${dollars(usd)}`;
}

/** Beside the sum, where some of it is missing. */
export function missingPrices(cost: CostReport | null): string | undefined {
  if (cost === null || cost.usd === 0 || cost.unpricedModels.length === 0) return undefined;
  return unpricedText(cost.unpricedModels);
}

function dollars(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return 'under $0.0001';
  if (usd < 0.01) return `$${usd.toFixed(4)}`;
  return usd < 100 ? `$${usd.toFixed(2)}` : `$${Math.round(usd)}`;
}

function unpricedText(models: readonly string[]): string {
  return `no price for ${models.map(cleanLine).join(', ')}`;
}
