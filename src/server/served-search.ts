import { type ChildProcess, fork } from 'node:child_process';
import type { SearchReport, TextIndexReport } from '../core/index.ts';
import type { SearchRequest } from '../history/index.ts';
import { searchProcessFile } from '../lib/package.ts';
import type { SessionScope } from '../sessions/index.ts';

/** What `search-process.ts` is told. */
export interface SearchOrder {
  readonly id: number;
  readonly work: SearchWork;
}

export type SearchWork =
  | { readonly kind: 'search'; readonly request: SearchRequest }
  | { readonly kind: 'status' | 'forbid'; readonly where: SessionScope }
  | { readonly kind: 'allow'; readonly where: SessionScope; readonly exclude: readonly string[] };

/** What it answers. */
export interface SearchAnswer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** The page's search box. */
export interface ServedSearch {
  search(request: Omit<SearchRequest, 'where'>): Promise<SearchReport>;
  status(): Promise<TextIndexReport>;
  /** Only after the person agreed. The index is made from then on. */
  allow(exclude: readonly string[]): Promise<TextIndexReport>;
  /** Removes the index, and makes none. */
  forbid(): Promise<TextIndexReport>;
  close(): void;
}

/** The process ends when nobody has searched for so long; while the index is being made, it goes on. */
const IDLE_MS = 5 * 60_000;
const LONGEST_BUILD_MS = 2 * 3_600_000;

/** A process is started with the first search, and again if it ends. */
export function createServedSearch(where: SessionScope): ServedSearch {
  let child: ChildProcess | undefined;
  let last = 0;
  let idle: NodeJS.Timeout | undefined;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();

  const leave = (): void => {
    clearTimeout(idle);
    if (child?.connected) child.disconnect();
    child = undefined;
  };
  const start = (): ChildProcess => {
    const started = fork(searchProcessFile, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
    started.on('message', ({ id, value, error }: SearchAnswer) => {
      const asker = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) asker?.resolve(value);
      else asker?.reject(new Error(error));
    });
    const onEnd = (): void => {
      if (child !== started) return;
      child = undefined;
      for (const { reject } of waiting.values()) reject(new Error('The process that searches has ended.'));
      waiting.clear();
    };
    started.once('exit', onEnd);
    started.once('error', onEnd);
    return started;
  };
  const ask = async <T>(work: SearchWork): Promise<T> => {
    child ??= start();
    const id = ++last;
    const to = child;
    return new Promise<T>((resolve, reject) => {
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      const order: SearchOrder = { id, work };
      to.send(order, (error) => {
        if (error) reject(error);
      });
    });
  };
  const leaveAfter = (ms: number): void => {
    clearTimeout(idle);
    idle = setTimeout(leave, ms).unref();
  };
  return {
    async search(request) {
      const report = await ask<SearchReport>({ kind: 'search', request: { ...request, where } });
      leaveAfter(report.index.state === 'on' && !report.index.isComplete ? LONGEST_BUILD_MS : IDLE_MS);
      return report;
    },
    status: () => ask({ kind: 'status', where }),
    async allow(exclude) {
      const report = await ask<TextIndexReport>({ kind: 'allow', where, exclude });
      leaveAfter(LONGEST_BUILD_MS);
      return report;
    },
    forbid: () => ask({ kind: 'forbid', where }),
    close: leave,
  };
}
