// A word of the shell → what it comes to: quotes, escapes, braces and ~ taken away, marks for what is only known when it runs.

import type { DoubleQuotedChild, Word, WordPart } from 'unbash';

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
  /** What a script in a word prints, where that is known. */
  foundBy(script: unknown): string | null;
}

/** More than so many words of one are not told apart. */
const MAX_WORDS = 64;

export function expandWord(word: Word, places: WordPlaces): ShellWord[] {
  const parts = word.parts;
  if (parts === undefined) return [{ form: withTilde(word.text, word.value, places), text: word.value }];
  let forms = [''];
  for (const [index, part] of parts.entries()) {
    const isHead = index === 0 && part.type === 'Literal';
    const values = isHead ? [withTilde(part.text, part.value, places)] : valuesOf(part, places);
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
      return [`/dev/fd/6${GLOB_ONE}`];
    case 'ArithmeticExpansion':
      return [IN_WORD];
    case 'CommandExpansion':
      return [knownOutput(part, places) ?? ANYTHING];
    default:
      return [ANYTHING];
  }
}

function knownOutput(part: { readonly text: string; readonly script?: unknown }, places: WordPlaces): string | null {
  const [, made] =
    /^\$\(\s*mktemp((?:\s+-[dqu]+|\s+--suffix=[\w.]+)*(?:\s+(?:-t\s+)?"?[\w./-]+X+"?)?)\s*\)$/.exec(part.text) ?? [];
  if (made !== undefined) {
    const [, template = 'tmp.X'] = /([\w./-]+X+)/.exec(made) ?? [];
    return template.startsWith('/') || (template.includes('/') && !made.includes('-t')) ? template : `/tmp/${template}`;
  }
  return whichProgram(part.text) ?? (part.script === undefined ? null : places.foundBy(part.script));
}

