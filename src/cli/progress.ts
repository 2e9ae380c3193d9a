import type { Terminal } from '../lib/terminal.ts';

/** One line that says how far it is, where a person is watching; it goes when the answer comes. */
export interface Progress {
  show(text: string): void;
  clear(): void;
}

const EVERY_MS = 100;

export function createProgress({ noteInPlace }: Terminal): Progress {
  if (!noteInPlace) return { show: () => {}, clear: () => {} };
  let last = 0;
  let isShown = false;
  return {
    show(text) {
      const now = Date.now();
      if (now - last < EVERY_MS) return;
      last = now;
      isShown = true;
      noteInPlace(text);
    },
    clear() {
      if (isShown) noteInPlace('');
      isShown = false;
    },
  };
}
