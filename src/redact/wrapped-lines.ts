import { editView, lastUpTo, type View } from './view.ts';

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
const HAS_MARGIN = /\n[ \t]{0,40}(?:\d{1,7}[:|│ -]|[<>|#*│]|\/\/)/;
const NUMBER_OR_MARK = /(?<=^|\n)(?:[ \t]{0,10}\d{1,7}[\t→]|[-+ ])/g;
/** Lines that begin with a plus are rare outside of a diff. */
const TELLING = /[ \t]{0,10}\d{1,7}[\t→]|\+/y;

/** The lines of a diff, or of a file shown with the numbers of its lines, as they are in the file. */
export function stripMargin(view: View): View | undefined {
  const { text } = view;
  if (!hasNumberOrMark(text)) return undefined;
  return editView(view, (put) => {
    for (const { 0: margin, index } of text.matchAll(NUMBER_OR_MARK)) put(index, index + margin.length, '');
    return true;
  });
}

function hasNumberOrMark(text: string): boolean {
  for (let line = 0; ; ) {
    if (isAt(TELLING, text, line)) return true;
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
  const marked = HAS_MARGIN.test(view.text) ? joinRuns(view, MARGIN) : undefined;
  return [plain, marked].filter((joined) => joined !== undefined);
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
  return { end, marks: text.slice(start, end).replace(/[\d\s]/g, '') };
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
