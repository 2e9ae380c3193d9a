// `Bash(git log:*)`, `Bash(git * main)`, `Bash(npm test)` against a simple command.

import type { ToolPattern } from '../policy.ts';
import {
  baseName,
  type CallUses,
  CHOICE,
  GLOB_ONE,
  GLOB_STAR,
  IN_WORD,
  INNER_BLANK,
  isHarmlessVariable,
  isUnsure,
  type SimpleCommand,
  UNSURE,
} from '../shell/index.ts';

interface CommandPattern {
  readonly tokens: readonly Token[];
  /** How many words stand before the first wildcard; null: it has none. */
  readonly fixedWords: number | null;
}

/** Is it a pattern for every command? */
export function isEveryCommand(argument: string): boolean {
  return !/^[A-Za-z]/.test(argument) && /^:?\*+$/.test(argument.trim());
}

/** The names that the commands of a call go by; null: not all are known. */
export function namesOf({ commands, mayBeAnything }: CallUses): ReadonlySet<string> | null {
  const heads = commands.map(headOf);
  if (mayBeAnything || heads.some(({ isPlain }) => !isPlain)) return null;
  return new Set(heads.flatMap(({ written, base }) => [written, base]));
}

function commandOf({ tool, argument }: ToolPattern): string | null {
  const wanted = tool === 'Bash' && argument !== null ? firstWordOf(argument) : null;
  return wanted !== null && isAscii(wanted) ? wanted.toLowerCase() : null;
}

/** Can none of the patterns be about commands that go by these names? */
export function areForOthers(patterns: readonly ToolPattern[], names: ReadonlySet<string>): boolean {
  return (
    patterns.length > 0 &&
    patterns.every((pattern) => {
      const wanted = commandOf(pattern);
      return wanted !== null && !names.has(wanted);
    })
  );
}

/** Deny and ask: in any path, whatever is set before it, however it is written large or small. */
export function mayBeCommand(argument: string, command: SimpleCommand): boolean {
  const head = headOf(command);
  if (beginsOtherwise(argument, head, command.sets)) return false;
  const { first, written, rest, tails } = head;
  const pattern = readPattern(foldFirst(argument), foldBlanks);
  const name = baseName(first).toLowerCase().normalize('NFKC');
  const folded = name + rest;
  return (
    holds(pattern, folded, 'may') ||
    tails.some((tail) => holds(pattern, name + tail, 'may')) ||
    holds(pattern, written + rest, 'may') ||
    // `Bash(HOME=* claude:*)`
    command.sets.some((set) => holds(pattern, `${set.toLowerCase()}= ${folded}`, 'may')) ||
    // A blank inside a word is not told from one between words: `"rm -rf" x` is denied too.
    (folded.includes(INNER_BLANK) && holds(pattern, folded.replaceAll(INNER_BLANK, ' '), 'may'))
  );
}

/** The first letters, small, of patterns that may be about the command; null: any pattern may. */
export function lettersOf(command: SimpleCommand): readonly string[] | null {
  const { isPlain, written, base } = headOf(command);
  if (!isPlain || command.sets.length > 0) return null;
  return [...new Set([written.charAt(0), base.charAt(0)])];
}

/** Small. Empty if what it matches may begin with something else. */
export function firstLetterOf(argument: string): string {
  const letter = argument.charAt(0).toLowerCase();
  return letter >= 'a' && letter <= 'z' ? letter : '';
}

/** By the word that it begins with: most patterns of a policy are about other commands. */
function beginsOtherwise(argument: string, { isPlain, written, base }: Head, sets: readonly string[]): boolean {
  if (!isPlain || sets.length > 0) return false;
  const [start = ''] = /^[A-Za-z0-9-]+/.exec(argument) ?? [];
  return ![written, base].some((name) => name.startsWith(start.toLowerCase()));
}

