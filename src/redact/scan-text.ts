// Looking at a part of a text: bounded, so that the time for a text of one line does not grow with its square.

import type { NameKind } from './secret-names.ts';

export type OnValue = (start: number, end: number) => void;

/** What is looked at on each side; a bound for hostile texts. */
export const LONGEST_NAME = 64;

export const LONGEST_VALUE = 4_000;

export const LONGEST_LINE = 1_000;

const LINE_BEFORE = 400;

const LINE_AFTER = 1_000;

export interface Name {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly kind: NameKind;
  /** All of a quoted key, or of one in a file of settings: `"token": "…"`. */
  readonly isExact?: boolean;
}

export const at = (pattern: RegExp, text: string, from: number): RegExpExecArray | null => {
  pattern.lastIndex = from;
  return pattern.exec(text);
};

const SPACE = /[ \t]{0,40}/y;

export const skip = (text: string, from: number): number => {
  SPACE.lastIndex = from;
  SPACE.test(text);
  return SPACE.lastIndex;
};

export const QUOTE = /^["'`]$/;

/** Of a quoted string, up to its closing quote, or to the end of the line where there is none. */
export function endOfQuoted(text: string, from: number, quote: string): number {
  const last = Math.min(text.length, from + LONGEST_VALUE);
  for (let place = from; place < last; place++) {
    const mark = text[place];
    if (mark === '\\') place++;
    // A quote within quotes of a shell: `'It'\''s'`.
    else if (mark === "'" && quote === mark && text.startsWith("'\\''", place)) place += 3;
    else if (mark === quote) {
      if (text[place + 1] === quote && place > from && quote !== '`' && text[place + 2] !== quote) place++;
      else return place;
    } else if (mark === '\n' && quote !== '`') return place;
  }
  return last;
}

/** Lines are looked at in part, so that the time for a text of one line does not grow with its square. */
export function lineStart(text: string, place: number): number {
  const from = Math.max(0, place - LINE_BEFORE);
  return from + text.slice(from, place).lastIndexOf('\n') + 1;
}

export function lineEnd(text: string, place: number): number {
  const end = text.slice(place, place + LINE_AFTER).indexOf('\n');
  return end < 0 ? Math.min(text.length, place + LINE_AFTER) : place + end;
}

export function indexWithin(text: string, mark: string, from: number): number {
  const found = text.slice(from, from + LONGEST_VALUE).indexOf(mark);
  return found < 0 ? -1 : from + found;
}

export function indentAt(text: string, place: number): number {
  let end = place;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return end - place;
}

/** The quote that is open behind this beginning of a line. */
export function openQuote(prefix: string): string {
  let open = '';
  for (let place = 0; place < prefix.length; place++) {
    const mark = prefix[place] as string;
    if (mark === '\\') place++;
    else if (open === '' && /["`]/.test(mark)) open = mark;
    else if (open === '' && mark === "'" && !/\w/.test(prefix[place - 1] ?? '')) open = mark;
    else if (mark === open) open = '';
  }
  return open;
}
