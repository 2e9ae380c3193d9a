// A word of the shell → what it comes to: quotes, escapes, braces and ~ taken away, marks for what is only known when it runs.
import type { DoubleQuotedChild, Word, WordPart } from 'unbash';
import { expandBraces } from './braces.ts';
import { ANYTHING, GLOB_ONE, GLOB_STAR, IN_WORD } from './marks.ts';

export interface ShellWord {
  /** With marks. */
  readonly form: string;
  /** For people. */
  readonly text: string;
}

/** What `~`, `$HOME` and `$PWD` are; null: not known. */
export interface WordPlaces {
  readonly home: string | null;
  readonly pwd: string | null;
  readonly variables: ReadonlyMap<string, string>;
}

/** More than so many words of one are not told apart. */
const MAX_WORDS = 64;

export function expandWord(word: Word, places: WordPlaces): ShellWord[] {
  const parts = word.parts;
  if (parts === undefined) return [{ form: withTilde(word.text, word.value, places), text: word.value }];
  let forms = [''];
  for (const [index, part] of parts.entries()) {
    const values = index === 0 && part.type === 'Literal' ? [leading(part, places)] : valuesOf(part, places);
    forms = forms.flatMap((before) => values.map((value) => before + value));
    if (forms.length > MAX_WORDS) return [{ form: ANYTHING, text: word.text }];
  }
  if (forms.length === 1) return [{ form: forms[0] as string, text: word.value }];
  // An empty choice ({,x}) is no word.
  return forms.filter((form) => form !== '').map((form) => ({ form, text: form }));
}

/** The one word that it comes to; of several (`{a,b}`), one that may be any. */
export function expandToOne(word: Word, places: WordPlaces): ShellWord {
  const [first, second] = expandWord(word, places);
  return first !== undefined && second === undefined ? first : { form: ANYTHING, text: word.text };
}

function valuesOf(part: WordPart, places: WordPlaces): readonly string[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value];
    case 'DoubleQuoted':
    case 'LocaleString':
      return [part.parts.map((child) => quoted(child, places)).join('')];
    case 'Glob':
      return [part.kind === 'star' ? GLOB_STAR : GLOB_ONE];
    case 'BraceExpansion':
      return expandBraces(part.text) ?? [ANYTHING];
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return [knownVariable(part.text, places) ?? ANYTHING];
    case 'ProcessSubstitution':
      return [IN_WORD];
    case 'ArithmeticExpansion':
      return [IN_WORD];
    default:
      return [ANYTHING];
  }
}

function quoted(child: DoubleQuotedChild, places: WordPlaces): string {
  if (child.type === 'Literal') return child.value;
  // "$@" and "${a[@]}" come to many words although they are quoted.
  if (/@/.test(child.text) && child.type !== 'CommandExpansion') return ANYTHING;
  return knownVariable(child.text, places) ?? IN_WORD;
}

function knownVariable(text: string, places: WordPlaces): string | null {
  const [, braced, plain] = /^\$(?:\{(\w+)\}|(\w+))$/.exec(text) ?? [];
  const name = braced ?? plain ?? '';
  if (name === 'HOME') return places.home;
  if (name === 'PWD') return places.pwd;
  return places.variables.get(name) ?? null;
}

function leading(part: { readonly text: string; readonly value: string }, places: WordPlaces): string {
  return withTilde(part.text, part.value, places);
}

/** Only an unquoted `~` at the beginning is the home; `~name` and `~+` are not looked up. */
function withTilde(raw: string, value: string, places: WordPlaces): string {
  if (!raw.startsWith('~')) return value;
  const end = value.indexOf('/');
  const rest = end < 0 ? '' : value.slice(end);
  const name = end < 0 ? value : value.slice(0, end);
  if (name === '~' && places.home !== null) return places.home + rest;
  return IN_WORD + rest;
}
