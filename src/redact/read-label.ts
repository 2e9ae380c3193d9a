// Labels of Markdown and prose, and the values beside or below them.

import { at, indexWithin, LONGEST_LINE, lineEnd, lineStart, type Name, type OnValue, QUOTE } from './scan-text.ts';
import { isCodeValue, take, takeQuoted, unpunctuated } from './take-value.ts';
import { isOrdinary, isPassphrase } from './value-looks.ts';

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
  if (!isCodeValue(value, '') && !isOrdinary(value)) take(text, from, from + value.length, name, onValue);
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
