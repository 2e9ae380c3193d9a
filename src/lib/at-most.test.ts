import { expect, it } from 'vitest';
import { atMost } from './clock.ts';

it('runs at most N tasks at a time, in order, even when some fail', async () => {
  const inTwos = atMost(2);
  const order: number[] = [];
  let [running, most] = [0, 0];
  const work = (index: number) =>
    inTwos(async () => {
      order.push(index);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (index % 3 === 0) throw new Error(`no ${index}`);
      return index;
    });
  const ends = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map(work));
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(most).toBe(2);
  expect(ends.map(({ status }) => status === 'fulfilled')).toEqual([false, true, true, false, true, true, false]);
  expect(await work(1)).toBe(1);
});
