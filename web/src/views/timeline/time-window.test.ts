import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brushWindow, panWindow, revealIn, ticksIn, wholeWindow, zoomWindow } from './timeline-state.ts';

const RANGE = { from: 1_000_000, to: 1_074_000 };
const WHOLE = wholeWindow(RANGE);
const windows = fc
  .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.001, max: 1, noNaN: true }))
  .map(([at, size]) => brushWindow(RANGE.from + at * 74_000, RANGE.from + at * 74_000 + size * 74_000, RANGE));

function expectWithin({ from, to }: { from: number; to: number }): void {
  expect(from).toBeGreaterThanOrEqual(WHOLE.from - 0.01);
  expect(to).toBeLessThanOrEqual(WHOLE.to + 0.01);
  expect(to).toBeGreaterThan(from);
}

describe('the part of time that is seen', () => {
  it('stays within the session, however it is zoomed and moved', () => {
    fc.assert(
      fc.property(
        windows,
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        (window, factor, share) => {
          expectWithin(zoomWindow(window, factor, 0.5, RANGE));
          expectWithin(panWindow(window, share, RANGE));
          expectWithin(revealIn(window, RANGE.from + Math.abs(share) * 20_000, RANGE));
        },
      ),
    );
  });

  it('keeps the point under the mouse where it is', () => {
    const window = { from: 1_020_000, to: 1_040_000 };
    const next = zoomWindow(window, 2, 0.25, RANGE);
    expect(next.to - next.from).toBeCloseTo(10_000);
    expect(next.from + 2500).toBeCloseTo(1_025_000);
  });

  it('is what was brushed, in either direction', () => {
    expect(brushWindow(1_030_000, 1_020_000, RANGE)).toEqual({ from: 1_020_000, to: 1_030_000 });
  });

  it('moves only as far as needed to show a moment', () => {
    const window = { from: 1_020_000, to: 1_030_000 };
    expect(revealIn(window, 1_025_000, RANGE)).toEqual(window);
    expect(revealIn(window, 1_029_900, RANGE).to).toBeCloseTo(1_030_900);
  });
});

describe('marks of the ruler', () => {
  it('are round times since the beginning, and not too many', () => {
    fc.assert(
      fc.property(windows, fc.integer({ min: 2, max: 20 }), (window, most) => {
        const ticks = ticksIn(window, RANGE.from, most);
        expect(ticks.length).toBeLessThanOrEqual(most + 1);
        expect(new Set(ticks.map(({ text }) => text)).size).toBe(ticks.length);
      }),
    );
    expect(ticksIn(WHOLE, RANGE.from, 6).map(({ text }) => text)).toEqual([
      '0:00',
      '0:15',
      '0:30',
      '0:45',
      '1:00',
      '1:15',
    ]);
    const second = { from: RANGE.from, to: RANGE.from + 1000 };
    expect(ticksIn(second, RANGE.from, 5).map(({ text }) => text)).toEqual([
      '0.0 s',
      '0.2 s',
      '0.4 s',
      '0.6 s',
      '0.8 s',
      '1.0 s',
    ]);
  });
});
