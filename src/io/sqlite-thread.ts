// Long readings of a database, in a thread of their own: SQLite reads on while somebody takes apart what it has read.
import { existsSync } from 'node:fs';
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
  /** Undefined: there is no thread, or it is gone; to be asked where one is. */
  ask(sql: string, values: readonly SqlValue[]): Promise<unknown[] | undefined>;
  close(): void;
}

/** Beside the bundle that this is part of. Where it runs unbundled there is none, and everything is read in one thread. */
const WORKER = new URL('./sqlite-worker.js', import.meta.url);

/** To start takes 40 ms of another core, and 20 MB: many sessions are read with fewer questions. */
const FEW = 12;

/** Begins when it is worth it; nobody waits for it until then. */
export function createSqliteThread(uri: string, file: URL = WORKER, few = FEW): SqliteThread {
  const waiting = new Map<number, { resolve(rows: unknown[] | undefined): void; reject(error: Error): void }>();
  let asked = 0;
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
  return {
    ask(sql, values) {
      asked++;
      if (state === 'none' && asked > few) start();
      if (state !== 'ready' || !worker) return Promise.resolve(undefined);
      const thread = worker;
      return new Promise((resolve, reject) => {
        waiting.set(asked, { resolve, reject });
        thread.ref();
        thread.postMessage({ id: asked, sql, values } satisfies Question);
      });
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
