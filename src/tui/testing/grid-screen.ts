import type { Screen, Size } from '../../lib/screen.ts';
import type { Key, KeyName } from '../keys.ts';
import { createEmulator, type Emulator } from './emulator.ts';

/** A screen that a test reads and types on. */
export interface GridScreen extends Screen<Key> {
  readonly terminal: Emulator;
  /** Everything that was written, one entry a call. */
  readonly writes: string[];
  resize(size: Size): void;
  press(...keys: readonly (KeyName | `'${string}`)[]): void;
  type(text: string): void;
  paste(text: string): void;
  isClosed(): boolean;
  suspensions(): number;
}

export function createGridScreen(size: Size): GridScreen {
  const terminal = createEmulator(size);
  const writes: string[] = [];
  let onKey: (key: Key) => void = () => {};
  let onResize = (): void => {};
  let isClosed = false;
  let suspensions = 0;
  return {
    terminal,
    writes,
    size: terminal.size,
    onResize(listener) {
      onResize = listener;
    },
    onKey(listener) {
      onKey = listener;
    },
    write(text) {
      writes.push(text);
      terminal.write(text);
    },
    suspend() {
      suspensions++;
    },
    close() {
      isClosed = true;
    },
    resize(next) {
      terminal.resize(next);
      onResize();
    },
    press(...keys) {
      for (const key of keys) {
        if (key.startsWith("'")) onKey({ kind: 'typed', text: key.slice(1) });
        else onKey({ kind: 'named', name: key as KeyName });
      }
    },
    type(text) {
      for (const character of text) onKey({ kind: 'typed', text: character });
    },
    paste: (text) => onKey({ kind: 'pasted', text }),
    isClosed: () => isClosed,
    suspensions: () => suspensions,
  };
}