/** `$(which git)` and `$(command -v git)` are the program of that name, wherever it is. */
function whichProgram(text: string): string | null {
  const [, name] =
    /^(?:\$\(|`)\s*(?:which|type -[pP]|command -v|(?:\/usr)?\/bin\/which)\s+(["']?)([\w.+-]+)\1\s*(?:2>\s*\/dev\/null\s*)?(?:\)|`)$/
      .exec(text)
      ?.slice(1) ?? [];
  return name === undefined ? null : `/usr/bin/${name}`;
}

function quoted(child: DoubleQuotedChild, places: WordPlaces): string {
  if (child.type === 'Literal') return child.value;
  // "$@" and "${a[@]}" come to many words although they are quoted.
  if (/@/.test(child.text) && child.type !== 'CommandExpansion') return ANYTHING;
  return knownVariable(child.text, places) ?? knownOutput(child, places) ?? IN_WORD;
}

function knownVariable(text: string, places: WordPlaces): string | null {
  const [, braced, plain] = /^\$(?:\{(\w+)\}|(\w+))$/.exec(text) ?? [];
  const name = braced ?? plain ?? '';
  if (name === 'HOME') return places.home;
  if (name === 'PWD') return places.pwd;
  return places.variables.get(name) ?? null;
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

// What is only known when a command runs stands in words as one of these characters, which no command may hold itself.

/** Anything, in any number of words: `$x`, `$(…)`. */
export const ANYTHING = '\uE000';
/** Anything, but inside one word: `"$x"`. */
export const IN_WORD = '\uE001';
/** What `*` of a glob comes to: no slash; any number of words. */
export const GLOB_STAR = '\uE002';
/** What `?` or `[…]` of a glob comes to. */
export const GLOB_ONE = '\uE003';
/** A blank inside a word: patterns have blanks between words only. Line breaks, tabs and the like inside it stay as they are. */
export const INNER_BLANK = '\uE004';

/** From here on: one of a few texts, each known (`$f` in `for f in a b`); which ones is kept beside. One word. */
export const FIRST_CHOICE = 0xe010;
export const MAX_CHOICES = 64;
export const CHOICE = /[\uE010-\uE04F]/;

const MARK = /[\uE000-\uE04F]/;
export const UNSURE = /[\uE000-\uE003\uE010-\uE04F]/;
const SEVERAL_WORDS = /[\uE000\uE002\uE003]/;

export function holdsMark(text: string): boolean {
  return MARK.test(text);
}

/** Is some of it only known when it runs? */
export function isUnsure(form: string): boolean {
  return UNSURE.test(form);
}

/** May it come to more words than one, or to none? */
export function maySplit(form: string): boolean {
  return SEVERAL_WORDS.test(form);
}

/** The words as one line of marks, as patterns are held against it. */
export function joinForms(forms: readonly string[]): string {
  return forms.map((form) => form.replaceAll(' ', INNER_BLANK)).join(' ');
}

const MAX_DEPTH = 8;

/** Null where it cannot be said by looking at it. */
function expandBraces(text: string): string[] | null {
  if (/[\\'"$`\s]/.test(text)) return null;
  return expand(text, 0);
}

function expand(text: string, depth: number): string[] | null {
  if (depth > MAX_DEPTH) return null;
  const open = text.indexOf('{');
  if (open < 0) return [markGlobs(text)];
  const choices = splitChoices(text, open);
  if (choices === null) return [markGlobs(text)];
  // {1..9} has no comma, and is a list all the same.
  if (choices.items.length === 1) return text.includes('..') ? [ANYTHING] : [markGlobs(text)];
  const before = text.slice(0, open);
  const after = text.slice(choices.end);
  const results: string[] = [];
  for (const item of choices.items) {
    const expanded = expand(before + item + after, depth + 1);
    if (expanded === null) return null;
    results.push(...expanded);
    if (results.length > 256) return null;
  }
  return results;
}

function splitChoices(text: string, open: number): { readonly items: string[]; readonly end: number } | null {
  const items: string[] = [];
  let level = 0;
  let start = open + 1;
  for (let index = open; index < text.length; index++) {
    const char = text[index];
    if (char === '{') level++;
    else if (char === ',' && level === 1) {
      items.push(text.slice(start, index));
      start = index + 1;
    } else if (char === '}' && --level === 0) {
      items.push(text.slice(start, index));
      return { items, end: index + 1 };
    }
  }
  return null;
}

function markGlobs(text: string): string {
  return text.replace(/\*/g, GLOB_STAR).replace(/\?|\[[^\]]*\]/g, GLOB_ONE);
}

export interface OptionSpec {
  /** Letters without a value. */
  readonly flags?: string;
  /** Letters with a value, in the same word or the next. */
  readonly values?: string;
  /** Letters with a value in the same word, or none. */
  readonly attached?: string;
  /** Long ones, blanks between them; `name=` takes a value. */
  readonly long?: string;
}

export interface ReadOptions {
  readonly options: readonly { readonly name: string; readonly value: ShellWord | null }[];
  /** From the first word that is no option. */
  readonly rest: readonly ShellWord[];
  /** Every option was one of the spec's: `rest` really begins where it says. */
  readonly isSure: boolean;
}

/** `words` without the command itself. */
export function readOptions(words: readonly ShellWord[], spec: OptionSpec): ReadOptions {
  const long = new Set((spec.long ?? '').split(' '));
  const options: { name: string; value: ShellWord | null }[] = [];
  let index = 0;
  const done = (isSure: boolean) => ({ options, rest: words.slice(index), isSure });
  for (; index < words.length; index++) {
    const word = words[index] as ShellWord;
    // What may be no word or several may hold options of its own.
    if (maySplit(word.form) || (isUnsure(word.form[0] ?? '') && index === 0)) return done(false);
    if (!word.form.startsWith('-') || word.form === '-') return done(true);
    if (word.form === '--') {
      index++;
      return done(true);
    }
    if (word.form.startsWith('--')) {
      const equals = word.form.indexOf('=');
      const said = equals < 0 ? word.form.slice(2) : word.form.slice(2, equals);
      const name = fullName(said, long);
      if (equals >= 0) options.push({ name, value: cut(word, equals + 1) });
      else if (long.has(`${name}=`)) options.push({ name, value: words[++index] ?? null });
      else if (long.has(name)) options.push({ name, value: null });
      else return done(false);
      continue;
    }
    for (let at = 1; at < word.form.length; at++) {
      const letter = word.form[at] as string;
      if (spec.attached?.includes(letter)) {
        options.push({ name: letter, value: at + 1 < word.form.length ? cut(word, at + 1) : null });
        break;
      }
      if (spec.values?.includes(letter)) {
        const value = at + 1 < word.form.length ? cut(word, at + 1) : (words[++index] ?? null);
        options.push({ name: letter, value });
        break;
      }
      if (!spec.flags?.includes(letter)) return done(false);
      options.push({ name: letter, value: null });
    }
  }
  return done(true);
}

/** Of an option that is cut short: the one that it can only mean. */
function fullName(said: string, names: ReadonlySet<string>): string {
  if (names.has(said) || names.has(`${said}=`) || said.length < 2) return said;
  const meant = [...names].filter((name) => name.startsWith(said));
  return meant.length === 1 ? (meant[0] as string).replace('=', '') : said;
}

export function optionValue(read: ReadOptions, ...names: readonly string[]): ShellWord | null {
  return read.options.find(({ name, value }) => value !== null && names.includes(name))?.value ?? null;
}

export function hasOption(read: ReadOptions, ...names: readonly string[]): boolean {
  return read.options.some(({ name }) => names.includes(name));
}

function cut(word: ShellWord, from: number): ShellWord {
  const form = word.form.slice(from);
  return { form, text: form };
}

// Texts that stand in a command as a whole: what `echo` and `printf` write, and what code starts.

/** Formats are used again for the words that are left, but not without end. */
const MAX_TEXT = 20_000;

/** Null: nothing, or something that is not followed. Marks stand for what is only known when it runs. */
export function printedText([name, ...words]: readonly ShellWord[]): string | null {
  const forms = words.map(({ form }) => form);
  if (name?.form === 'echo') return echoed(forms);
  if (name?.form !== 'printf' || forms[0] === '-v') return null;
  const [format, ...values] = forms[0] === '--' ? forms.slice(1) : forms;
  return format === undefined ? null : formatted(format, values);
}

/** Shells disagree on backslashes: both readings are in it. */
function echoed(forms: readonly string[]): string {
  const start = forms.findIndex((form) => !/^-[neE]+$/.test(form));
  const plain = start < 0 ? '' : forms.slice(start).join(' ');
  const decoded = withoutEscapes(plain);
  return plain === decoded ? `${plain}\n` : `${plain}\n${decoded}\n`;
}

function formatted(format: string, values: readonly string[]): string {
  const pattern = withoutEscapes(format);
  let text = '';
  let at = 0;
  do {
    const before = at;
    text += pattern.replace(
      /%[-+ #0']*(?:\d+|\*)?(?:\.(\d+))?([a-zA-Z%])/g,
      (_, precision: string | undefined, letter) =>
        letter === '%' ? '%' : convert(values[at++] ?? '', String(letter), precision),
    );
    if (at === before) break;
  } while (at < values.length && text.length < MAX_TEXT);
  return text;
}

function convert(value: string, letter: string, precision: string | undefined): string {
  const number = Number(value);
  if (letter === 'c') return value.slice(0, 1);
  if (letter === 'b') return withoutEscapes(value);
  if (/[xX]/.test(letter)) return Number.isInteger(number) ? number.toString(16) : ANYTHING;
  if (letter === 'o') return Number.isInteger(number) ? number.toString(8) : ANYTHING;
  return precision === undefined || letter !== 's' ? value : value.slice(0, Number(precision));
}

const LETTERS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\n',
  f: ' ',
  v: ' ',
  a: ' ',
  b: ' ',
  e: ' ',
  E: ' ',
};

function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|0?([0-7]{1,3})|([\s\S]))/g,
    (whole, byte?: string, unit?: string, octal?: string, letter?: string) => {
      if (byte !== undefined || unit !== undefined) return String.fromCharCode(Number.parseInt(byte ?? unit ?? '', 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return letter === '\\' || letter === '"' || letter === "'" ? letter : (LETTERS[letter ?? ''] ?? whole);
    },
  );
}

const LITERAL = String.raw`(?:"[^"\\\n$]*"|'[^'\\\n]*')`;
const PYTHON_CALL = new RegExp(
  String.raw`\bsubprocess\.(?:run|call|check_call|check_output|Popen)\(\s*\[((?:\s*${LITERAL}\s*,?)+)\](?:\s*,\s*(?:capture_output|text|check|universal_newlines|encoding|stdout|stderr|timeout)\s*=\s*(?:True|False|None|\d+|${LITERAL}|subprocess\.(?:PIPE|DEVNULL|STDOUT)))*\s*\)(?:\.decode\(\))?`,
  'g',
);
const NODE_CALL = new RegExp(
  String.raw`\b(?:(?:require\(\s*["'](?:node:)?child_process["']\s*\)|\w+)\s*\.\s*)?execSync\(\s*(${LITERAL})(?:\s*,\s*\{\s*(?:(?:encoding|stdio)\s*:\s*${LITERAL}\s*,?\s*)*\})?\s*\)`,
  'g',
);
const IMPORT = {
  python: /\bimport subprocess\b/g,
  node: /(?:const|let|var)\s*\{\s*execSync\s*\}\s*=\s*require\(\s*["'](?:node:)?child_process["']\s*\)/g,
} as const;

/** Calls that start a program by texts which stand there as a whole, and the code without them. */
export function literalCalls(language: 'python' | 'node', code: string) {
  const calls: (readonly string[])[] = [];
  const rest = code.replace(language === 'python' ? PYTHON_CALL : NODE_CALL, (_, given: string) => {
    calls.push([...given.matchAll(new RegExp(LITERAL, 'g'))].map(([text]) => text.slice(1, -1)));
    return ' ';
  });
  return { calls, rest: calls.length === 0 ? code : rest.replace(IMPORT[language], ' ') };
}
