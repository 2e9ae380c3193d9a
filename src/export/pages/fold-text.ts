// Long texts of a page without script: their beginning (and end) at once, the rest one click away.

export interface Fold {
  readonly head: string;
  /** Empty where nothing is folded. */
  readonly hidden: string;
  readonly tail: string;
}

/** In rows of the page. */
export interface FoldRows {
  readonly head: number;
  readonly tail: number;
}

const ROW = 100;
/** Folding must hide more than it takes to say so. */
const SLACK_ROWS = 5;

/** Looks at the shown rows only, however long the text. */
export function foldText(text: string, { head, tail }: FoldRows): Fold {
  const whole: Fold = { head: text, hidden: '', tail: '' };
  if (advance(text, 0, head + tail + SLACK_ROWS) >= text.length) return whole;
  const upTo = advance(text, 0, head);
  const from = tail === 0 ? text.length : retreat(text, text.length, tail);
  if (from <= upTo) return whole;
  return { head: text.slice(0, upTo), hidden: text.slice(upTo, from), tail: text.slice(from) };
}

function advance(text: string, from: number, rows: number): number {
  let at = from;
  for (let left = rows; left > 0 && at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end + 1;
    const taken = Math.max(1, Math.ceil((next - at) / ROW));
    // Of a line without end, as much as there is room for.
    if (taken > left) return wholeCharacter(text, at + left * ROW);
    at = next;
    left -= taken;
  }
  return at;
}

function retreat(text: string, to: number, rows: number): number {
  let at = to;
  for (let left = rows; left > 0 && at > 0; ) {
    const start = at < 2 ? 0 : text.lastIndexOf('\n', at - 2) + 1;
    const taken = Math.max(1, Math.ceil((at - start) / ROW));
    if (taken > left) return wholeCharacter(text, at - left * ROW);
    at = start;
    left -= taken;
  }
  return at;
}

/** Not between the halves of a character. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000 ? at - 1 : at;
}
