// A text as it reads without escapes, wrapped lines and base64: one view each.

import { codeUnitsOf } from '../lib/digest.ts';
import { codedView, editView, type JoinedView, joinWrapped, plainView, stripMargin, type View } from './view.ts';

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

/** Whatever is coded begins with one of these. */
const MARK =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them by itself, not what they make together.
  /[\\%&\x1b\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uff01-\uff5e\uffa0\ufff9-\ufffb\udb40\ud834\x00-\x08\x0e-\x1a\x7f]/g;

/** Escapes of JSON and programs, of URLs and of HTML decoded by one level, colours taken out. A byte of a URL is one character. */
function decodeOnce(view: View): View | undefined {
  const { text } = view;
  if (view.edited?.isCoded === false) return undefined;
  return editView(view, (put) => {
    /** A mark that stands for itself may begin a code when what follows it is decoded. */
    let isCoded = false;
    let next = 0;
    for (let start = nextMark(text, 0); start >= 0; start = nextMark(text, next)) {
      CODED.lastIndex = start;
      const written = decoded(CODED.exec(text));
      isCoded ||= written === undefined || nextMark(written, 0) >= 0;
      next = written === undefined ? start + 1 : CODED.lastIndex;
      if (written !== undefined) put(start, next, written);
    }
    return isCoded;
  });
}

function nextMark(text: string, from: number): number {
  MARK.lastIndex = from;
  return MARK.test(text) ? MARK.lastIndex - 1 : -1;
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

/** What base64 and hexadecimal runs of a text say, where that is text itself. */
function decodeRuns(view: View, isWanted: IsWanted): readonly View[] {
  return findRuns(view.text).flatMap(([start, end]) => (isWanted(start, end) ? [...readRun(view, start, end)] : []));
}

type Run = readonly [start: number, end: number];

function findRuns(text: string): readonly Run[] {
  const { length } = text;
  const runs: Run[] = [];
  if (length < SHORTEST_RUN) return runs;
  const units = codeUnitsOf(text);
  // A run that is long enough stands on one of these places: the others need no look.
  for (let at = SHORTEST_RUN - 1; at < length; at += SHORTEST_RUN) {
    if (!isBase64Digit(units[at] as number)) continue;
    let start = at;
    while (start > 0 && isBase64Digit(units[start - 1] as number)) start--;
    let end = at + 1;
    while (end < length && isBase64Digit(units[end] as number)) end++;
    if (end - start < SHORTEST_RUN) continue;
    // The next place to look at lies behind the run.
    at += Math.floor((end - at - 1) / SHORTEST_RUN) * SHORTEST_RUN;
    runs.push([start, end]);
  }
  return runs;
}

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
  if (!looked.every((length) => isText(decode(run.slice(0, length))))) return undefined;
  return textOf(decode(run.slice(0, LONGEST_RUN)));
}

function hexBytes(digits: string): Uint8Array {
  return Uint8Array.from({ length: digits.length >> 1 }, (_, at) =>
    Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16),
  );
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
  return unit < 128 && (VALUES[unit] as number) >= 0;
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
    visit(current);
    visitRuns(current, () => true, visit, depth);
    visitJoined(current, visit, depth);
    const stripped = stripMargin(current);
    if (stripped) {
      visit(stripped);
      visitJoined(stripped, visit, depth);
    }
    current = decodeOnce(current);
  }
}

function visitJoined(view: View, visit: ViewVisitor, depth: number): void {
  for (const joined of joinWrapped(view)) {
    visit(joined);
    visitRuns(joined, (start, end) => joined.joinWithin(start, end) >= 0, visit, depth);
  }
}

function visitRuns(view: View, isWanted: IsWanted, visit: ViewVisitor, depth: number): void {
  if (depth + 1 >= MAX_LEVELS) return;
  for (const decoded of decodeRuns(view, isWanted)) visitDecoded(decoded, visit, depth + 1);
}
