/** What comes faster than it is taken, in order, for one reader. */
export interface ChunkQueue<T> extends AsyncIterable<T> {
  add(...chunks: readonly T[]): void;
  /** Nothing more comes; with an error, that is thrown behind the last one. */
  end(error?: unknown): void;
}

/** `onLeft`: the reader has gone before the end. */
export function createChunkQueue<T>(onLeft: () => void): ChunkQueue<T> {
  const waiting: T[] = [];
  const state: { isOver: boolean; error?: unknown } = { isOver: false };
  let wake = (): void => {};
  return {
    add(...chunks) {
      waiting.push(...chunks);
      wake();
    },
    end(error) {
      state.isOver = true;
      if (error !== undefined) state.error = error;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const chunk = waiting.shift();
          if (chunk !== undefined) yield chunk;
          else if (state.isOver) break;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        if (!state.isOver) onLeft();
      }
      if (state.error !== undefined) throw state.error;
    },
  };
}
