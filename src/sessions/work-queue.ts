/** One thing after the other: a session must not be read by two at once. */
export interface WorkQueue {
  readonly isClosed: boolean;
  /** Fails where the work fails; the queue goes on. */
  add<T>(work: () => Promise<T>): Promise<T>;
  /** For work whose failure nobody waits for: it is told to `onError`. */
  run(work: () => Promise<unknown>): void;
  /** A way to ask for work that is done once for all who ask within `ms`, and again as long as `isDone` says no. */
  debounced(work: () => Promise<void>, ms: number, isDone: () => boolean): () => void;
  close(): void;
}

/** Under a flood, so many times as long as the last look took: lines gather, and others get their turn. */
const REST = 3;
const MAX_REST_MS = 40;

export function createWorkQueue(onError: (error: unknown) => void): WorkQueue {
  let tail: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  const timers = new Set<NodeJS.Timeout>();
  const add = <T>(work: () => Promise<T>): Promise<T> => {
    const done = tail.then(work);
    tail = done.catch(onError);
    return done;
  };
  const run = (work: () => Promise<unknown>): void => void add(work).catch(() => {});
  return {
    get isClosed() {
      return isClosed;
    },
    add,
    run,
    debounced(work, ms, isDone) {
      let timer: NodeJS.Timeout | undefined;
      const askIn = (wait: number): void => {
        if (isClosed || timer) return;
        timer = setTimeout(() => {
          if (timer) timers.delete(timer);
          timer = undefined;
          run(once);
        }, wait);
        timers.add(timer);
      };
      const once = async (): Promise<void> => {
        if (isClosed || isDone()) return;
        const begin = performance.now();
        await work();
        if (!isDone()) askIn(Math.min(MAX_REST_MS, (performance.now() - begin) * REST));
      };
      return () => askIn(ms);
    },
    close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
