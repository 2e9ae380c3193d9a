import { describe, expect, it } from 'vitest';
import type { SpendAmount, SpendReport, SpendRow } from '../../../../src/core/index.ts';
import { fillPeriods, shareText, stackOf } from './cost-chart.ts';

const amount = (tokens: number): SpendAmount => ({
  usage: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
  tokens,
  cost: { usd: tokens / 10, isLowerBound: false, unpricedModels: [] },
});

const row = (key: string, own: number, total: number, models: Readonly<Record<string, number>> = {}): SpendRow => ({
  ...{ key, label: key, host: null, sessionId: null, agentId: null, status: null, startedAt: null, hostCost: null },
  ...{ sessions: 1, agents: 1, own: amount(own), total: amount(total) },
  parts: Object.entries(models).map(([name, tokens]) => ({ key: name, total: amount(tokens) })),
});

describe('columns', () => {
  it('are all days between the first and the last, over the end of a month', () => {
    const columns = fillPeriods([row('2026-02-27', 1, 1), row('2026-03-02', 1, 1)], 'day');
    expect(columns.map(({ key }) => key)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
    expect(columns.map((column) => column.row !== undefined)).toEqual([true, false, false, true]);
    expect(columns.at(-1)?.tick).toBe('2 Mar');
  });

  it('are weeks and months in steps of their own', () => {
    const keys = (first: string, last: string, by: 'week' | 'month') =>
      fillPeriods([row(first, 1, 1), row(last, 1, 1)], by).map(({ key }) => key);
    expect(keys('2026-11-02', '2026-11-16', 'week')).toEqual(['2026-11-02', '2026-11-09', '2026-11-16']);
    expect(keys('2025-12', '2026-02', 'month')).toEqual(['2025-12', '2026-01', '2026-02']);
  });

  it('are the newest ones if there are very many', () => {
    const columns = fillPeriods([row('2020-01-01', 1, 1), row('2026-01-01', 1, 1)], 'day');
    expect(columns.length).toBe(120);
    expect(columns.at(-1)?.key).toBe('2026-01-01');
  });
});

describe('parts of a bar', () => {
  const report = (rows: readonly SpendRow[]) => ({ by: 'day', rows }) as unknown as SpendReport;

  it('add up to the whole', () => {
    const one = row('2026-01-01', 30, 100, { a: 60, b: 40 });
    for (const stack of ['who', 'model'] as const)
      expect(stackOf(report([one]), stack, 'tokens').reduce((sum, { of }) => sum + of(one), 0)).toBe(100);
  });

  it('put the smallest models together', () => {
    const models = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`m${at}`, 9 - at]));
    const one = row('2026-01-01', 0, 45, models);
    const kinds = stackOf(report([one]), 'model', 'tokens');
    expect(kinds.map(({ name }) => name)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'others']);
    expect(kinds.reduce((sum, { of }) => sum + of(one), 0)).toBe(45);
  });
});

it('never rounds a share to all or nothing', () => {
  expect([0, 0.001, 0.5, 0.999, 1].map(shareText)).toEqual(['0 %', '<1 %', '50 %', '99 %', '100 %']);
});
