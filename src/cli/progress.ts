import type { Terminal } from '../lib/terminal.ts';

const EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;

/** On a terminal one line that disappears with the answer; elsewhere, such as in a log, a line every few seconds. */
export function createProgress({ note, noteInPlace }: Terminal) {
  let last = noteInPlace ? 0 : Date.now();
  let isShown = false;
  return {
    show(text: () => string): void {
      const now = Date.now();
      if (now - last < (noteInPlace ? EVERY_MS : LINE_EVERY_MS)) return;
      last = now;
      isShown = true;
      (noteInPlace ?? note)(text());
    },
    clear(): void {
      if (isShown) noteInPlace?.('');
      isShown = false;
    },
  };
}
