/** The terminal on which the tree is drawn in place, and on which questions stand and output comes as well. */
export interface SharedScreen {
  /** Somebody writes below what was drawn: it stays as it is until the way back is taken, and is drawn anew below. */
  take(): () => void;
  readonly isTaken: boolean;
  /** Whoever draws hears of it before anything is written, and when all have gone. */
  subscribe(listener: { onTaken(): void; onFree(): void }): void;
}

export function createSharedScreen(): SharedScreen {
  const listeners: Parameters<SharedScreen['subscribe']>[0][] = [];
  let takers = 0;
  return {
    take() {
      takers++;
      for (const { onTaken } of listeners) onTaken();
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        takers--;
        if (takers === 0) for (const { onFree } of listeners) onFree();
      };
    },
    get isTaken() {
      return takers > 0;
    },
    subscribe: (listener) => void listeners.push(listener),
  };
}
