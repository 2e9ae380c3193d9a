/**
 * A text as it reads once a disguise is taken off (escapes decoded, wrapped lines joined), and the way back: where in the
 * text that is being redacted a place of the view stands.
 */
export interface View {
  readonly text: string;
  /** Where the character at this place begins. */
  readonly startOf: (at: number) => number;
  /** Where the text up to this place ends: behind the character before it. */
  readonly endOf: (at: number) => number;
  /** Of a view that is another one with some places changed. */
  readonly edited?: Edited | undefined;
}

interface Edited {
  readonly below: View;
  /** Whether there may be something to decode in it. */
  readonly isCoded: boolean;
  /** Whether letters may stand side by side that did not before, or others than before. */
  readonly isJoining: boolean;
}

/** What only ends a word, written in the place of a code. */
export const SEPARATORS: ReadonlySet<string> = new Set('\n\r\t "\'`\\&<>');

export function plainView(text: string): View {
  return { text, startOf: (at) => at, endOf: (at) => at, edited: undefined };
}

/** Writes something else in the place of what stands between two places; from the first to the last. */
type Put = (start: number, end: number, written: string) => void;

/** The text with other words in some places; undefined where nothing was put. `putAll` says whether that may still be coded. */
export function editView(below: View, putAll: (put: Put) => boolean): View | undefined {
  const { text } = below;
  const edits: Edits = { at: [], length: [], source: [], sourceEnd: [] };
  const pieces: string[] = [];
  let length = 0;
  let from = 0;
  let isJoining = false;
  const isCoded = putAll((start, end, written) => {
    pieces.push(text.slice(from, start), written);
    isJoining ||= !SEPARATORS.has(written);
    length += start - from;
    edits.at.push(length);
    edits.length.push(written.length);
    edits.source.push(start);
    edits.sourceEnd.push(end);
    length += written.length;
    from = end;
  });
  if (pieces.length === 0) return undefined;
  pieces.push(text.slice(from));
  return {
    // Put together at once: a text that grows piece by piece is a tree of pieces to whoever reads it.
    text: pieces.join(''),
    startOf: (at) => below.startOf(sourceStart(edits, at)),
    endOf: (at) => below.endOf(sourceEnd(edits, at)),
    edited: { below, isCoded, isJoining },
  };
}

/** A piece of the text below that was decoded. A group of the code that holds any of a secret counts as a whole. */
export function codedView(below: View, text: string, start: number, end: number, unit: CodeUnit): View {
  return {
    ...plainView(text),
    startOf: (at) => below.startOf(start + Math.floor(at / unit.decoded) * unit.coded),
    endOf: (at) => below.endOf(Math.min(end, start + Math.ceil(at / unit.decoded) * unit.coded)),
  };
}

/** So many characters of a code stand for so many of the text: 4 for 3 in base64. */
interface CodeUnit {
  readonly coded: number;
  readonly decoded: number;
}

/** Parallel lists: one entry a change, in the order of the text. */
interface Edits {
  readonly at: number[];
  readonly length: number[];
  readonly source: number[];
  readonly sourceEnd: number[];
}

function sourceStart(edits: Edits, at: number): number {
  const edit = lastUpTo(edits.at, at);
  if (edit < 0) return at;
  const behind = at - (edits.at[edit] ?? 0) - (edits.length[edit] ?? 0);
  return behind >= 0 ? (edits.sourceEnd[edit] ?? 0) + behind : (edits.source[edit] ?? 0);
}

/** Seen from the character before it: what was taken out behind that one does not belong to it. */
function sourceEnd(edits: Edits, at: number): number {
  if (at === 0) return 0;
  const edit = lastUpTo(edits.at, at - 1);
  if (edit < 0) return at;
  const behind = at - (edits.at[edit] ?? 0) - (edits.length[edit] ?? 0);
  return (edits.sourceEnd[edit] ?? 0) + Math.max(0, behind);
}

/** The number of the last of these places, which are in order, that is this one or before it; -1 if there is none. */
export function lastUpTo(places: readonly number[], at: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
