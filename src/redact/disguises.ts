// A text as it reads without escapes, wrapped lines and base64: one view each.

import { codeUnitsOf } from '../lib/digest.ts';
import {
  codedView,
  editView,
  type JoinedView,
  joinWrapped,
  plainView,
  type Surveyed,
  stripMargin,
  type View,
} from './view.ts';

/** Colours and other control sequences of terminals, and characters that nobody sees. */
const UNSEEN =
  '\\x1b\\[[0-9;:?]{0,40}[ -/]{0,4}[@-~]|\\x1b\\][^\\x07\\x1b]{0,400}(?:\\x07|\\x1b\\\\)|\\x1b[@-Z^_c=>]|[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\x00-\\x08\\x0e-\\x1a\\x7f]|\\udb40[\\udc00-\\udfff]|\\ud834[\\udd73-\\udd7a]|(?<=[!-~])[\\ufe00-\\ufe0f](?=[!-~])';
/** Of the forms as wide as Chinese letters, those beside a letter or digit: as marks they stand in every Chinese sentence. */
const WIDE = '[\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a]';
const FULL_WIDTH = `((?<=${WIDE})[\\uff01-\\uff5e]|[\\uff01-\\uff5e](?=${WIDE})|${WIDE})`;
const ESCAPE = '\\\\(?:u([0-9a-fA-F]{4})|u\\{([0-9a-fA-F]{1,6})\\}|x([0-9a-fA-F]{2})|(["\'`\\\\/bfnrte]))';
const PERCENT = '%([0-9a-fA-F]{2})';
const ENTITY = '&(?:#(\\d{2,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,6}));';
/** What is left of a code where a text was cut within it: what stands before it is cut there, too. */
const CUT_CODE =
  '(?:\\\\(?:u[0-9a-fA-F]{0,3}|u\\{[0-9a-fA-F]{0,6}|x[0-9a-fA-F]?)?|%[0-9a-fA-F]?|&(?:#(?:\\d{0,7}|[xX][0-9a-fA-F]{0,6})|[a-z]{0,6}))(?=…|\\.{3}|$)';
const CODED = new RegExp(`${ESCAPE}|${PERCENT}|${ENTITY}|${UNSEEN}|${CUT_CODE}|${FULL_WIDTH}`, 'y');

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', e: '\x1b' };
const BACKSLASH = 0x5c;
/** Nearly all codes are a backslash and one of these. */
const shortEscapes = new Map([...'"\'`\\/bfnrte'].map((mark) => [mark.charCodeAt(0), ESCAPED[mark] ?? mark]));
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  sol: '/',
  colon: ':',
  equals: '=',
  plus: '+',
  num: '#',
  lowbar: '_',
  period: '.',
  commat: '@',
};

/** Whatever is coded begins with one of these; of the ranges, first and last. */
const MARKS = [
  0x00, 0x08, 0x0e, 0x1b, 0x25, 0x26, 0x5c, 0x5c, 0x7f, 0x7f, 0xad, 0xad, 0x34f, 0x34f, 0x61c, 0x61c, 0x115f, 0x1160,
  0x17b4, 0x17b5, 0x180b, 0x180f, 0x200b, 0x200f, 0x202a, 0x202e, 0x2060, 0x206f, 0x3164, 0x3164, 0xdb40, 0xdb40,
  0xd834, 0xd834, 0xfe00, 0xfe0f, 0xfeff, 0xfeff, 0xff01, 0xff5e, 0xffa0, 0xffa0, 0xfff9, 0xfffb,
];
/** Bits, so that one look at several units together tells what is among them. */
const [DIGIT, OTHER, MARK] = [0, 1, 2];
/** What each code unit is: a mark, a digit of base64, or neither. */
const KINDS = new Uint8Array(65_536).fill(OTHER);
for (let at = 0; at < MARKS.length; at += 2) KINDS.fill(MARK, MARKS[at], (MARKS[at + 1] as number) + 1);
for (const digit of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_')
  KINDS[digit.charCodeAt(0)] = DIGIT;

/** What one pass for all that may be written in code brings; of a view that differs from the one below in separators only, what is new. */
export function surveyOf(view: View): Surveyed {
  view.surveyed ??= survey(view);
  return view.surveyed;
}

function survey({ text, edited }: View): Surveyed {
  if (edited && !edited.isJoining && !edited.isCoded) return { marks: [], runs: runsAt(text, edited.changes()) };
  const { length } = text;
  const units = codeUnitsOf(text);
  const marks: number[] = [];
  const runs: number[] = [];
  let runEnd = 0;
  for (let at = 0; at < length; at += BLOCK) {
    const last = Math.min(at + BLOCK, length);
    let kinds = 0;
    for (let one = at; one < last; one++) kinds |= KINDS[units[one] as number] as number;
    if (kinds === OTHER) continue;
    if (kinds >= MARK) for (let one = at; one < last; one++) if (KINDS[units[one] as number] === MARK) marks.push(one);
    // A run that is long enough has a whole block.
    if (kinds !== DIGIT || at < runEnd) continue;
    let start = at;
    while (start > runEnd && KINDS[units[start - 1] as number] === DIGIT) start--;
    runEnd = last;
    while (runEnd < length && KINDS[units[runEnd] as number] === DIGIT) runEnd++;
    if (runEnd - start >= SHORTEST_RUN) runs.push(start, runEnd);
  }
  return { marks, runs };
}

/** Half of the shortest run. */
const BLOCK = 8;

/** Runs that begin at these places. */
function runsAt(text: string, places: readonly number[]): readonly number[] {
  const runs: number[] = [];
  for (const start of places) {
    let end = start;
    while (KINDS[text.charCodeAt(end)] === DIGIT) end++;
    if (end - start >= SHORTEST_RUN) runs.push(start, end);
  }
  return runs;
}

const isMarked = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (KINDS[text.charCodeAt(at)] === MARK) return true;
  return false;
};

