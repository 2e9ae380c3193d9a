import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldAround, foldUnits, gapSizes, openGap, revealUnit, type Span, type Units } from './folding.ts';

const units = fc
  .array(fc.integer({ min: 1, max: 6 }), { maxLength: 300 })
  .map((rows): Units => ({ count: rows.length, rows: (index) => rows[index] ?? 1 }));

function checkSpans(spans: readonly Span[], { count }: Units): void {
  let last = 0;
  for (const [index, [from, to]] of spans.entries()) {
    expect(from).toBeGreaterThanOrEqual(index === 0 ? 0 : last + 1);
    expect(to).toBeGreaterThan(from);
    last = to;
  }
  expect(last).toBeLessThanOrEqual(count);
  const shown = spans.reduce((sum, [from, to]) => sum + to - from, 0);
  expect(shown + gapSizes(spans, count).reduce((a, b) => a + b, 0)).toBe(count);
}

function rowsIn(spans: readonly Span[], { rows }: Units): number {
  let sum = 0;
  for (const [from, to] of spans) for (let index = from; index < to; index++) sum += rows(index);
  return sum;
}

describe('folding', () => {
  it('shows the beginning and the end, and little more than the limit', () => {
    fc.assert(
      fc.property(units, fc.nat(20), fc.nat(20), (all, head, tail) => {
        const spans = foldUnits(all, { head, tail });
        checkSpans(spans, all);
        expect(rowsIn(spans, all)).toBeLessThanOrEqual(head + tail + 12);
      }),
    );
  });

  it('opens gap by gap until nothing is hidden', () => {
    fc.assert(
      fc.property(units, fc.nat(10), (all, head) => {
        let spans = foldUnits(all, { head, tail: head });
        for (let clicks = 0; gapSizes(spans, all.count).some((size) => size > 0); clicks++) {
          const gap = gapSizes(spans, all.count).findIndex((size) => size > 0);
          spans = openGap(spans, all, gap);
          checkSpans(spans, all);
          expect(clicks).toBeLessThan(10);
        }
      }),
    );
  });

  it('opens a very long text in steps', () => {
    const long: Units = { count: 100_000, rows: () => 1 };
    const spans = openGap(foldUnits(long, { head: 8, tail: 8 }), long, 1);
    expect(spans).toEqual([
      [0, 808],
      [99_992, 100_000],
    ]);
  });

  it('shows a position that was searched for, with some context', () => {
    fc.assert(
      fc.property(units, fc.nat(), (all, seed) => {
        fc.pre(all.count > 0);
        const at = seed % all.count;
        const spans = revealUnit(foldUnits(all, { head: 3, tail: 3 }), all, at);
        checkSpans(spans, all);
        expect(spans.some(([from, to]) => from <= at && at < to)).toBe(true);
      }),
    );
  });

  it('keeps important lines, and closes gaps of one line', () => {
    const all: Units = { count: 40, rows: () => 1 };
    const worth = new Set([5, 6, 8, 20]);
    expect(foldAround(all, (index) => worth.has(index), 100)).toEqual([
      [5, 9],
      [20, 21],
    ]);
    expect(foldAround(all, () => true, 10)).toEqual([[0, 10]]);
    expect(foldAround(all, () => false, 10)).toEqual([]);
  });
});
