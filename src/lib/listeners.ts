/** Functions that are called with every change. One that throws does not keep the others from being called. */
export class Listeners<Change> {
  readonly #all = new Set<(change: Change) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void = () => {}) {
    this.#onError = onError;
  }

  add(listener: (change: Change) => void): { close(): void } {
    this.#all.add(listener);
    return { close: () => void this.#all.delete(listener) };
  }

  tell(change: Change): void {
    for (const listener of this.#all)
      try {
        listener(change);
      } catch (error) {
        this.#onError(error);
      }
  }

  clear(): void {
    this.#all.clear();
  }
}
