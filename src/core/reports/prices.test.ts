import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../usage.ts';
import { computeCost } from './prices.ts';

const used = (model: string, input: number, output: number, cacheRead: number, cacheWrite: number) => ({
  model,
  usage: { ...NO_USAGE, input, output, cacheRead, cacheWrite },
});

describe('cost', () => {
  it('is what Claude Code 2.1.325 counts itself (modelUsage of recorded runs)', () => {
    for (const [usage, usd] of [
      [used('claude-sonnet-4-5', 144, 383, 79_737, 1800), 0.0368481],
      [used('claude-haiku-4-5', 126, 898, 139_770, 7425), 0.02787425],
      [used('claude-sonnet-4-6', 130, 2382, 263_423, 17_397), 0.18038565],
      [used('claude-opus-4-8', 98, 2168, 200_616, 4315), 0.18196675],
    ] as const)
      expect(computeCost([usage], false).usd).toBeCloseTo(usd, 9);
  });

  it('says which models have no price, and that it is a lower bound then', () => {
    const cost = computeCost([used('claude-sonnet-4-5', 1_000_000, 0, 0, 0), used('new-model', 5, 0, 0, 0)], false);
    expect(cost).toEqual({ usd: 3, isLowerBound: true, unpricedModels: ['new-model'] });
    expect(computeCost([used('<synthetic>', 0, 0, 0, 0)], false).unpricedModels).toEqual([]);
  });

  it('an hour in the cache costs more than five minutes', () => {
    const hour = { model: 'claude-sonnet-4-5', usage: { ...NO_USAGE, cacheWrite: 1_000_000, cacheWrite1h: 1_000_000 } };
    expect(computeCost([hour], false).usd).toBe(6);
  });
});
