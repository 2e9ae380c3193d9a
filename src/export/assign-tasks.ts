import type { AgentWork } from './agent-work.ts';

/** Others who do the same work, each in a thread of its own. */
export interface Crew {
  readonly helpers: readonly Helper[];
  /** Who has seen which agent, by number: 0 is who asks. */
  homes: ReadonlyMap<number, number>;
}

export interface Helper {
  readonly work: AgentWork;
  /** Whether it has begun: one that is still starting gets no task that others could do meanwhile. */
  isUp(): boolean;
}

/** A thread that looks for its messages now and then gets several tasks ahead. */
const AHEAD = 3;

/** `prepare`: tells a helper what it has to know first; it may answer with what it has done already. */
export function takersOf<Result>(
  own: AgentWork,
  crew: Crew | undefined,
  run: (work: AgentWork, agent: number) => Promise<Result>,
  prepare: (helper: AgentWork) => Promise<ReadonlyMap<number, Result>>,
): readonly Taker<Result>[] {
  return [
    { ahead: 1, run: (agent) => run(own, agent) },
    ...(crew?.helpers ?? []).map(({ work, isUp }) => {
      const doneBefore = prepare(work);
      return {
        ahead: AHEAD,
        ...(!isUp() && { begun: doneBefore }),
        doneBefore,
        run: (agent: number) => run(work, agent),
      };
    }),
  ];
}

/** One who takes on tasks. `ahead`: how many at a time, so that a thread never waits for the next one. */
export interface Taker<Result> {
  readonly ahead: number;
  /** When it can begin; others do not wait for it. Left out: at once. */
  readonly begun?: Promise<unknown>;
  /** What it has done unasked. Whatever goes wrong there is said of the tasks that it is given. */
  readonly doneBefore?: Promise<ReadonlyMap<number, Result>>;
  run(task: number): Promise<Result>;
}

/** Thrown by a taker that never began, and never will: others do its work. The first one is always there. */
export class TakerGone extends Error {}

interface SharedOut<Result> {
  readonly results: ReadonlyMap<number, Result>;
  /** Who did what. */
  readonly homes: ReadonlyMap<number, number>;
}

/**
 * Tasks are given to whoever is free. Each begins with those that were its own the last time (`homes`), because it has
 * seen them, goes on with those that are nobody's, and takes what others leave from the end.
 */
export async function shareOut<Result>(
  tasks: readonly number[],
  takers: readonly Taker<Result>[],
  homes: ReadonlyMap<number, number> = new Map(),
  /** Hears of each task once. */
  onDone: () => void = () => undefined,
): Promise<SharedOut<Result>> {
  const open = new Set(tasks);
  const results = new Map<number, Result>();
  const doneBy = new Map<number, number>();
  const take = (taker: number): number | undefined => {
    let [own, nobodys, last]: (number | undefined)[] = [];
    for (const task of open) {
      const home = homes.get(task);
      if (home === taker) own ??= task;
      else if (home === undefined) nobodys ??= task;
      last = task;
      if (own !== undefined) break;
    }
    const taken = own ?? nobodys ?? last;
    if (taken !== undefined) open.delete(taken);
    return taken;
  };
  const work = async (taker: number, { run, begun }: Taker<Result>): Promise<void> => {
    if (!(await isThere(begun))) return;
    for (let task = take(taker); task !== undefined; task = take(taker)) {
      doneBy.set(task, taker);
      try {
        results.set(task, await run(task));
        onDone();
      } catch (error) {
        if (error instanceof TakerGone) {
          open.add(task);
          return;
        }
        // Nobody begins another one.
        open.clear();
        throw error;
      }
    }
  };
  for (const [index, { doneBefore }] of takers.entries())
    doneBefore
      ?.then((done) => {
        for (const [task, result] of done) {
          if (!open.delete(task)) continue;
          results.set(task, result);
          onDone();
          doneBy.set(task, index);
        }
      })
      .catch(() => undefined);
  const all = takers.flatMap((taker, index) => Array.from({ length: taker.ahead }, () => work(index, taker)));
  // All of them come to rest first: nobody writes on behind the back of who hears of the error.
  const ends = await Promise.allSettled(all);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  // Given back when nobody was there any more to take it.
  if (takers[0] && open.size > 0) await work(0, takers[0]);
  return { results, homes: doneBy };
}

async function isThere(begun: Promise<unknown> | undefined): Promise<boolean> {
  try {
    await begun;
    return true;
  } catch (error) {
    if (error instanceof TakerGone) return false;
    throw error;
  }
}
