interface Waiting<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: unknown): void;
}

/**
 * One reading for several readers: each gets everything, and the next thing is fetched when all of them are done with the
 * one before. A reader that stops early holds nobody up.
 */
export function inStep<T>(source: AsyncIterable<T>, readers: number): readonly AsyncIterable<T>[] {
  const iterator = source[Symbol.asyncIterator]();
  let active = readers;
  let waiting: Waiting<T>[] = [];
  const fetchNext = async (): Promise<void> => {
    const ready = waiting;
    waiting = [];
    try {
      const result = await iterator.next();
      for (const { resolve } of ready) resolve(result);
    } catch (error) {
      for (const { reject } of ready) reject(error);
    }
  };
  const proceed = (): void => {
    if (active > 0 && waiting.length === active) void fetchNext();
  };
  const reader: AsyncIterable<T> = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve, reject) => {
          waiting.push({ resolve, reject });
          proceed();
        }),
      return: async () => {
        active--;
        proceed();
        return { done: true, value: undefined };
      },
    }),
  };
  return Array.from({ length: readers }, () => reader);
}
