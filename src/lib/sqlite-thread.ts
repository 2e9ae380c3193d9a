// Long readings of a database, in a thread of their own: SQLite reads on while somebody takes apart what it has read.
import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { SqlValue } from './sqlite-driver.ts';

/** What `sqlite-worker.ts` is told at its beginning. */
export interface WorkerConnection {
  readonly uri: string;
}

export interface Question {
  readonly id: number;
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** `ready`, which comes first, is no answer to anything. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'rows'; readonly id: number; readonly rows: unknown[] }
  | { readonly kind: 'error'; readonly id: number; readonly error: FailedQuestion };

/** What `structuredClone` would leave of an error, and what it would not. */
export type FailedQuestion = Readonly<Record<'message' | 'code' | 'errcode' | 'rawCode', unknown>>;

export interface SqliteThread {
  /** `here`: asks in this thread. Done as long as there is no other, or none any more. */
  ask(sql: string, values: readonly SqlValue[], here: () => Rows): Promise<Rows>;
  close(): void;
}

type Rows = readonly unknown[];

/** Beside the bundle that this is part of. Where it runs unbundled there is none, and everything is read in one thread. */
const WORKER = new URL('./sqlite-worker.js', import.meta.url);

/** To start one takes 40 ms of another core, and 20 MB: most sessions are read before that is worth it. */
const LONG_MS = 10;
/** Of a database of this size that is sure to take longer. */
const LARGE_BYTES = 64_000_000;

/** Begins at the first question, where reading takes long; nobody waits for it until it is there. */
export function createSqliteThread(
  uri: string,
  bytes: number,
  { file, longMs } = { file: WORKER, longMs: bytes < LARGE_BYTES ? LONG_MS : 0 },
): SqliteThread {
  const waiting = new Map<number, { resolve(rows: Rows | undefined): void; reject(error: Error): void }>();
  let [asked, spentMs] = [0, 0];
  let worker: Worker | undefined;
  let state: 'none' | 'starting' | 'ready' | 'gone' = 'none';
  const end = (): void => {
    state = 'gone';
    for (const { resolve } of waiting.values()) resolve(undefined);
    waiting.clear();
  };
  const hear = (answer: Answer): void => {
    if (answer.kind === 'ready') {
      if (state === 'starting') state = 'ready';
      return;
    }
    const one = waiting.get(answer.id);
    waiting.delete(answer.id);
    // Nobody stays for it but those who wait.
    if (waiting.size === 0) worker?.unref();
    if (answer.kind === 'rows') one?.resolve(answer.rows);
    else one?.reject(Object.assign(new Error(String(answer.error.message)), answer.error));
  };
  const start = (): void => {
    worker = startWorker(file, { uri });
    state = worker ? 'starting' : 'gone';
    worker?.unref();
    worker?.on('message', hear).on('error', end).on('exit', end);
  };
  const askHere = (here: () => Rows): Rows => {
    const begin = performance.now();
    const rows = here();
    spentMs += performance.now() - begin;
    if (state === 'none' && spentMs > longMs) start();
    return rows;
  };
  const askThere = (thread: Worker, sql: string, values: readonly SqlValue[]): Promise<Rows | undefined> =>
    new Promise((resolve, reject) => {
      const id = ++asked;
      waiting.set(id, { resolve, reject });
      thread.ref();
      thread.postMessage({ id, sql, values } satisfies Question);
    });
  return {
    async ask(sql, values, here) {
      if (state === 'none' && longMs === 0) start();
      // Who asks one question after the other would never hear that it is there.
      if (state === 'starting') await setImmediate();
      const rows = state === 'ready' && worker ? await askThere(worker, sql, values) : undefined;
      return rows ?? askHere(here);
    },
    close() {
      end();
      void worker?.terminate();
    },
  };
}

function startWorker(file: URL, connection: WorkerConnection): Worker | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return new Worker(file, { workerData: connection });
  } catch {
    // Where threads are forbidden.
    return undefined;
  }
}
