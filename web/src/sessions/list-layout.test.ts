import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupsWithin, HEAD_PX, placeGroups, topOfRow } from './list-layout.ts';

const ROW = 60;
const days = fc.array(fc.record({ count: fc.integer({ min: 1, max: 40 }), isFolded: fc.boolean() }), { maxLength: 20 });
const make = (list: readonly { readonly count: number; readonly isFolded: boolean }[]) => {
  const groups = list.map(({ count }, index) => ({ kind: 'day' as const, name: `d${index}`, count }));
  return placeGroups(groups, new Set(list.flatMap(({ isFolded }, index) => (isFolded ? [`day d${index}`] : []))), ROW);
};

describe('the layout of the list', () => {
  it('shows exactly the rows between two places, wherever somebody scrolls to', () => {
    fc.assert(
      fc.property(
        days,
        fc.integer({ min: -500, max: 60_000 }),
        fc.integer({ min: 1, max: 2_000 }),
        (list, top, height) => {
          const layout = make(list);
          const seen = groupsWithin(layout, top, top + height);
          const numbers = new Set(
            seen.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at)),
          );
          const total = list.reduce((sum, { count }) => sum + count, 0);
          for (let index = 0; index < total; index++) {
            const at = topOfRow(layout, index);
            expect(numbers.has(index)).toBe(at !== undefined && at < top + height && at + ROW > top);
          }
        },
      ),
    );
  });

  it('has room for every row and heading, and for no heading if nothing is grouped', () => {
    expect(
      make([
        { count: 3, isFolded: false },
        { count: 9, isFolded: true },
      ]).height,
    ).toBe(2 * HEAD_PX + 3 * ROW);
    expect(placeGroups([{ kind: 'all', name: null, count: 5 }], new Set(), ROW).height).toBe(5 * ROW);
  });
});
