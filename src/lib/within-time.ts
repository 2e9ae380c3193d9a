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
