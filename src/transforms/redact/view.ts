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
}

export function plainView(text: string): View {
  return { text, startOf: (at) => at, endOf: (at) => at };
}

/** Every match of the pattern written as `replace` says; undefined where nothing would change. */
export function editView(
  below: View,
  pattern: RegExp,
  replace: (match: RegExpExecArray) => string | undefined,
): View | undefined {
  const { text } = below;
  const edits: Edits = { at: [], length: [], source: [], sourceEnd: [] };
  let result = '';
  let from = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const written = replace(match);
    if (written === undefined) continue;
    result += text.slice(from, match.index);
    edits.at.push(result.length);
    edits.length.push(written.length);
    edits.source.push(match.index);
    from = match.index + match[0].length;
    edits.sourceEnd.push(from);
    result += written;
  }
  if (edits.at.length === 0) return undefined;
  return {
    text: result + text.slice(from),
    startOf: (at) => below.startOf(sourceStart(edits, at)),
    endOf: (at) => below.endOf(sourceEnd(edits, at)),
  };
}

/** A piece of the text below that was decoded. A group of the code that holds any of a secret counts as a whole. */
export function codedView(below: View, text: string, start: number, end: number, unit: CodeUnit): View {
  const groupStart = (at: number): number => start + Math.floor(at / unit.decoded) * unit.coded;
  const groupEnd = (at: number): number => Math.min(end, start + Math.ceil(at / unit.decoded) * unit.coded);
  return { text, startOf: (at) => below.startOf(groupStart(at)), endOf: (at) => below.endOf(groupEnd(at)) };
}

/** So many characters of a code stand for so many of the text: 4 for 3 in base64. */
export interface CodeUnit {
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
  const edit = lastEditBefore(edits, at);
  if (edit < 0) return at;
  const behind = at - (edits.at[edit] ?? 0) - (edits.length[edit] ?? 0);
  return behind >= 0 ? (edits.sourceEnd[edit] ?? 0) + behind : (edits.source[edit] ?? 0);
}

/** Seen from the character before it: what was taken out behind that one does not belong to it. */
function sourceEnd(edits: Edits, at: number): number {
  if (at === 0) return 0;
  const edit = lastEditBefore(edits, at - 1);
  if (edit < 0) return at;
  const behind = at - (edits.at[edit] ?? 0) - (edits.length[edit] ?? 0);
  return (edits.sourceEnd[edit] ?? 0) + Math.max(0, behind);
}

/** The last change that begins at this place or before it. */
function lastEditBefore(edits: Edits, at: number): number {
  let low = 0;
  let high = edits.at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edits.at[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
