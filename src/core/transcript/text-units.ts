import type { Units } from './folding.ts';

/** Lines of a text; of a line longer than this, pieces. */
const LONGEST_PIECE = 400;
/** Of a row of the page, in characters. */
const ROW = 80;

export interface TextUnits extends Units {
  readonly text: string;
  /** Where a piece begins. The one behind the last begins at the end of the text. */
  start(index: number): number;
  /** Of a line that begins in an earlier piece. */
  isContinued(index: number): boolean;
  /** The piece at a place in the text. */
  at(offset: number): number;
}

/** Nothing is copied: a text of megabytes has many pieces. */
export function cutText(text: string): TextUnits {
  const starts: number[] = [];
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf('\n', from);
    const to = next === -1 ? text.length : next + 1;
    let piece = from;
    for (; to - piece > LONGEST_PIECE; piece = pieceEnd(text, piece)) starts.push(piece);
    starts.push(piece);
    from = to;
  }
  const start = (index: number): number => starts[index] ?? text.length;
  return {
    text,
    count: starts.length,
    start,
    rows: (index) => Math.max(1, Math.ceil((start(index + 1) - start(index)) / ROW)),
    isContinued: (index) => index > 0 && text[start(index) - 1] !== '\n',
    at: (offset) => findLast(starts, offset),
  };
}

/** Not between the halves of a character. */
function pieceEnd(text: string, from: number): number {
  const to = from + LONGEST_PIECE;
  const code = text.charCodeAt(to);
  return code >= 0xdc00 && code < 0xe000 ? to - 1 : to;
}

/** The last one that is not greater. */
function findLast(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return low;
}
