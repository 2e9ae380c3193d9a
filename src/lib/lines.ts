/** One line of a growing file, with its place in bytes. `offset + length` is where its newline stands. */
export interface Line {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly length: number;
  /** No newline yet: the writer may still be at it. */
  readonly torn: boolean;
  /** Longer than the limit: `bytes` is empty, the place is right. */
  readonly tooLong: boolean;
}

const NEWLINE = 10;
const EMPTY = new Uint8Array(0);

/** Lines of bytes, not of text: a chunk may end inside a character, and offsets must hold on disk. */
export function createLineSplitter(options: { readonly startOffset?: number; readonly maxLineBytes?: number } = {}) {
  const maxLineBytes = options.maxLineBytes ?? 64 * 1024 * 1024;
  let lineStart = options.startOffset ?? 0;
  let pending: Uint8Array[] = [];
  let pendingLength = 0;

  const take = (piece: Uint8Array, torn: boolean): Line => {
    const length = pendingLength + piece.length;
    const tooLong = length > maxLineBytes;
    const bytes = tooLong ? EMPTY : pending.length === 0 ? piece : joinBytes([...pending, piece]);
    return { bytes, offset: lineStart, length, torn, tooLong };
  };

  return {
    /** Any cut of the same bytes gives the same lines. */
    push(chunk: Uint8Array): Line[] {
      const lines: Line[] = [];
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        const line = take(chunk.subarray(from, at), false);
        lines.push(line);
        lineStart += line.length + 1;
        pending = [];
        pendingLength = 0;
        from = at + 1;
      }
      if (from < chunk.length) {
        const piece = chunk.subarray(from);
        pendingLength += piece.length;
        // Copied, because the reader uses its chunk buffer again (a Node Buffer's own `slice` is a view, not a copy);
        // dropped beyond the limit, because memory is finite.
        if (pendingLength <= maxLineBytes) pending.push(new Uint8Array(piece));
        else pending = [];
      }
      return lines;
    },
    /** Behind the last whole line. */
    get next() {
      return lineStart;
    },
    /** What is left without a newline, if anything. May be called again after more `push`. */
    rest: (): Line | undefined => (pendingLength === 0 ? undefined : take(EMPTY, true)),
  };
}

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
