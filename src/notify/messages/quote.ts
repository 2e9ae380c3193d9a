import { cleanBlock, cleanLine } from '../../core/index.ts';

/** As the second line of a message has room for. */
const LONGEST_QUOTE = 200;
const LONGEST_LABEL = 40;
/** What stands behind so much of a text is not its first line in any sense. */
const LOOKED_AT = 20_000;

const MARKDOWN_LINK = /!?\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)/g;
const BARE_LINK = /\b(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.)[^\s<>"')\]]*/gi;
/** Of Markdown, at the beginning of a line: headings, lists, quotes. */
const LEADING_MARKS = /^(?:#{1,6}\s+|[-*+]\s+|>\s*)+/;
const EMPHASIS = /\*\*|`/g;

/** The first line of a text that says something, without links and controls. Empty where there is none. */
export function quoteOf(text: string, most = LONGEST_QUOTE): string {
  const lines = cleanBlock(text.slice(0, LOOKED_AT)).split('\n');
  for (const line of lines) {
    const said = plain(line);
    // A fence, a rule: no words.
    if (/[^\s\p{P}\p{S}]|\p{Extended_Pictographic}/u.test(said)) return cutAt(said, most);
  }
  return '';
}

/** What a call is about, in a line: a command, a path, an address. It is no prose, and every character of it counts. */
export function callQuote(text: string, most = LONGEST_QUOTE): string {
  const lines = cleanBlock(text.slice(0, LOOKED_AT)).split('\n').map(cleanLine);
  return cutAt(lines.find((line) => line !== '') ?? '', most);
}

function plain(line: string): string {
  const linkless = line.replace(MARKDOWN_LINK, '$1').replace(BARE_LINK, '');
  return cleanLine(linkless.replace(LEADING_MARKS, '').replace(EMPHASIS, '')).replace(/\s{2,}/g, ' ');
}

/** What an agent is called between brackets. Brackets of its own would end them. */
export function bracketName(label: string): string {
  const name = cutAt(cleanLine(label.slice(0, LOOKED_AT)).replaceAll('[', '(').replaceAll(']', ')'), LONGEST_LABEL);
  return name === '' ? '?' : name;
}

/** So many characters as people count them, nearly: none is cut in half. */
export function cutAt(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = [...text];
  return characters.length <= most
    ? text
    : `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
}
