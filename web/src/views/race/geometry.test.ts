import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeAgent, makeSession } from '../../testing/make.ts';
import { hitAt } from './acts.ts';
import { NO_FOLDS } from './block.ts';
import { type Box, bandOf, boxesOf, carSize, columnsFor, noseAt, roomFor, sideOf } from './geometry.ts';
import { chipRow, createLayout, EARLIER } from './layout.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const ago = (ms: number): string => new Date(NOW - ms).toISOString();

function scene(width: number) {
  const columns = columnsFor(width);
  const session = makeSession({ lastActivityAt: ago(0) }, [
    { id: 'a1' },
    { id: 'a2', parentId: 'a1' },
    { id: 'a3', parentId: 'a2' },
    { id: 'a4', parentId: 'a3' },
    { id: 'gone', status: 'completed', completedAt: ago(90_000) },
  ]);
  const old = makeSession({
    id: 's2',
    lastActivityAt: ago(9e6),
    main: makeAgent({ id: 's2', kind: 'main', status: 'completed' }),
  });
  const layout = createLayout()([session, old], {
    now: NOW,
    folds: NO_FOLDS,
    kept: new Set(),
    heights: columns.heights,
    isReplay: false,
    opensEarlier: undefined,
  });
  return { columns, layout };
}

const overlap = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

describe('the boxes of a lane', () => {
  it('never overlap and stay within it, at any width', () => {
    fc.assert(
      fc.property(fc.integer({ min: 320, max: 2400 }), (width) => {
        const { columns, layout } = scene(width);
        for (const { lane, y } of layout.places.values()) {
          const { fold, name, detail, badge, band, chip, tokens } = boxesOf(columns, lane, y);
          const shown = [
            fold,
            name,
            band,
            tokens,
            ...(detail ? [detail] : []),
            ...(lane.below.busy > 0 ? [badge] : []),
            ...(lane.chip ? [chip] : []),
          ];
          for (const [at, box] of shown.entries()) {
            expect(box.x).toBeGreaterThanOrEqual(0);
            expect(box.x + box.w).toBeLessThanOrEqual(width);
            expect(box.y).toBeGreaterThanOrEqual(y);
            expect(box.y + box.h).toBeLessThanOrEqual(y + lane.height);
            for (const other of shown.slice(at + 1)) expect(overlap(box, other), `${width} ${lane.key}`).toBe(false);
          }
        }
      }),
    );
  });

  it('hold the car from the start to the flag', () => {
    for (const depth of [0, 1, 5]) {
      const band = bandOf(columnsFor(1000), { depth, height: 28 }, 0);
      const size = carSize(depth);
      expect(noseAt(band, 0, size) - size.length).toBeGreaterThanOrEqual(band.x);
      expect(noseAt(band, 1, size)).toBeLessThanOrEqual(band.x + band.w);
    }
  });
});

describe('text beside a car', () => {
  it('changes sides once, not to and fro', () => {
    expect(sideOf(0.55, undefined)).toBe('ahead');
    expect(sideOf(0.61, 'ahead')).toBe('behind');
    expect(sideOf(0.55, 'behind')).toBe('behind');
    expect(sideOf(0.49, 'behind')).toBe('ahead');
  });

  const range = { from: 0, to: 400 };
  const at = (x: number) => ({ from: x - 10, to: x + 10 });

  it('keeps clear of marks', () => {
    expect(roomFor(range, 'ahead', [], 100)).toEqual(range);
    expect(roomFor(range, 'ahead', [at(300)], 100)).toEqual({ from: 0, to: 286 });
    expect(roomFor(range, 'ahead', [at(50)], 100)).toEqual({ from: 64, to: 400 });
    expect(roomFor(range, 'behind', [at(300)], 50)).toEqual({ from: 314, to: 400 });
  });

  it('keeps clear of any marks, within its range', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 450 }), { maxLength: 6 }), fc.nat(300), (marks, wanted) => {
        const { from, to } = roomFor(range, 'ahead', marks.map(at), wanted);
        expect(from).toBeGreaterThanOrEqual(0);
        expect(to).toBeLessThanOrEqual(400);
        if (to > from) expect(marks.filter((x) => x + 10 > from && x - 10 < to)).toEqual([]);
      }),
    );
  });
});

describe('the pointer', () => {
  it('finds lane, fold, chip and the row of earlier sessions', () => {
    const { columns, layout } = scene(1000);
    const place = layout.places.get('s1/a1');
    const main = layout.places.get('s1/s1');
    if (!place || !main) throw new Error('lanes are missing');
    const middle = place.y + place.lane.height / 2;
    expect(hitAt(layout, columns, 500, middle)).toEqual({ row: place.lane.key, part: 'lane' });
    expect(hitAt(layout, columns, boxesOf(columns, place.lane, place.y).fold.x + 4, middle)?.part).toBe('fold');
    const { chip } = boxesOf(columns, main.lane, main.y);
    expect(hitAt(layout, columns, chip.x + 50, chip.y + 5)).toEqual({ row: chipRow(main.lane.key), part: 'chip' });
    expect(hitAt(layout, columns, 40, (layout.earlier?.y ?? 0) + 5)).toEqual({ row: EARLIER, part: 'earlier' });
    expect(hitAt(layout, columns, 40, layout.height + 10)).toBeUndefined();
  });
});
