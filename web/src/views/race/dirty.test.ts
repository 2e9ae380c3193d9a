import { describe, expect, it } from 'vitest';
import { makeSession } from '../../testing/make.ts';
import { NO_FOLDS } from './block.ts';
import { columnsFor } from './geometry.ts';
import { createLayout } from './layout.ts';
import { type Drawn, dirtyLooks } from './traffic.ts';

const layout = createLayout()([makeSession({}, [{}, {}])], {
  now: 0,
  folds: NO_FOLDS,
  kept: new Set(),
  heights: columnsFor(1000).heights,
  isReplay: true,
  opensEarlier: undefined,
});
const looks = [...layout.places.values()].map(({ lane, y }) => ({
  lane,
  car: { share: 0.5, y, alpha: 1, trail: 0, at: 0 },
  accents: 0,
}));
const before: Drawn = { base: [1, 'dark'], looks };

/** The picture, with something different in its second lane. */
function changed(over: { share?: number; y?: number; at?: number; accents?: number }): Drawn {
  const { accents = 0, ...car } = over;
  return {
    ...before,
    looks: looks.map((look, n) => (n === 1 ? { ...look, accents, car: { ...look.car, ...car } } : look)),
  };
}

describe('what has to be drawn anew', () => {
  it('is nothing where nothing is different, however much later it is', () => {
    expect(dirtyLooks(before, changed({ at: 900 }))).toEqual([]);
  });

  it('is the lane whose car moved, or that is pointed at', () => {
    const moved = changed({ share: 0.6 });
    expect(dirtyLooks(before, moved)).toEqual([moved.looks[1]]);
    expect(dirtyLooks(before, changed({ accents: 1 }))).toHaveLength(1);
  });

  it('is everything where a lane comes, goes or moves, or the colours change', () => {
    expect(dirtyLooks(undefined, before)).toBe('all');
    expect(dirtyLooks(before, changed({ y: 7 }))).toBe('all');
    expect(dirtyLooks(before, { ...before, looks: looks.slice(1) })).toBe('all');
    expect(dirtyLooks(before, { ...before, base: [1, 'light'] })).toBe('all');
  });
});
