import { describe, expect, it } from 'vitest';
import { shareOut } from './share-out.ts';

const pause = () => new Promise((resolve) => setImmediate(resolve));
const taker = (name: string, ahead = 1) => ({
  ahead,
  run: async (task: number) => {
    await pause();
    return `${name}${task}`;
  },
});

describe('shareOut', () => {
  it('has everything done once, whoever does it', async () => {
    const tasks = Array.from({ length: 50 }, (_, index) => index);
    const { results, homes } = await shareOut(tasks, [taker('a'), taker('b', 3)]);
    expect([...results.keys()].sort((a, b) => a - b)).toEqual(tasks);
    expect(new Set(homes.values())).toEqual(new Set([0, 1]));
    for (const [task, who] of homes) expect(results.get(task)).toBe(`${'ab'[who]}${task}`);
  });

  it('gives each what was its own before, and then what others left', async () => {
    const homes = new Map([0, 1, 2, 3].map((task) => [task, 1]));
    const busy = {
      ahead: 1,
      run: (task: number) => new Promise<string>((resolve) => setTimeout(resolve, 30, `b${task}`)),
    };
    const { results } = await shareOut([0, 1, 2, 3], [taker('a'), busy], homes);
    expect(Object.fromEntries(results)).toEqual({ 0: 'b0', 1: 'a1', 2: 'a2', 3: 'a3' });
  });

  it('ends with the first error, when all have come to rest', async () => {
    let running = 0;
    const run = async (task: number) => {
      running++;
      await pause();
      running--;
      if (task === 2) throw new Error('full');
      return task;
    };
    const tasks = Array.from({ length: 99 }, (_, index) => index);
    await expect(
      shareOut(tasks, [
        { ahead: 2, run },
        { ahead: 2, run },
      ]),
    ).rejects.toThrow('full');
    expect(running).toBe(0);
  });
});
