// Names and labels, of one word or several, and the values beside or below labels of Markdown and prose.

import {
  at,
  indexWithin,
  LONGEST_LINE,
  LONGEST_NAME,
  lineEnd,
  lineStart,
  type Name,
  type OnValue,
  QUOTE,
} from './scan-text.ts';
import { kindOfSecretName } from './secret-names.ts';
import { isCodeValue, take, takeQuoted, unpunctuated } from './take-value.ts';
import { isOrdinary, isPassphrase } from './value-looks.ts';

const isNamePart = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) ||
  (unit >= 65 && unit <= 90) ||
  (unit >= 48 && unit <= 57) ||
  unit === 95 ||
  unit === 45 ||
  unit === 46 ||
  isLetterBeyond(unit);

/** Accented letters, and the signs of Chinese, Japanese and Korean; no punctuation of these. */
const isLetterBeyond = (unit: number): boolean =>
  unit >= 0xc0 && (unit < 0x250 || (unit >= 0x3041 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xd7a3));

/** The name around a place. */
export function nameAt(text: string, hit: number): Name | undefined {
  let start = hit;
  const first = Math.max(0, hit - LONGEST_NAME);
  while (start > first && isNamePart(text.charCodeAt(start - 1))) start--;
  let end = hit;
  const last = Math.min(text.length, hit + LONGEST_NAME);
  while (end < last && isNamePart(text.charCodeAt(end))) end++;
  while (end > start && text[end - 1] === '.') end--;
  while (end > start && text[end - 1] === '-') end--;
  // `${NAME-default}`: names of a shell have no dashes.
  if (text.startsWith('${', start - 2)) {
    const dash = text.slice(start, end).includes('.') ? 0 : text.slice(start, end).indexOf('-');
    if (dash > 0) end = start + dash;
  }
  while (start < end && /[.-]/.test(text[start] as string)) start++;
  // `java -Ddb.password=…`
  if (text[start] === 'D' && text[start - 1] === '-' && /\s/.test(text[start - 2] ?? '')) start++;
  const word = text.slice(start, end);
  if (end <= hit) return undefined;
  // `"pass phrase" = …`
  if (text[end] === ' ' && /["']/.test(text[start - 1] ?? '')) {
    const rest = at(/ [A-Za-z]{2,16}(?: [A-Za-z]{2,16})?(?=["'])/y, text, end)?.[0];
    if (rest !== undefined && text[end + rest.length] === text[start - 1]) {
      const whole = word + rest;
      const kind = kindOfSecretName(whole);
      if (kind !== 'none') return { text: whole, start, end: end + rest.length, kind };
    }
  }
  // `'db password': …`
  if (text[start - 1] === ' ' && /["']/.test(text[end] ?? '')) {
    const lead = /(["'])([A-Za-z]{1,16} (?:[A-Za-z]{1,16} )?)$/.exec(text.slice(Math.max(0, start - 36), start));
    const whole = (lead?.[2] ?? '') + word;
    if (lead && lead[1] === text[end] && kindOfSecretName(whole) !== 'none')
      return { text: whole, start: start - (whole.length - word.length), end, kind: kindOfSecretName(whole) };
  }
  const label = text[start - 1] === ' ' || text[end] === ' ' ? labelAt(text, start, end) : undefined;
  if (label) return label;
  // `API key` is one name.
  if (word.length <= 4 && /^keys?$/i.test(word)) {
    const before =
      text[start - 1] === ' '
        ? /(?<![\w-])[A-Za-z]{2,12} $/.exec(text.slice(Math.max(0, start - 14), start))?.[0]
        : undefined;
    if (before === undefined) return { text: word, start, end, kind: 'none' };
    return { text: before + word, start: start - before.length, end, kind: kindOfSecretName(before + word) };
  }
  const kind = kindOfSecretName(word);
  if (kind !== 'maybe' || text[start - 1] !== ' ') return { text: word, start, end, kind };
  // `GitHub token`, `db pass`: labels have spaces.
  const owner = /(?<![\w-])[A-Za-z]{2,12}(?= $)/.exec(text.slice(Math.max(0, start - 14), start))?.[0];
  return { text: word, start, end, kind: owner ? kindOfSecretName(`${owner}_${word}`) : kind };
}

/** Whole labels of several words: `Shared secret</td>`, `Mot de passe :`, `| Clave de acceso |`. */
function labelAt(text: string, start: number, end: number): Name | undefined {
  const rest =
    at(
      /(?: \p{L}{2,14}){1,3}(?=["'`*_]{0,3}[ \t]{0,40}(?:[:：|│┃&<→\\\t\]]|(?<= )=|[–-]>? )|["'`*_]{1,3}| {2}|[ \t]?\r?\n|$)/uy,
      text,
      end,
    )?.[0] ?? '';
  const lead =
    /(?:^|[^\p{L}\d ,.;)}-]\s{0,8}|[-*] | {2})((?:\p{L}{1,14} ){1,3})$/u.exec(
      text.slice(Math.max(0, start - 60), start),
    )?.[1] ?? '';
  const word = text.slice(start, end);
  for (const [before, after] of [
    ['', rest],
    [lead, ''],
    [lead, rest],
  ] as const) {
    if (before + after === '') continue;
    if (
      before !== '' &&
      after === '' &&
      kindOfSecretName(word) === 'sure' &&
      !/[>[*|`]/.test(text[start - before.length - 1] ?? '')
    )
      continue;
    const whole = before + word + after;
    if (whole.length <= LONGEST_NAME && kindOfSecretName(whole) === 'sure')
      return { text: whole, start: start - before.length, end: end + after.length, kind: 'sure' };
  }
  return undefined;
}

/** Of a label in Markdown: `**Password:**`, `**Password**:`, `**API key** (prod):`, `Password：`. */
export const LABEL_END =
  /(?:[*_`]{1,3}|<\/(?:b|strong|code)>)?(?: \([^()\n]{1,40}\)| for [\w.-]{1,30})?(?:[*_`]{1,3}[ \t]?[:：]|<\/(?:b|strong|code|em|i)>[ \t]?[:：]|(?<=\)) ?›|[:：][*_]{1,3}|[:：]<\/(?:b|strong)>|：|(?<=\)):(?=[ \t]{1,3}`)|[*_]{1,3} (?:is|=|[–—-]) )[ \t]{0,8}/y;

export function readLabelled(text: string, from: number, name: Name, onValue: OnValue) {
  const code = at(/(?:<code>|``?)(?=[^`\s])/y, text, from);
  if (code) {
    const end = indexWithin(text, code[0] === '<code>' ? '</code>' : '`', from + code[0].length);
    const said = text.slice(from + code[0].length, Math.max(end, from));
    const isPart = /^(?:GET|POST|PUT|PATCH|DELETE) \/|^[a-z]+[ _][a-z_ ]+$/.test(said);
    if (end > 0 && end - from < 400 && !said.includes('\n') && !(isPart && /s$/i.test(name.text)))
      take(text, from + code[0].length, end, name, onValue);
    return;
  }
  if (/["'“«„]/.test(text[from] ?? '')) return takeQuoted(text, from, name, onValue);
  const end = lineEnd(text, from);
  const line = text
    .slice(from, Math.min(end, from + LONGEST_LINE))
    .replace(/<\/\w{1,8}>.*$/, '')
    .trim();
  if (line === '') return readBelow(text, end, name, onValue);
  if (name.kind === 'sure' && isPassphrase(line))
    return take(text, text.indexOf(line, from), text.indexOf(line, from) + line.length, name, onValue);
  const word = /^[^\s`]+/.exec(line)?.[0] ?? '';
  const value = unpunctuated(word, false);
  const isAlone = word === line;
  if (!/\d|[^\w.,;:'’()/-]/.test(value) && !(isAlone && name.kind === 'sure' && value.length >= 6)) return;
  const isMade = isAlone && name.kind === 'sure' && /\d/.test(value) && !/[(){}[\]]/.test(value) && /[<>]/.test(value);
  if ((isMade || !isCodeValue(value, '')) && !isOrdinary(value)) take(text, from, from + value.length, name, onValue);
}

/** `### Password`, and what is below it. */
export function readHeading(text: string, name: Name, onValue: OnValue): boolean {
  const start = lineStart(text, name.start);
  // `**Password**` and `1. Password` have a line of their own, too.
  const isBold = /^[ \t]*(?:\d{1,3}[.)] |[-*] )?(?:[*_]{2})?(?:[\w-]{1,16} ){0,2}$/.test(
    text.slice(Math.max(start, name.start - 60), name.start),
  );
  // `Password`, and below it `: …`
  const described = isBold && name.kind === 'sure' ? at(/[ \t]*\r?\n: +(?=\S)/y, text, name.end) : null;
  if (described) {
    readLabelled(text, name.end + described[0].length, name, onValue);
    return true;
  }
  const end = isBold ? at(/(?:[*_]{2})?:?[ \t]*(?=\r?\n\s{0,12}`)/y, text, name.end) : null;
  if (end && name.kind === 'sure') {
    readBelow(text, lineEnd(text, name.end), name, onValue);
    return true;
  }
  if (
    text[start] !== '#' ||
    !/^#{1,6} [^\n]{0,60}$/.test(text.slice(start, name.start)) ||
    !at(/[ \t]*\r?\n/y, text, name.end)
  )
    return false;
  readBelow(text, lineEnd(text, name.end), name, onValue);
  return true;
}

/** The first line that is not empty, if one word or a code is all that it has; or the first of a fence. */
function readBelow(text: string, lineBreak: number, name: Name, onValue: OnValue) {
  const below = at(/\s{1,12}(?:(?:```|~~~)\w{0,12}\r?\n[ \t]{0,8}|[-*>] )?(?:``?)?(?=[^\s`])/y, text, lineBreak);
  if (!below) return;
  const from = lineBreak + below[0].length;
  const end = Math.min(lineEnd(text, from), from + 400);
  const line = text.slice(from, end).trimEnd();
  const isCode = below[0].includes('`') || below[0].includes('~~~');
  const value = line.replace(/`{1,2}$/, '');
  const isLoneWord =
    name.kind === 'sure' && /^[a-z]{8,40}$/.test(value) && !/(?:ed|ing|ory|able|ible|here|only|none)$/.test(value);
  if (!isCode && (/\s/.test(value) || !(isLoneWord || /\d|[^\w.,;:]/.test(value)))) return;
  // A line of a preprocessor, a comment.
  if (value.includes('`') || value.startsWith('#')) return;
  take(text, from, from + value.length, name, onValue);
}

/** `if (password === 'X')`: the value is as good as assigned where it looks like one. */
export function readCompared(text: string, from: number, name: Name, onValue: OnValue) {
  if (QUOTE.test(text[from] ?? ''))
    takeQuoted(text, from, { ...name, kind: 'maybe' }, onValue, (value) => /\d/.test(value));
}
