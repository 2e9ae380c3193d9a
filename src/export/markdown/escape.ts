// The one place where text becomes Markdown. What comes out reads as the text that went in, in every viewer, and is never
// markup: neither of Markdown nor of HTML, which most viewers let through.

import { cleanBlock } from '../../core/index.ts';

const SPECIAL = /[\\`*[\]<>|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)/gu;
/** Only at the beginning of a line. */
const LINE_START = /^(?:[-+=#:](?=[-+=#:\s]|$)|(?<number>\d{1,9})(?=[.)](?:\s|$)))/;

/** Text on one line; line breaks become spaces. */
export function inlineText(text: string): string {
  return cleanBlock(text).replace(/\s+/g, ' ').replace(SPECIAL, '\\$&');
}

/** The same, where it begins a line. */
export function lineText(text: string): string {
  return guardLine(inlineText(text).trim());
}

/** For a line that is escaped already: its beginning is no mark of a list, a heading, a rule. */
export function guardLine(line: string): string {
  return line.replace(LINE_START, (found, number?: string) => (number === undefined ? `\\${found}` : `${number}\\`));
}

/** In a tag of our own. */
export function tagText(text: string): string {
  return cleanBlock(text)
    .replace(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .trim();
}

/** A fence that nothing inside can close. */
export function fence(text: string, language = ''): string {
  const body = cleanBlock(text).replace(/\n$/, '');
  const marks = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return `${marks}${language.replace(/[^\w+#.-]/g, '')}\n${body}\n${marks}`;
}

export function inlineCode(text: string): string {
  const body = cleanBlock(text).replace(/\s+/g, ' ');
  const marks = '`'.repeat(longestRun(body) + 1);
  const room = /^[` ]|[` ]$/.test(body) ? ' ' : '';
  return body === '' ? '' : `${marks}${room}${body}${room}${marks}`;
}

/** An address of the web, or of a page in the same folder. */
export function linkTo(target: string, said: string): string {
  return `[${said}](<${target.replace(/[<>\\\s]/g, encodeURIComponent)}>)`;
}

/** One click away, with what is inside said on it. */
export function folded(summary: string, body: string): string {
  return `<details><summary>${tagText(summary)}</summary>\n\n${body}\n\n</details>`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const { length } of text.match(/`+/g) ?? []) longest = Math.max(longest, length);
  return longest;
}
