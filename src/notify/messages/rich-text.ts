import { cleanBlock, cleanLine } from '../../core/index.ts';

// Text with a few marks, for chat programs: they make links, mentions and commands of what they find in plain text, but not of
// what is marked as code.

/** Places in UTF-16 units, as JavaScript and Telegram count. */
interface Mark {
  readonly kind: 'code' | 'pre';
  readonly from: number;
  readonly length: number;
}

export interface RichText {
  readonly text: string;
  /** In their order; none is empty, none overlaps another. */
  readonly marks: readonly Mark[];
}

/** Our own words as they are; foreign ones as code, a block of them as `pre`. */
export type Piece = string | { readonly code: string } | { readonly pre: string };

export function rich(...pieces: readonly Piece[]): RichText {
  const marks: Mark[] = [];
  let text = '';
  for (const piece of pieces) {
    const from = text.length;
    if (typeof piece === 'string') text += piece;
    else text += 'code' in piece ? piece.code : piece.pre;
    const length = text.length - from;
    if (typeof piece !== 'string' && length > 0) marks.push({ kind: 'code' in piece ? 'code' : 'pre', from, length });
  }
  return { text, marks };
}

export function joinRich(texts: readonly RichText[], between = '\n'): RichText {
  const marks: Mark[] = [];
  let text = '';
  for (const [index, one] of texts.entries()) {
    if (index > 0) text += between;
    for (const mark of one.marks) marks.push({ ...mark, from: mark.from + text.length });
    text += one.text;
  }
  return { text, marks };
}

/**
 * Parts of at most `most` units and `mostMarks` marks: cut between lines where one is near, never inside a character; a mark goes on in
 * the next part.
 */
export function splitRich(whole: RichText, most: number, mostMarks = Number.POSITIVE_INFINITY): readonly RichText[] {
  const parts: RichText[] = [];
  let from = 0;
  for (;;) {
    const latest = Math.min(from + most, startOfMark(whole, from, mostMarks));
    if (whole.text.length <= latest) break;
    const to = cutBefore(whole.text, from, latest);
    parts.push(slice(whole, from, to));
    // The line break that was cut at is nobody's.
    from = whole.text[to] === '\n' ? to + 1 : to;
  }
  return [...parts, slice(whole, from, whole.text.length)].filter(({ text }) => text.trim() !== '');
}

/** Where the first mark begins that would be one too many. */
function startOfMark({ marks }: RichText, from: number, most: number): number {
  const ahead = marks.filter((mark) => mark.from + mark.length > from);
  return ahead[most]?.from ?? Number.POSITIVE_INFINITY;
}

function slice({ text, marks }: RichText, from: number, to: number): RichText {
  const inside = marks.flatMap((mark): Mark[] => {
    const start = Math.max(mark.from, from);
    const length = Math.min(mark.from + mark.length, to) - start;
    return length > 0 ? [{ ...mark, from: start - from, length }] : [];
  });
  return { text: text.slice(from, to), marks: inside };
}

function cutBefore(text: string, from: number, latest: number): number {
  const line = text.lastIndexOf('\n', latest);
  if (line > from + (latest - from) / 2) return line;
  const isLowSurrogate = /[\udc00-\udfff]/.test(text.charAt(latest));
  return isLowSurrogate && latest - 1 > from ? latest - 1 : latest;
}

/** As the second line of a message has room for. */
const LONGEST_QUOTE = 200;
const LONGEST_LABEL = 40;
/** What stands behind so much of a text is not its first line in any sense. */
const LOOKED_AT = 20_000;

const MARKDOWN_LINK = /!?\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)/g;
const BARE_LINK = /\b(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.)[^\s<>"')\]]*/gi;
/** Of Markdown, at the beginning of a line: headings, lists, quotes. */
const LEADING_MARKS = /^(?:#{1,6}\s+|[-*+]\s+|>\s*)+/;
const EMPHASIS = /\*\*|`/g;

/** The first line of a text that says something, without links and controls. Empty where there is none. */
export function quoteOf(text: string, most = LONGEST_QUOTE): string {
  const lines = cleanBlock(text.slice(0, LOOKED_AT)).split('\n');
  for (const line of lines) {
    const said = plain(line);
    // A fence, a rule: no words.
    if (/[^\s\p{P}\p{S}]|\p{Extended_Pictographic}/u.test(said)) return cutAt(said, most);
  }
  return '';
}

/** What a call is about, in a line: a command, a path, an address. It is no prose, and every character of it counts. */
export function callQuote(text: string, most = LONGEST_QUOTE): string {
  const lines = cleanBlock(text.slice(0, LOOKED_AT)).split('\n').map(cleanLine);
  return cutAt(lines.find((line) => line !== '') ?? '', most);
}

function plain(line: string): string {
  const linkless = line.replace(MARKDOWN_LINK, '$1').replace(BARE_LINK, '');
  return cleanLine(linkless.replace(LEADING_MARKS, '').replace(EMPHASIS, '')).replace(/\s{2,}/g, ' ');
}

/** What an agent is called between brackets. Brackets of its own would end them. */
export function bracketName(label: string): string {
  const name = cutAt(cleanLine(label.slice(0, LOOKED_AT)).replaceAll('[', '(').replaceAll(']', ')'), LONGEST_LABEL);
  return name === '' ? '?' : name;
}

/** So many characters as people count them, nearly: none is cut in half. */
export function cutAt(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = [...text];
  if (characters.length <= most) return text;
  const kept = characters.slice(0, most - 1).join('');
  return `${kept.trimEnd()}…`;
}
