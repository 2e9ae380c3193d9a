import type { AgentWork } from './agent-work.ts';

/** Others who do the same work, each in a thread of its own. */
export interface WorkerPool {
  readonly workers: readonly PoolWorker[];
  /** Who has seen which agent, by number: 0 is who asks. */
  owners: ReadonlyMap<number, number>;
}

export interface PoolWorker {
  readonly work: AgentWork;
  /** Whether it has begun: one that is still starting gets no task that others could do meanwhile. */
  isUp(): boolean;
}

/** A thread that looks for its messages now and then gets several tasks at once. */
const IN_FLIGHT = 3;

/** `prepare` tells a worker what it has to know first. */
export function taskWorkersOf<Result>(
  own: AgentWork,
  pool: WorkerPool | undefined,
  run: (work: AgentWork, agent: number) => Promise<Result>,
  prepare: (worker: AgentWork) => Promise<void>,
): readonly TaskWorker<Result>[] {
  return [
    { inFlight: 1, run: (agent) => run(own, agent) },
    ...(pool?.workers ?? []).map(({ work, isUp }) => {
      const begun = prepare(work);
      // Reported again by the first task.
      begun.catch(() => undefined);
      return { inFlight: IN_FLIGHT, ...(!isUp() && { begun }), run: (agent: number) => run(work, agent) };
    }),
  ];
}

/** One who takes on tasks. `inFlight`: how many at a time, so that a thread never waits for the next one. */
interface TaskWorker<Result> {
  readonly inFlight: number;
  /** When it can begin; others do not wait for it. Left out: at once. */
  readonly begun?: Promise<unknown>;
  run(task: number): Promise<Result>;
}

/** Thrown by a worker that never began, and never will: others do its work. The first one is always there. */
export class WorkerNotStarted extends Error {}

/**
 * Tasks are given to whoever is free. Each begins with those that were its own the last time (`owners`), because it has
 * seen them, goes on with those that are nobody's, and takes what others leave from the end. The `owners` of the answer are
 * who did what this time.
 */
export async function assignTasks<Result>(
  tasks: readonly number[],
  workers: readonly TaskWorker<Result>[],
  owners: ReadonlyMap<number, number> = new Map(),
  /** Hears of each task once. */
  onDone: () => void = () => undefined,
) {
  const open = new Set(tasks);
  const results = new Map<number, Result>();
  const doneBy = new Map<number, number>();
  const take = (worker: number): number | undefined => {
    let [own, nobodys, last]: (number | undefined)[] = [];
    for (const task of open) {
      const owner = owners.get(task);
      if (owner === worker) own ??= task;
      else if (owner === undefined) nobodys ??= task;
      last = task;
      if (own !== undefined) break;
    }
    const taken = own ?? nobodys ?? last;
    if (taken !== undefined) open.delete(taken);
    return taken;
  };
  const work = async (worker: number, { run, begun }: TaskWorker<Result>): Promise<void> => {
    try {
      await begun;
    } catch (error) {
      if (error instanceof WorkerNotStarted) return;
      throw error;
    }
    for (let task = take(worker); task !== undefined; task = take(worker)) {
      doneBy.set(task, worker);
      try {
        results.set(task, await run(task));
        onDone();
      } catch (error) {
        if (error instanceof WorkerNotStarted) {
          open.add(task);
          return;
        }
        // Nobody begins another one.
        open.clear();
        throw error;
      }
    }
  };
  const all = workers.flatMap((worker, index) => Array.from({ length: worker.inFlight }, () => work(index, worker)));
  // All of them come to rest first: nobody writes on behind the back of who hears of the error.
  const ends = await Promise.allSettled(all);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  // Given back when nobody was there any more to take it.
  if (workers[0] && open.size > 0) await work(0, workers[0]);
  return { results, owners: doneBy };
}