/** Escapes of JSON and programs, of URLs and of HTML decoded by one level, colours taken out. A byte of a URL is one character. */
function decodeOnce(view: View, marks: readonly number[]): View | undefined {
  if (marks.length === 0 || view.edited?.isCoded === false) return undefined;
  const { text } = view;
  return editView(view, (put) => {
    /** A mark that stands for itself may begin a code when what follows it is decoded. */
    let isCoded = false;
    let next = 0;
    for (const start of marks) {
      if (start < next) continue;
      const short = shortEscapes.get(text.charCodeAt(start + 1));
      if (short !== undefined && text.charCodeAt(start) === BACKSLASH) {
        isCoded ||= isMarked(short);
        next = start + 2;
        put(start, next, short);
        continue;
      }
      CODED.lastIndex = start;
      const written = decoded(CODED.exec(text));
      isCoded ||= written === undefined || isMarked(written);
      next = written === undefined ? start + 1 : CODED.lastIndex;
      if (written !== undefined) put(start, next, written);
    }
    return isCoded;
  });
}

function decoded(code: RegExpExecArray | null): string | undefined {
  if (code === null) return undefined;
  const [, u, braced, x, letter, percent, decimal, hex, name, wide] = code;
  if (wide !== undefined) return String.fromCharCode(wide.charCodeAt(0) - 0xfee0);
  if (letter !== undefined) return ESCAPED[letter] ?? letter;
  const hexDigits = u ?? braced ?? x ?? percent ?? hex;
  if (hexDigits !== undefined) return fromCode(Number.parseInt(hexDigits, 16));
  if (decimal !== undefined) return fromCode(Number(decimal));
  return name === undefined ? '' : ENTITIES[name];
}

const fromCode = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);

const HEX = { coded: 2, decoded: 1 };
const BASE64 = { coded: 4, decoded: 3 };
/** More than this of one run is not looked into: it is a file, not a secret. */
const LONGEST_RUN = 4_000_000;
/** Shorter runs are words: twelve bytes of text by chance are one in some hundred of random runs. */
const SHORTEST_RUN = 16;

type IsWanted = (start: number, end: number) => boolean;

function* readRun(view: View, start: number, end: number): Generator<View> {
  const run = view.text.slice(start, end);
  for (const [from, piece] of piecesOf(run)) {
    const text = readCoded(piece, decodeBase64, [SHORTEST_RUN, 64]);
    if (text !== undefined) yield codedView(view, text, start + from, start + from + piece.length, BASE64);
  }
  if (run.length < 32 || !/^[0-9a-fA-F]*$/.test(run)) return;
  const text = readCoded(run, hexBytes, [64]);
  if (text !== undefined) yield codedView(view, text, start, end, HEX);
}

/** All of it; and, as paths and names look like base64, too, what stands between their separators. */
function* piecesOf(run: string): Generator<readonly [start: number, piece: string]> {
  yield [0, run];
  for (const { 0: piece, index } of run.matchAll(/[^/_-]+/g))
    if (piece.length >= SHORTEST_RUN && piece.length < run.length) yield [index, piece];
}

/** Undefined if a beginning of one of these lengths does not decode to text. */
function readCoded(run: string, decode: (digits: string) => Uint8Array, looked: number[]): string | undefined {
  if (decode === decodeBase64 && !beginsAsText(run)) return undefined;
  if (!looked.every((length) => isText(decode(run.slice(0, length))))) return undefined;
  return textOf(decode(run.slice(0, LONGEST_RUN)));
}

