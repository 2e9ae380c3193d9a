// Patterns with wildcards against texts with marks for what is only known when it runs. One machine for commands and paths:
// `may` asks whether some text that it can come to matches, `must` whether every one does.

import { CHOICE, GLOB_ONE, GLOB_STAR, IN_WORD, UNSURE } from '../shell/index.ts';

/** A character's code, or one of these. */
export type Token = number;

/** Any characters. */
export const ANY = -1;
/** Any characters but a slash. */
export const IN_NAME = -2;
/** Any characters but a blank between words. */
const IN_ONE_WORD = -3;
/** One character that is no slash. */
export const ONE = -4;
/** The two tokens behind it may be left out: the blank and the rest of `rm:*`, the folders of `**` and a slash. */
export const MAYBE_TWO = -5;
/** Any characters but a slash, the first no dot: a glob at the beginning of a name. Of texts only. */
const IN_VISIBLE_NAME = -7;
/** `[a-z]`: one of some characters, and which is not looked at. */
export const ONE_OF = -6;

export type Certainty = 'may' | 'must';

const BLANK = 32;
const SLASH = 47;
const DOT = 46;

export function matches(pattern: readonly Token[], text: readonly Token[], certainty: Certainty): boolean {
  let places = close([0], pattern);
  for (const token of text) {
    if (places.length === 0) return false;
    // All that is left of the pattern takes whatever comes.
    if (certainty === 'may' && places.some((place) => place === pattern.length - 1 && pattern[place] === ANY))
      return true;
    places = close(
      token >= 0 ? stepCharacter(places, pattern, token, certainty) : stepUnsure(places, pattern, token, certainty),
      pattern,
    );
  }
  return places.includes(pattern.length);
}

function stepCharacter(
  places: readonly number[],
  pattern: readonly Token[],
  char: number,
  certainty: Certainty,
): number[] {
  const next: number[] = [];
  for (const place of places) {
    const token = pattern[place];
    if (token === undefined) continue;
    if (token === char || (token === ONE && char !== SLASH)) next.push(place + 1);
    else if (token === ONE_OF && char !== SLASH && certainty === 'may') next.push(place + 1);
    else if (takes(token, char)) next.push(place);
  }
  return next;
}

/** Of something that may be many texts: in `may`, whatever it can cover of the pattern; in `must`, only a wildcard holds it. */
function stepUnsure(
  places: readonly number[],
  pattern: readonly Token[],
  unsure: Token,
  certainty: Certainty,
): number[] {
  if (certainty === 'must') {
    return places.flatMap((place) => {
      const token = pattern[place];
      const isHeld =
        token === ANY ||
        (token !== undefined && token === unsure && isStar(token)) ||
        (token === IN_NAME && (unsure === ONE || unsure === IN_VISIBLE_NAME));
      if (isHeld) return [place];
      return token === ONE && unsure === ONE ? [place + 1] : [];
    });
  }
  const reached = new Set<number>();
  for (const start of places) {
    if (unsure === ONE) {
      const token = pattern[start];
      if (token === undefined) continue;
      if (isStar(token)) reached.add(start);
      else if (token !== SLASH) reached.add(start + 1);
      continue;
    }
    for (let place = start; ; place++) {
      if (reached.has(place)) break;
      reached.add(place);
      const token = pattern[place];
      if (token === undefined || (token >= 0 && !takes(unsure, token))) break;
      if (unsure === IN_VISIBLE_NAME && place === start && token === DOT) break;
    }
  }
  return [...reached];
}

function isStar(token: Token): boolean {
  return token === ANY || token === IN_NAME || token === IN_ONE_WORD;
}

function takes(star: Token, char: number): boolean {
  if (star === ANY) return true;
  if (star === IN_NAME || star === IN_VISIBLE_NAME) return char !== SLASH;
  return star === IN_ONE_WORD && char !== BLANK;
}

/** Stars may take nothing, and what may be left out may be. */
function close(places: readonly number[], pattern: readonly Token[]): number[] {
  const closed = new Set<number>();
  const open = [...places];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (closed.has(place)) continue;
    closed.add(place);
    const token = pattern[place];
    if (token === undefined) continue;
    if (isStar(token)) open.push(place + 1);
    if (token === MAYBE_TWO) open.push(place + 1, place + 3);
  }
  return [...closed];
}

/** Of a command: between words are blanks, and a glob may come to many words. */
export function commandTokens(form: string): Token[] {
  return tokens(form, (char) => (char === IN_WORD || CHOICE.test(char) ? IN_ONE_WORD : ANY));
}

/** Of a path: a glob stays in its folder. */
export function pathTokens(form: string): Token[] {
  return tokens(form, (char, before) => {
    if (char === GLOB_STAR) return before === '/' ? IN_VISIBLE_NAME : IN_NAME;
    return char === GLOB_ONE ? ONE : ANY;
  });
}

function tokens(form: string, unsure: (mark: string, before: string | undefined) => Token): Token[] {
  const list: Token[] = [];
  for (let index = 0; index < form.length; index++) {
    const char = form[index] as string;
    list.push(UNSURE.test(char) ? unsure(char, form[index - 1]) : form.charCodeAt(index));
  }
  return list;
}

/** Characters as they are. */
export function literal(text: string): Token[] {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}