/** A deny or an ask is about this command whatever becomes of the words that are not known: `rm $x` for `rm:*`. */
export function isSurelyCommand(argument: string, command: SimpleCommand): boolean {
  const { first, rest, tails, isPlain } = headOf(command);
  const pattern = readPattern(foldFirst(argument), foldBlanks);
  const name = baseName(first).toLowerCase();
  return isPlain && [rest, ...tails].some((tail) => holds(pattern, name + tail, 'must'));
}

/** Allow: this command, or the one around it in words that name this one too. */
export function mustBeCommand(argument: string, command: SimpleCommand, uses: CallUses): boolean {
  const pattern = readPattern(argument);
  if (!command.sets.every(isHarmlessVariable)) return false;
  if (!namesTelling(pattern, command)) return false;
  if (holds(pattern, command.form, 'must')) return true;
  let before = 0;
  for (let inner = command; inner.within !== null; ) {
    const { index, at } = inner.within;
    const outer: SimpleCommand | undefined = uses.commands[index];
    if (outer === undefined || !outer.sets.every(isHarmlessVariable)) return false;
    before = at < 0 || before < 0 ? -1 : before + at;
    const isNamed = pattern.fixedWords === null || (before >= 0 && pattern.fixedWords > before);
    if (isNamed && holds(pattern, outer.form, 'must')) return true;
    inner = outer;
  }
  return false;
}

/** `Bash(npm test:*)` is not about `npm test --prefix evil`; `Bash(npm:*)` is. */
function namesTelling({ fixedWords }: CommandPattern, { telling }: SimpleCommand): boolean {
  return telling === undefined || fixedWords === null || fixedWords === 1 || fixedWords > telling;
}

interface Head {
  readonly first: string;
  /** In small letters, and without its folder. */
  readonly written: string;
  readonly base: string;
  readonly rest: string;
  /** What may be its words without the options before its verb: `terraform -chdir=x apply` is `terraform apply`. */
  readonly tails: readonly string[];
  /** It is one word, known, in letters that everybody can tell apart. */
  readonly isPlain: boolean;
}

/** A policy may have a thousand patterns, a call few commands. */
const heads = new WeakMap<SimpleCommand, Head>();

function headOf(command: SimpleCommand): Head {
  const known = heads.get(command);
  if (known !== undefined) return known;
  const form = foldBlanks(command.form);
  const end = form.includes(' ') ? form.indexOf(' ') : form.length;
  const first = form.slice(0, end);
  const written = first.toLowerCase();
  const isPlain = isAscii(first) && !isUnsure(first);
  const rest = form.slice(end);
  const head = { first, written, base: baseName(written), rest, tails: tailsOf(rest), isPlain };
  heads.set(command, head);
  return head;
}

const MAX_OPTIONS = 12;

/** Whether the word behind an option is its value, nobody knows here: both ways of reading it count. */
function tailsOf(rest: string): readonly string[] {
  const words = rest.slice(1).split(' ');
  const tails: string[] = [];
  for (let at = 0; at < Math.min(words.length - 1, MAX_OPTIONS); at++) {
    const isOption = words[at]?.startsWith('-');
    if (!isOption && !(at > 0 && /^-[^=]*$/.test(words[at - 1] ?? ''))) break;
    tails.push(` ${words.slice(at + 1).join(' ')}`);
  }
  return tails;
}

/** Null where it may be more than one: `git*`, `"a b"`. */
function firstWordOf(argument: string): string | null {
  for (let index = 0; index < argument.length; index++) {
    const char = argument[index];
    if (char === ' ') return index === 0 ? null : argument.slice(0, index);
    if (char === ':' && index === argument.length - 2 && argument.endsWith(':*')) return argument.slice(0, index);
    if (char === '*' || char === '"' || char === "'" || char === '\t' || char === '\n') return null;
  }
  return argument;
}

function holds(pattern: CommandPattern, form: string, certainty: Certainty): boolean {
  return matches(pattern.tokens, commandTokens(form), certainty);
}

export function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function foldFirst(argument: string): string {
  const end = argument.search(/[\s:*]/);
  const first = end < 0 ? argument : argument.slice(0, end);
  return first.toLowerCase().normalize('NFKC') + (end < 0 ? '' : argument.slice(end));
}

