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
  /** What a matcher found in it: views of it need not be searched anew. */
  hits?: readonly number[];
  /** Kept like `hits`. */
  surveyed?: Surveyed;
}

export interface Surveyed {
  /** Places of characters that codes begin with. */
  readonly marks: readonly number[];
  /** Of 16 digits of base64 or more: starts and ends, in turn. */
  readonly runs: readonly number[];
}

interface Edited {
  readonly below: View;
  /** Whether there may be something to decode in it. */
  readonly isCoded: boolean;
  /** Whether letters may stand side by side that did not before, or others than before. */
  readonly isJoining: boolean;
  /** Where in this view a piece of the one below begins; -1 if some of it was changed. For pieces in order: it goes on from the last. */
  /** The ends of what was written. */
  readonly changes: () => readonly number[];
  readonly follow: () => (start: number, end: number) => number;
}

/** What only ends a word, written in the place of a code. */
export const SEPARATORS: ReadonlySet<string> = new Set('\n\r\t "\'`\\&<>');

const itself = (at: number): number => at;

export function plainView(text: string): View {
  return { text, startOf: itself, endOf: itself, edited: undefined };
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
    edited: {
      below,
      isCoded,
      isJoining,
      changes: () => edits.at.map((at, index) => at + (edits.length[index] as number)),
      follow: () => followPieces(edits),
    },
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

function followPieces({ at, length, source, sourceEnd }: Edits): (start: number, end: number) => number {
  /** The number of the first change that ends behind the piece's beginning. */
  let next = 0;
  return (start, end) => {
    while (next < source.length && (sourceEnd[next] as number) <= start) next++;
    while (next > 0 && (sourceEnd[next - 1] as number) > start) next--;
    if (next < source.length && (source[next] as number) < end) return -1;
    if (next === 0) return start;
    return start - (sourceEnd[next - 1] as number) + (at[next - 1] as number) + (length[next - 1] as number);
  };
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
function lastUpTo(places: readonly number[], at: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Only what may be one word across the end of a line, put together; one such word a line. */
export interface JoinedView extends View {
  /** Where, between these places of the view, the first end of a line stood; -1 where none did. */
  readonly joinWithin: (start: number, end: number) => number;
}

/** A shorter one is anybody's. */
const SHORTEST_PIECE = 8;

/** What each line has of a word that was cut: alone it stands in titles, and in whatever else is made of one line. */
export function piecesWithin({ joinWithin }: JoinedView, start: number, end: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = start;
  for (let join = joinWithin(from, end); join >= 0; join = joinWithin(from, end)) {
    pieces.push([from, join]);
    from = join;
  }
  return [...pieces, [from, end] as const].filter(([first, last]) => last - first >= SHORTEST_PIECE);
}

type Piece = readonly [start: number, end: number];

const INDENT = /[ \t]{0,80}/y;
/** Marks of a comment or of a quotation, numbers of other forms. */
const MARGIN = /[ \t]{0,40}(?:\d{1,7}(?:[:|│-]|[ \t]{1,4})){0,2}[ \t]{0,40}(?:[<>|#*│]{1,3}|\/\/)?[ \t]{0,40}/y;
const MARGIN_BEGINS = /\d{1,7}[:|│ -]|[<>|#*│]|\/\//y;
const NUMBER_OR_MARK = /[ \t]{0,10}\d{1,7}[\t→]|[-+ ]/y;
/** Lines that begin with a plus are rare outside of a diff. */
const TELLING = /[ \t]{0,10}\d{1,7}[\t→]|\+/y;

/** The lines of a diff, or of a file shown with the numbers of its lines, as they are in the file. */
export function stripMargin(view: View): View | undefined {
  const { text } = view;
  if (!hasNumberOrMark(text)) return undefined;
  return editView(view, (put) => {
    for (let line = 0; ; ) {
      if (text.charCodeAt(line) < 58 && isAt(NUMBER_OR_MARK, text, line)) put(line, NUMBER_OR_MARK.lastIndex, '');
      line = text.indexOf('\n', line) + 1;
      if (line === 0) return true;
    }
  });
}

function hasNumberOrMark(text: string): boolean {
  for (let line = 0; ; ) {
    // Nearly all lines begin with a letter.
    if (text.charCodeAt(line) < 58 && isAt(TELLING, text, line)) return true;
    line = text.indexOf('\n', line) + 1;
    if (line === 0) return false;
  }
}

/** Whether a sticky pattern matches at this position. */
function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Words that a terminal, a mail or a `\` has cut, once by the indent of the next line alone, once with what else stands there. */
export function joinWrapped(view: View): readonly JoinedView[] {
  if (!view.text.includes('\n')) return [];
  const plain = joinRuns(view, INDENT);
  const marked = hasMargin(view.text) ? joinRuns(view, MARGIN) : undefined;
  return [plain, marked].filter((joined) => joined !== undefined);
}

/** Whether a line but the first begins with what `MARGIN` takes. */
function hasMargin(text: string): boolean {
  for (let at = text.indexOf('\n') + 1; at > 0; at = text.indexOf('\n', at) + 1) {
    const last = at + 40;
    while (at < last && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at++;
    const unit = text.charCodeAt(at);
    // Neither a letter nor anything else that most lines begin with.
    if ((unit < 65 || unit > 122) && isAt(MARGIN_BEGINS, text, at)) return true;
  }
  return false;
}

/** Shorter ones hold no token, or what stands on one line is enough to find it. */
const SHORTEST = 14;

function joinRuns({ text, startOf, endOf }: View, margin: RegExp): JoinedView | undefined {
  /** Where each piece stands in the view, and where in the text below; pieces of one word follow each other. */
  const starts: number[] = [];
  const sources: number[] = [];
  let joined = '';
  /** Pieces of the word that may go on: [start, end). */
  let word: [number, number][] = [];
  const close = (): void => {
    const length = word.reduce((sum, [start, end]) => sum + end - start, 0);
    if (length >= SHORTEST) {
      for (const [start, end] of word) {
        starts.push(joined.length);
        sources.push(start);
        joined += text.slice(start, end);
      }
      joined += '\n';
    }
    word = [];
  };
  let lineStart = 0;
  for (let newline = text.indexOf('\n'); newline >= 0; newline = text.indexOf('\n', newline + 1)) {
    const lineEnd = beforeNewline(text, newline);
    // Most lines end with a mark, and then need no further look.
    const wrap = isOfWord(text, lineEnd - 1) ? wrapAt(text, lineStart, lineEnd, newline, margin) : undefined;
    if (!wrap) close();
    else {
      if (word.at(-1)?.[1] !== lineEnd) {
        close();
        word = [[wordStart(text, lineEnd, wrap.line.end), lineEnd]];
      }
      word.push([wrap.next.end, wordEnd(text, wrap.next.end)]);
    }
    lineStart = newline + 1;
  }
  close();
  if (joined === '') return undefined;
  const sourceOf = (at: number): number => {
    const piece = lastUpTo(starts, at);
    return (sources[piece] ?? 0) + at - (starts[piece] ?? 0);
  };
  return {
    text: joined,
    startOf: (at) => startOf(sourceOf(at)),
    endOf: (at) => endOf(at === 0 ? sourceOf(0) : sourceOf(at - 1) + 1),
    joinWithin: (start, end) => {
      const behind = starts[lastUpTo(starts, start) + 1] ?? joined.length;
      return behind < end ? behind : -1;
    },
  };
}

interface Margin {
  /** Where the line's own text begins. */
  readonly end: number;
  /** What stands before it, without numbers and spaces. */
  readonly marks: string;
}

function readMargin(text: string, start: number, margin: RegExp): Margin {
  margin.lastIndex = start;
  margin.test(text);
  const end = margin.lastIndex;
  return { end, marks: margin === INDENT || end === start ? '' : text.slice(start, end).replace(/[\d\s]/g, '') };
}

const LINE_NUMBER = /\d{1,7}[\t→]/y;

/** A few columns more or less: numbers of lines grow, and a first line may stand behind a prompt. */
const SLACK = 8;

/** A line that was cut is as long as there was room, so the next one is no longer; and it has the same marks before it. */
function wrapAt(
  text: string,
  lineStart: number,
  lineEnd: number,
  newline: number,
  margin: RegExp,
): { readonly line: Margin; readonly next: Margin } | undefined {
  const nextNewline = text.indexOf('\n', newline + 1);
  const nextEnd = nextNewline < 0 ? text.length : nextNewline;
  const isLonger = nextEnd - newline - 1 > newline - lineStart + SLACK;
  if (isLonger && text[lineEnd] !== '\\') return undefined;
  const next = readMargin(text, newline + 1, margin);
  // A line number is not part of the text.
  if (!isOfWord(text, next.end) || isAt(LINE_NUMBER, text, next.end)) return undefined;
  const line = readMargin(text, lineStart, margin);
  return line.marks === next.marks ? { line, next } : undefined;
}

/** The end of what the line says: without a carriage return, and without the `\` by which a command goes on. */
function beforeNewline(text: string, newline: number): number {
  let end = newline;
  if (text[end - 1] === '\r') end--;
  return text[end - 1] === '\\' ? end - 1 : end;
}

function wordStart(text: string, end: number, lineStart: number): number {
  let start = end;
  while (start > lineStart && isOfWord(text, start - 1)) start--;
  return start;
}

function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isOfWord(text, end)) end++;
  return end;
}

/** Whatever tokens and addresses consist of: no space, no quotes, brackets, commas or semicolons. */
const OF_WORD = new Uint8Array(128);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/=.~%:@!$&*#?^')
  OF_WORD[letter.charCodeAt(0)] = 1;

function isOfWord(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit < 128 && OF_WORD[unit] === 1;
}
