import { describe, expect, it } from 'vitest';
import { addUsage, NO_USAGE } from '../usage.ts';
import { PRICE_SOURCES, PRICE_TABLE } from './price-table.ts';
import { computeCost, contextWindowOf, isLongRequest, setOwnPrices } from './prices.ts';

const used = (model: string, input: number, output: number, cacheRead: number, cacheWrite: number) => ({
  model,
  usage: { ...NO_USAGE, input, output, cacheRead, cacheWrite },
});

describe('cost', () => {
  it('equals what Claude Code 2.1.325 counts itself (modelUsage of recorded runs)', () => {
    for (const [usage, usd] of [
      [used('claude-sonnet-4-5', 144, 383, 79_737, 1800), 0.0368481],
      [used('claude-haiku-4-5', 126, 898, 139_770, 7425), 0.02787425],
      [used('claude-sonnet-4-6', 130, 2382, 263_423, 17_397), 0.18038565],
      [used('claude-opus-4-8', 98, 2168, 200_616, 4315), 0.18196675],
      [used('claude-fable-5', 12, 13, 5250, 150), 0.007895],
      [used('claude-fable-5-1', 12, 13, 5696, 150), 0.004069],
      [used('claude-fable-5-2', 12, 13, 5356, 150), 0.0031872],
      [used('claude-mythos-5', 12, 13, 5106, 150), 0.007751],
      [used('claude-mythos-5-1', 12, 13, 5548, 150), 0.004032],
      [used('claude-mythos-5-2', 12, 13, 5184, 150), 0.0031528],
      [used('claude-opus-5', 12, 13, 4981, 150), 0.003813],
      [used('claude-opus-5-5', 12, 13, 4219, 150), 0.0019018],
      [used('claude-sonnet-5', 12, 13, 9679, 150), 0.0024648],
      [used('claude-sonnet-5-5', 12, 13, 4152, 150), 0.0009442],
      [used('claude-haiku-5-5', 12, 13, 4880, 150), 0.00007525],
      [used('claude-3-5-haiku-20241022', 12, 13, 9612, 150), 0.00098056],
    ] as const)
      expect(computeCost([usage], false).usd).toBeCloseTo(usd, 9);
  });

  it('lists models without a price, and is a lower bound then', () => {
    const cost = computeCost([used('claude-sonnet-4-5', 1_000_000, 0, 0, 0), used('new-model', 5, 0, 0, 0)], false);
    expect(cost).toEqual({ usd: 3, isLowerBound: true, unpricedModels: ['new-model'] });
    expect(computeCost([used('<synthetic>', 0, 0, 0, 0)], false).unpricedModels).toEqual([]);
  });

  it.each([
    'claude-opus-5-6',
    'claude-opus-55',
    'claude-sonnet-4-7-20270101',
    'claude-sonnet-4-5-20270101',
    'claude-sonnet-4-5-preview',
    'my-claude-sonnet-4-5',
    'other/claude-sonnet-4-5',
    'claude-sonnet',
    'gpt-5.5-turbo',
    'toString',
    '',
  ])('has no price for "%s", which is not in the table', (model) => {
    expect(computeCost([used(model, 5, 0, 0, 0)], false).unpricedModels).toEqual([model]);
    expect(contextWindowOf(model, 5)).toBeNull();
  });

  it.each([
    ['claude-opus-4-20250514', 15],
    ['claude-sonnet-4-5-20250929', 3],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 3],
    ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 3.3],
    ['claude-haiku-4-5@20251001', 1],
    ['claude-3-7-sonnet-latest', 3],
    ['claude-opus-4-6[1m]', 5],
    ['claude-sonnet-4.5', 3],
    ['anthropic/claude-sonnet-4.5', 3],
    ['gpt-5.1-2025-11-13', 1.25],
    ['gemini-2.5-flash', 0.3],
    ['glm-5.1', 1.4],
  ])('finds the price of %s under its other names', (model, usd) => {
    const cost = computeCost([used(model, 1_000_000, 0, 0, 0)], false);
    expect(cost).toMatchObject({ unpricedModels: [], isLowerBound: false });
    expect(cost.usd).toBeCloseTo(usd, 9);
  });

  it('has no name in two rows, and every source with a date', () => {
    const names = PRICE_TABLE.flatMap((row) => row.names);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    for (const { source } of PRICE_TABLE) expect(PRICE_SOURCES[source].readOn).toMatch(/^2026-\d\d-\d\d$/);
  });

  it('costs more for requests with a large context', () => {
    const usage = { ...NO_USAGE, input: 300_000, output: 1000 };
    const small = { ...NO_USAGE, input: 200_000, output: 1000 };
    expect(isLongRequest('gpt-5.5', usage)).toBe(true);
    expect(isLongRequest('gpt-5.5', small)).toBe(false);
    const both = { model: 'gpt-5.5', usage: addUsage(usage, small), long: usage };
    expect(computeCost([both], false).usd).toBeCloseTo(0.3 * 10 + 0.001 * 45 + 0.2 * 5 + 0.001 * 30, 9);
  });

  it('takes the prices of the settings in place of the table, for the exact name only', () => {
    setOwnPrices({ 'claude-sonnet-4-5': { input: 1, output: 2 }, mine: { input: 4, output: 8, window: 5 } });
    try {
      const million = (model: string) => computeCost([used(model, 1_000_000, 0, 1_000_000, 0)], false).usd;
      expect(million('claude-sonnet-4-5')).toBe(2);
      expect(million('claude-sonnet-4-5-20250929')).toBe(3.3);
      expect(million('mine')).toBe(8);
      expect(contextWindowOf('claude-sonnet-4-5', 1)).toBe(200_000);
      expect(contextWindowOf('mine', 1)).toBe(5);
    } finally {
      setOwnPrices();
    }
  });

  it('is higher for an hour in the cache than for five minutes', () => {
    const hour = { model: 'claude-sonnet-4-5', usage: { ...NO_USAGE, cacheWrite: 1_000_000, cacheWrite1h: 1_000_000 } };
    expect(computeCost([hour], false).usd).toBe(6);
  });
});
