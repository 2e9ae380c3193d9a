import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance, type Car, type Goal, isThere } from './frame.ts';

const car = (over: Partial<Car> = {}): Car => ({ share: 0, y: 0, alpha: 1, trail: 0, at: 0, ...over });
const goal = (over: Partial<Goal> = {}): Goal => ({ share: 0.5, y: 0, alpha: 1, trail: 0, ...over });

describe('a car', () => {
  it('never teleports: the first frame is a small part of the way', () => {
    const { share } = advance(car(), goal(), 16);
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(0.05);
  });

  it('gets nearer in every frame, never goes too far, and arrives', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 50 }),
        (from, to, steps) => {
          let now = 0;
          let at = car({ share: from });
          for (const step of steps) {
            now += step;
            const next = advance(at, goal({ share: to }), now);
            expect(Math.abs(next.share - to)).toBeLessThanOrEqual(Math.abs(at.share - to));
            expect(Math.sign(next.share - to) * Math.sign(from - to)).toBeGreaterThanOrEqual(0);
            at = next;
          }
          expect(isThere(advance(at, goal({ share: to }), now + 10_000), goal({ share: to }))).toBe(true);
        },
      ),
    );
  });

  it('is at the same place at the same time however many frames there were', () => {
    const target = goal({ share: 0.9, y: 100 });
    let many = car();
    for (let now = 10; now <= 300; now += 10) many = advance(many, target, now);
    const one = advance(car(), target, 300);
    expect(many.share).toBeCloseTo(one.share, 6);
    expect(many.y).toBeCloseTo(one.y, 6);
  });

  it('is set back more slowly than it drives: people should see it', () => {
    const forth = advance(car({ share: 0.1 }), goal({ share: 0.8 }), 200).share - 0.1;
    const back = 0.8 - advance(car({ share: 0.8 }), goal({ share: 0.1 }), 200).share;
    expect(back).toBeGreaterThan(0);
    expect(back).toBeLessThan(forth * 0.7);
  });

  it('jumps where people want no motion', () => {
    expect(advance(car(), goal(), 1, true)).toEqual({ ...goal(), at: 1 });
  });

  it('that has stood still for long does not make up for that time', () => {
    const parked = advance(car({ share: 0.5, at: 0 }), goal(), 60_000);
    expect(advance(parked, goal({ share: 1 }), 60_016).share).toBeLessThan(0.6);
  });
});