/** To deny, a line break or a tab inside a word is as good as a blank. */
function foldBlanks(text: string): string {
  return text.replace(/[^\S ]/g, INNER_BLANK);
}

function readPattern(argument: string, fold = (text: string): string => text): CommandPattern {
  const plain = argument.trim();
  let text = fold(/["']/.test(plain) ? takeQuotes(plain) : plain).replace(/ {2,}/g, ' ');
  const list: Token[] = [];
  // `:*` and ` *` at the end are one: that word, alone or with more behind it.
  const isPrefix = text.endsWith(':*') || (text.endsWith(' *') && text.indexOf('*') === text.length - 1);
  if (isPrefix) text = text.slice(0, -2);
  const first = text.indexOf('*');
  for (const [index, part] of text.split(/\*+/).entries()) {
    if (index > 0) list.push(ANY);
    list.push(...literal(part.replaceAll(PLAIN_STAR, '*')));
  }
  if (isPrefix) list.push(MAYBE_TWO, 32, ANY);
  const before = first < 0 ? null : text.slice(0, first).replace(/[^ ]*$/, '');
  const fixed = before?.trimEnd() ?? text;
  return { tokens: list, fixedWords: first < 0 && !isPrefix ? null : fixed === '' ? 0 : fixed.split(' ').length };
}

/** A `*` that is no wildcard. Commands cannot hold this character, so neither does a pattern that fits one. */
const PLAIN_STAR = '\uE005';

/**
 * Patterns are written as commands are: `git commit -m "a b"` has four words, and `$'a\nb'` is a word with a line break. In
 * quotes of every kind `*` stands for anything; `$'\x2a'` is the character.
 */
function takeQuotes(text: string): string {
  return text.replace(
    /\$'((?:[^'\\]|\\.)*)'|"([^"]*)"|'([^']*)'/g,
    (_, escaped: string | undefined, double: string | undefined, single: string | undefined) =>
      (escaped === undefined ? (double ?? single ?? '') : readEscapes(escaped)).replaceAll(' ', INNER_BLANK),
  );
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'" };

function readEscapes(text: string): string {
  return text.replace(
    /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|(.))/g,
    (whole, byte: string | undefined, unit: string | undefined, letter: string | undefined) => {
      const code = byte ?? unit;
      if (code === undefined) return ESCAPES[letter ?? ''] ?? whole;
      const char = String.fromCharCode(Number.parseInt(code, 16));
      return char === '*' ? PLAIN_STAR : char;
    },
  );
}

// Patterns with wildcards against texts with marks for what is only known when it runs. One machine for commands and paths:
// `may` asks whether some text that it can come to matches, `must` whether every one does.

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
  // Most differ in their first or last characters.
  let same = 0;
  for (; isCharacter(pattern[same]) && isCharacter(text[same]); same++) if (pattern[same] !== text[same]) return false;
  if (endsOtherwise(pattern, text)) return false;
  let places = close([same], pattern);
  for (let index = same; index < text.length; index++) {
    const token = text[index] as Token;
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

function isCharacter(token: Token | undefined): boolean {
  return token !== undefined && token >= 0;
}

function endsOtherwise(pattern: readonly Token[], text: readonly Token[]): boolean {
  for (let left = 1; ; left++) {
    const at = pattern.length - left;
    const [wanted, found] = [pattern[at], text[text.length - left]];
    // What may be left out of the pattern need not be there.
    if (!isCharacter(wanted) || !isCharacter(found) || pattern[at - 2] === MAYBE_TWO) return false;
    if (wanted !== found) return true;
  }
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
function commandTokens(form: string): Token[] {
  return tokens(form, (char) => (char === IN_WORD || CHOICE.test(char) ? IN_ONE_WORD : ANY));
}

/** Of a path: a glob stays in its folder. */
export function pathTokens(form: string): Token[] {
  // `**` is one star, and finds no name that begins with a dot.
  return tokens(form.replace(/\uE002+/g, GLOB_STAR), (char, before) => {
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
