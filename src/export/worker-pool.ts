import { existsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FoundFiles, OpenedTranscripts, SharedTranscripts } from '../core/index.ts';
import { exportWorkerFile } from '../lib/package.ts';
import type { AgentWork, ExportOptions } from './agent-work.ts';
import type { DecidedValues } from './decisions.ts';

/** What `export-worker.ts` is told at its beginning. */
export interface WorkerOrder {
  readonly options: Omit<ExportOptions, 'redactor' | 'singlePage'>;
  /** Undefined: nothing is looked for. */
  readonly redact: { readonly pii: boolean } | undefined;
}

/** A call of one of its functions, and the answer. `begin`, which comes first, says what session it is about. */
export interface WorkerTask {
  readonly id: number;
  readonly call: keyof WorkerCalls;
  readonly values: readonly unknown[];
}

export interface WorkerCalls extends AgentWork {
  begin(session: SharedTranscripts, layers: readonly DecidedValues[]): Promise<void>;
}

export interface WorkerAnswer {
  readonly id: number;
  readonly result?: unknown;
  /** An error as `structuredClone` leaves it, with the system's code, which it does not. */
  readonly error?: { readonly error: Error; readonly code: unknown };
}

/** Each takes memory of its own: with three, a session of 100 MB took up to 351 MB, and issue 8 allows 350. */
const MOST_THREADS = 2;

/**
 * By the files of a session, before anybody reads them: while one reads them for the first time, the others get ready. Undefined:
 * it is not worth it, or cannot be.
 */
export function startPool({ files }: FoundFiles, order: WorkerOrder): StartingPool | undefined {
  const threads = process.env['TROUPE_EXPORT_THREADS'];
  const asked = threads === undefined ? undefined : Math.min(Number.parseInt(threads, 10) || 1, 16);
  const count = (asked ?? Math.min(availableParallelism(), MOST_THREADS)) - 1;
  if (count < 1 || !existsSync(exportWorkerFile) || (asked === undefined && !isLarge(files))) return undefined;
  const members = Array.from({ length: count }, () => startWorker(order)).filter((member) => member !== undefined);
  return {
    begin: async (opened, layers) => {
      const session = await opened.share();
      if (!session) return undefined;
      // What is wrong is said where its first task is waited for.
      for (const { begin } of members) begin(session, layers).catch(() => undefined);
      return { workers: members, owners: new Map() };
    },
    close: async () => {
      await Promise.all(members.map(({ close }) => close()));
    },
  };
}

/** Less is read before another thread has begun. */
const SMALLEST = { files: 4, bytes: 8_000_000 };

function isLarge(files: readonly string[]): boolean {
  if (files.length < SMALLEST.files) return false;
  let bytes = 0;
  for (const file of files) {
    bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes >= SMALLEST.bytes) return true;
  }
  return false;
}

interface StartedWorker extends Pick<WorkerCalls, 'begin'>, PoolWorker {
  close(): Promise<void>;
}

function startWorker(order: WorkerOrder): StartedWorker | undefined {
  let worker: Worker;
  try {
    // By default V8 gives a thread 48 MB for what it has just made: this takes as long, with a tenth less memory in all.
    worker = new Worker(exportWorkerFile, { workerData: order, resourceLimits: { maxYoungGenerationSizeMb: 12 } });
  } catch {
    // Where threads are forbidden. Without one it takes longer, that is all.
    return undefined;
  }
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: unknown): void }>();
  let tasks = 0;
  let end: Error | undefined;
  let hasAnswered = false;
  const endAll = (error: Error): void => {
    // It cannot have written anything: others may do its work.
    end ??= hasAnswered ? error : new WorkerNotStarted(error.message);
    for (const { reject } of waiting.values()) reject(end);
    waiting.clear();
  };
  worker.on('message', ({ id, result, error }: WorkerAnswer) => {
    hasAnswered = true;
    const one = waiting.get(id);
    waiting.delete(id);
    if (error) one?.reject(Object.assign(error.error, error.code !== undefined && { code: error.code }));
    else one?.resolve(result);
  });
  let isUp = false;
  worker.once('online', () => {
    isUp = true;
  });
  worker.on('error', endAll);
  worker.on('exit', () => endAll(new Error('troupe: a thread of the export ended before its work')));
  const call = <Result>(name: keyof WorkerCalls, ...values: readonly unknown[]): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (end) return reject(end);
      const task: WorkerTask = { id: ++tasks, call: name, values };
      waiting.set(task.id, { resolve: resolve as (result: unknown) => void, reject });
      worker.postMessage(task);
    });
  return {
    begin: (session, layers) => call('begin', session, layers),
    isUp: () => isUp,
    work: {
      prepareSurvey: (memory) => call('prepareSurvey', memory),
      survey: (agent, scan) => call('survey', agent, scan),
      prepareWriting: (pages) => call('prepareWriting', pages),
      write: (agent) => call('write', agent),
    },
    // Nobody waits for its end: it has nothing left to do.
    close: async () => void worker.terminate(),
  };
}

export interface StartingPool {
  /** Undefined where nobody else can read the session. */
  begin(session: OpenedTranscripts, layers: readonly DecidedValues[]): Promise<WorkerPool | undefined>;
  close(): Promise<void>;
}

/** Others who do the same work, each in a thread of its own. */
export interface WorkerPool {
  readonly workers: readonly PoolWorker[];
  /** Who has seen which agent, by number: 0 is who asks. */
  owners: ReadonlyMap<number, number>;
}

interface PoolWorker {
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
