import type { Size } from '../../render/watch-view.ts';
import type { Key } from './keys.ts';

/** A terminal of which we have the whole screen. */
export interface Screen {
  size(): Size;
  /** When it has another size, or what was on it is lost: everything has to be drawn again. */
  onResize(listener: () => void): void;
  onKey(listener: (key: Key) => void): void;
  write(text: string): void;
  /** Gives the terminal back until the person comes back (ctrl-z); then `onResize` is called. */
  suspend(): void;
  /** Leaves the terminal as it was found. May be called twice; no listener is called any more. */
  close(): void;
}
