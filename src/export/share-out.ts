/** One who takes on tasks. `ahead`: how many at a time, so that a thread never waits for the next one. */
export interface Taker<Result> {
  readonly ahead: number;
  run(task: number): Promise<Result>;
}

export interface SharedOut<Result> {
  readonly results: ReadonlyMap<number, Result>;
  /** Who did what. */
  readonly homes: ReadonlyMap<number, number>;
}

/**
 * Tasks are given to whoever is free. Each begins with those that were its own the last time (`homes`), because it has
 * seen them; what others leave is taken from the end.
 */
export async function shareOut<Result>(
  tasks: readonly number[],
  takers: readonly Taker<Result>[],
  homes: ReadonlyMap<number, number> = new Map(),
): Promise<SharedOut<Result>> {
  const open = new Set(tasks);
  const results = new Map<number, Result>();
  const doneBy = new Map<number, number>();
  const take = (taker: number): number | undefined => {
    let last: number | undefined;
    for (const task of open) {
      last = task;
      if ((homes.get(task) ?? taker) === taker) break;
    }
    if (last !== undefined) open.delete(last);
    return last;
  };
  const work = async (taker: number, { run }: Taker<Result>): Promise<void> => {
    for (let task = take(taker); task !== undefined; task = take(taker)) {
      doneBy.set(task, taker);
      try {
        results.set(task, await run(task));
      } catch (error) {
        // Nobody begins another one.
        open.clear();
        throw error;
      }
    }
  };
  const all = takers.flatMap((taker, index) => Array.from({ length: taker.ahead }, () => work(index, taker)));
  // All of them come to rest first: nobody writes on behind the back of who hears of the error.
  const ends = await Promise.allSettled(all);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return { results, homes: doneBy };
}
