import { expect, it } from 'vitest';
import { isQuiet } from './chat-context.ts';

it('quiet hours may span midnight, and end at the given time', () => {
  const at = (time: string): number => new Date(`2030-01-01T${time}:00`).getTime();
  const night = { from: 22 * 60, to: 7 * 60 + 30 };
  expect(['21:59', '22:00', '00:00', '07:29', '07:30'].map((time) => isQuiet(night, at(time)))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
  const noon = { from: 12 * 60, to: 13 * 60 };
  expect(['11:59', '12:00', '13:00'].map((time) => isQuiet(noon, at(time)))).toEqual([false, true, false]);
  expect(isQuiet(undefined, at('23:00'))).toBe(false);
});
