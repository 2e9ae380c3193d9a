import { setTimeout as sleep } from 'node:timers/promises';

/** The only place that may ask for the time; everything else is handed a clock, so that tests can stop it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Until the time is over, or the signal comes. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Does something with a signal that comes when the time is over, or with another. `AbortSignal.any` would be shorter, but what it gives is
 * lost to the garbage collector before it comes (Node 20), and then nobody ever stops waiting.
 */
export async function withinTime<T>(
  ms: number,
  other: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = (): void => controller.abort(other?.reason);
  const timer = setTimeout(() => controller.abort(new DOMException('The time is over.', 'TimeoutError')), ms);
  if (other?.aborted) end();
  other?.addEventListener('abort', end);
  try {
    return await act(controller.signal);
  } finally {
    clearTimeout(timer);
    other?.removeEventListener('abort', end);
  }
}

/** Has so many run at a time; the others wait, in their order. */
export function atMost(running: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let free = running;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
