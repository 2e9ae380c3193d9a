import { describe, expect, it } from 'vitest';
import { assignTasks, WorkerNotStarted } from './worker-pool.ts';

const pause = () => new Promise((resolve) => setImmediate(resolve));
const worker = (name: string, inFlight = 1) => ({
  inFlight,
  run: async (task: number) => {
    await pause();
    return `${name}${task}`;
  },
});

describe('assignTasks', () => {
  it('runs every task once', async () => {
    const tasks = Array.from({ length: 50 }, (_, index) => index);
    const { results, owners } = await assignTasks(tasks, [worker('a'), worker('b', 3)]);
    expect([...results.keys()].sort((a, b) => a - b)).toEqual(tasks);
    expect(new Set(owners.values())).toEqual(new Set([0, 1]));
    for (const [task, who] of owners) expect(results.get(task)).toBe(`${'ab'[who]}${task}`);
  });

  it('reports each task once', async () => {
    let told = 0;
    await assignTasks([0, 1, 2, 3], [worker('a'), worker('b', 3)], undefined, () => void told++);
    expect(told).toBe(4);
  });

  it('gives each worker its earlier tasks first, then what others left', async () => {
    const owners = new Map([0, 1, 2, 3].map((task) => [task, 1]));
    let finish = (): void => {};
    const othersDone = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const busy = { inFlight: 1, run: (task: number) => othersDone.then(() => `b${task}`) };
    let done = 0;
    const report = (): void => {
      if (++done === 3) finish();
    };
    const { results } = await assignTasks([0, 1, 2, 3], [worker('a'), busy], owners, report);
    expect(Object.fromEntries(results)).toEqual({ 0: 'b0', 1: 'a1', 2: 'a2', 3: 'a3' });
  });

  it('gives each worker its earlier tasks before new ones', async () => {
    const order: number[] = [];
    const second = {
      inFlight: 1,
      run: async (task: number) => {
        order.push(task);
        await pause();
        if (order.length === 4) finish();
        return 'b';
      },
    };
    let finish = (): void => {};
    const slow = {
      inFlight: 1,
      run: () =>
        new Promise<string>((resolve) => {
          finish = () => resolve('a');
        }),
    };
    await assignTasks(
      [0, 1, 2, 3, 4],
      [slow, second],
      new Map([
        [3, 1],
        [4, 1],
      ]),
    );
    expect(order).toEqual([3, 4, 1, 2]);
  });

  it('gives tasks of a worker that failed to start to the others', async () => {
    const gone = async () => {
      throw new WorkerNotStarted('no room for a thread');
    };
    const late = async () => {
      for (let turn = 0; turn < 20; turn++) await pause();
      return gone();
    };
    const tasks = [0, 1, 2, 3, 4, 5];
    for (const never of [
      { inFlight: 2, begun: gone(), run: gone },
      { inFlight: 2, begun: late(), run: gone },
      { inFlight: 2, run: late },
    ]) {
      const { results, owners } = await assignTasks(tasks, [worker('a'), never]);
      expect(tasks.map((task) => results.get(task))).toEqual(tasks.map((task) => `a${task}`));
      expect(new Set(owners.values())).toEqual(new Set([0]));
    }
  });

  it('starts without workers that are not ready', async () => {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const run = async (task: number) => {
      if (task === 1) begin();
      return `a${task}`;
    };
    const { results } = await assignTasks(
      [0, 1],
      [
        { inFlight: 1, run },
        { ...worker('b'), begun },
      ],
    );
    expect(Object.fromEntries(results)).toEqual({ 0: 'a0', 1: 'a1' });
  });

  it('rejects with the first error when all running tasks have ended', async () => {
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
      assignTasks(tasks, [
        { inFlight: 2, run },
        { inFlight: 2, run },
      ]),
    ).rejects.toThrow('full');
    expect(running).toBe(0);
  });
});
