// A terminal of which we have the whole screen: what draws on it and what opens it know no more of each other.

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Screen<Key> {
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

/** Makes keys of what the keyboard sends. */
export interface KeyReader {
  /** As it comes, decoded; a sequence may be torn anywhere. */
  read(chunk: string): void;
  /** What is left over is dropped. */
  close(): void;
}