function hexBytes(digits: string): Uint8Array {
  return Uint8Array.from({ length: digits.length >> 1 }, (_, at) =>
    Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16),
  );
}

/** Of base64, the first eight groups: nearly all words and paths that only look like it are told by them. */
function beginsAsText(run: string): boolean {
  const last = Math.min(run.length - 3, 32);
  let strange = 0;
  for (let at = 0; at < last; at += 4) {
    const bits =
      ((VALUES[run.charCodeAt(at)] as number) << 18) |
      ((VALUES[run.charCodeAt(at + 1)] as number) << 12) |
      ((VALUES[run.charCodeAt(at + 2)] as number) << 6) |
      (VALUES[run.charCodeAt(at + 3)] as number);
    for (const byte of [bits >> 16, (bits >> 8) & 0xff, bits & 0xff])
      if (byte < 9 || (byte > 13 && byte < 32) || byte === 127) strange += 2;
      else if (byte > 127) strange++;
    // More than a twelfth of the 48 bytes that 64 digits are.
    if (strange > 4) return false;
  }
  return true;
}

/** Random bytes are text with a chance of less than one in a hundred, already at twelve. */
function isText(bytes: Uint8Array): boolean {
  let strange = 0;
  for (const byte of bytes)
    if (byte < 9 || (byte > 13 && byte < 32) || byte === 127) strange += 2;
    else if (byte > 127) strange++;
  return strange * 12 <= bytes.length;
}

/** One character a byte, so that places stay where they are. */
function textOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return text;
}

/** Base64 as JavaScript has it everywhere is a matter of browsers and Node; this knows the form for URLs, too. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Int8Array(128).fill(-1);
for (const [index, digit] of [...DIGITS].entries()) VALUES[digit.charCodeAt(0)] = index;
VALUES['-'.charCodeAt(0)] = 62;
VALUES['_'.charCodeAt(0)] = 63;

export function isBase64Digit(unit: number): boolean {
  return KINDS[unit] === DIGIT;
}

/** Digits only, without what fills the last group. */
export function decodeBase64(digits: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let count = 0;
  for (let at = 0; at < digits.length; at++) {
    bits = (bits << 6) | (VALUES[digits.charCodeAt(at)] ?? 0);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[count++] = (bits >> held) & 0xff;
  }
  return bytes;
}

/** Of bytes, one character each: the groups of four digits that depend on nothing that may follow. */
export function encodeWholeGroups(bytes: string): string {
  let result = '';
  for (let at = 0; at + 3 <= bytes.length; at += 3) {
    const group = (bytes.charCodeAt(at) << 16) | (bytes.charCodeAt(at + 1) << 8) | bytes.charCodeAt(at + 2);
    for (const shift of [18, 12, 6, 0]) result += DIGITS[(group >> shift) & 63];
  }
  return result;
}

/** Escapes within escapes within escapes; nobody needs more. */
const MAX_LEVELS = 4;

type ViewVisitor = (view: View | JoinedView) => void;

/** The text as it is, with its escapes decoded level by level, with cut words joined; and what its coded runs say. */
export function visitViews(text: string, visit: ViewVisitor): void {
  visitDecoded(plainView(text), visit, 0);
}

function visitDecoded(view: View, visit: ViewVisitor, level: number): void {
  let current: View | undefined = view;
  for (let depth = level; current && depth < MAX_LEVELS; depth++) {
    const { marks, runs } = surveyOf(current);
    visit(current);
    visitRuns(current, runs, () => true, visit, depth);
    visitJoined(current, visit, depth);
    const stripped = stripMargin(current);
    if (stripped) {
      visit(stripped);
      visitJoined(stripped, visit, depth);
    }
    current = decodeOnce(current, marks);
  }
}

function visitJoined(view: View, visit: ViewVisitor, depth: number): void {
  for (const joined of joinWrapped(view)) {
    visit(joined);
    const isWanted: IsWanted = (start, end) => joined.joinWithin(start, end) >= 0;
    visitRuns(joined, surveyOf(joined).runs, isWanted, visit, depth);
  }
}

/** What base64 and hexadecimal runs of a text say, where that is text itself. */
function visitRuns(view: View, runs: readonly number[], isWanted: IsWanted, visit: ViewVisitor, depth: number): void {
  if (depth + 1 >= MAX_LEVELS) return;
  for (let at = 0; at < runs.length; at += 2) {
    const [start, end] = [runs[at] as number, runs[at + 1] as number];
    if (isWanted(start, end)) for (const decoded of readRun(view, start, end)) visitDecoded(decoded, visit, depth + 1);
  }
}
