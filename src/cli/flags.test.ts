import { describe, expect, it } from 'vitest';
import { toWhen } from './flags.ts';

/** A Sunday, by the clock on the wall. */
const NOW = new Date(2026, 10, 15, 15, 40, 43, 250).getTime();
const at = (...parts: readonly [number, number, number, number?, number?]): number =>
  new Date(parts[0], parts[1] - 1, parts[2], parts[3] ?? 0, parts[4] ?? 0).getTime();

describe('a time that the person gives', () => {
  it.each([
    ['90s', NOW - 90_000],
    ['10m', NOW - 600_000],
    ['10min', NOW - 600_000],
    ['2h', NOW - 7_200_000],
    ['3d', NOW - 3 * 86_400_000],
    ['14:30', at(2026, 11, 15, 14, 30)],
    ['9:05', at(2026, 11, 15, 9, 5)],
    ['2026-11-15T06:50:16.985Z', Date.parse('2026-11-15T06:50:16.985Z')],
    ['2026-11-15T06:50', at(2026, 11, 15, 6, 50)],
  ])('means an instant: %s', (text, expected) => {
    expect(toWhen(text)(NOW)).toEqual({ from: expected, to: expected });
  });

  it.each([
    ['today', at(2026, 11, 15), at(2026, 11, 16) - 1],
    ['yesterday', at(2026, 11, 14), at(2026, 11, 15) - 1],
    ['2026-11-01', at(2026, 11, 1), at(2026, 11, 2) - 1],
  ])('means a whole day: %s', (text, from, to) => {
    expect(toWhen(text)(NOW)).toEqual({ from, to });
  });

  it.each(['', 'soon', '2', '2 weeks ago', '-2h', '25:00', '2026-13-40', '15.11.2026'])(
    'is refused as a time: "%s"',
    (text) => {
      expect(() => toWhen(text)).toThrow(SyntaxError);
    },
  );

  it.each(['2026-02-31', '2026-02-29', '2026-04-31T10:00', '2026-00-10', '2026-11-00'])(
    'is refused as a day: "%s"',
    (text) => {
      expect(() => toWhen(text)).toThrow(SyntaxError);
    },
  );

  it('may be a day that only some years have', () => {
    expect(toWhen('2028-02-29')(NOW)).toEqual({ from: at(2028, 2, 29), to: at(2028, 3, 1) - 1 });
  });
});
