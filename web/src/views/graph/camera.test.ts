import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawnBox, firstLook, isWithin, reveal, SCALES, seenBox, wholeLook, zoomAt } from './camera-state.ts';

const VIEW = { width: 1000, height: 700 };
const boxes = fc.record({
  x: fc.integer({ min: -500, max: 500 }),
  y: fc.integer({ min: -500, max: 5000 }),
  width: fc.integer({ min: 200, max: 5000 }),
  height: fc.integer({ min: 60, max: 9000 }),
});
const cameras = fc.record({
  x: fc.integer({ min: -3000, max: 3000 }),
  y: fc.integer({ min: -3000, max: 3000 }),
  k: fc.double({ min: 0.05, max: 2, noNaN: true }),
});

describe('the camera', () => {
  it('sees all of it when told to, never larger than life', () => {
    fc.assert(
      fc.property(boxes, (box) => {
        const camera = wholeLook(box, VIEW);
        expect(isWithin(box, seenBox(camera, VIEW))).toBe(true);
        expect(camera.k).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('at first shows what can be read, and main in any case', () => {
    const tall = { x: 0, y: 0, width: 800, height: 20_000 };
    const main = { x: 0, y: 9000, width: 236, height: 68 };
    const camera = firstLook(tall, main, VIEW);
    expect(camera.k).toBeGreaterThan(0.6);
    expect(isWithin(main, seenBox(camera, VIEW))).toBe(true);
  });

  it('zooms around the point under the mouse', () => {
    fc.assert(
      fc.property(cameras, fc.double({ min: 0.2, max: 5, noNaN: true }), (camera, factor) => {
        const at = { x: 321, y: 123 };
        const next = zoomAt(camera, factor, at);
        expect((at.x - next.x) / next.k).toBeCloseTo((at.x - camera.x) / camera.k, 3);
        expect(next.k).toBeGreaterThanOrEqual(SCALES.least);
        expect(next.k).toBeLessThanOrEqual(SCALES.most);
      }),
    );
  });

  it('brings a card into sight, and moves for none that is', () => {
    fc.assert(
      fc.property(cameras, boxes, (camera, { x, y }) => {
        const card = { x, y, width: 236, height: 68 };
        const moved = reveal(camera, card, VIEW);
        expect(isWithin(card, seenBox(moved, VIEW))).toBe(true);
        expect(reveal(moved, card, VIEW).x).toBeCloseTo(moved.x);
        expect(reveal(moved, card, VIEW).y).toBeCloseTo(moved.y);
      }),
    );
  });

  it('draws more than is seen', () => {
    fc.assert(
      fc.property(cameras, (camera) => {
        expect(isWithin(seenBox(camera, VIEW), drawnBox(camera, VIEW))).toBe(true);
      }),
    );
  });
});
