// The one place where text becomes Markdown. What comes out reads as the text that went in, in every viewer, and is never
// markup: neither of Markdown nor of HTML, which most viewers let through.

import { cleanBlock } from '../../core/index.ts';
import { MAX_MARKDOWN, parseMarkdown, type RichElement, type RichNode } from '../../core/transcript/index.ts';

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

/** Below the headings of the page itself. */
const HEADING_STEP = 3;

/** What somebody wrote, written again: the same form, and nothing that could break out of its place. */
export function writeProse(text: string): string {
  return text.length > MAX_MARKDOWN ? fence(text) : writeBlocks(parseMarkdown(text));
}

const BLOCKS = new Set<RichElement['tag']>([
  'paragraph',
  'heading',
  'code-block',
  'bullets',
  'numbers',
  'quote',
  'rule',
  'table',
]);

/** Loose text between blocks, as in the items of a tight list, is a block of its own. */
function writeBlocks(nodes: readonly RichNode[]): string {
  const blocks: string[] = [];
  let loose: RichNode[] = [];
  const flush = (): void => {
    const line = writeLines(loose);
    if (line !== '') blocks.push(line);
    loose = [];
  };
  for (const node of nodes) {
    if (typeof node === 'string' || !BLOCKS.has(node.tag)) loose.push(node);
    else {
      flush();
      blocks.push(writeBlock(node));
    }
  }
  flush();
  return blocks.join('\n\n');
}

function writeBlock({ tag, children, level = 1, start = 1, language }: RichElement): string {
  switch (tag) {
    case 'heading':
      return `${'#'.repeat(Math.min(6, level + HEADING_STEP))} ${writeInline(children).replaceAll('\\\n', ' ')}`;
    case 'code-block':
      return fence(children.join(''), language);
    case 'bullets':
      return writeItems(children, () => '- ');
    case 'numbers':
      return writeItems(children, (index) => `${start + index}. `);
    case 'quote':
      return indent(writeBlocks(children), '> ', '> ');
    case 'rule':
      return '* * *';
    case 'table':
      return writeTable(children);
    default:
      return writeLines(children);
  }
}

function writeItems(items: readonly RichNode[], mark: (index: number) => string): string {
  return items
    .filter((item) => typeof item !== 'string')
    .map((item, index) => indent(writeBlocks(item.children), mark(index), ' '.repeat(mark(index).length)))
    .join('\n');
}

/** A table has one line for each row: what would break it is a mark instead. */
function writeTable(sections: readonly RichNode[]): string {
  const rows = sections.flatMap((section) => (typeof section === 'string' ? [] : section.children));
  const lines = rows.map((row) => {
    const cells = typeof row === 'string' ? [] : row.children;
    const written = cells.map((cell) => (typeof cell === 'string' ? '' : writeInline(cell.children)));
    return `| ${written.map((cell) => cell.replaceAll('\\\n', '<br>').replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`;
  });
  const first = rows[0];
  const columns = first === undefined || typeof first === 'string' ? 1 : first.children.length;
  return [lines[0] ?? '', `|${' --- |'.repeat(columns)}`, ...lines.slice(1)].join('\n');
}

function writeLines(nodes: readonly RichNode[]): string {
  return writeInline(nodes)
    .split('\n')
    .map((line) => guardLine(line.trim()))
    .join('\n');
}

function writeInline(nodes: readonly RichNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? inlineText(node) : writeSpan(node))).join('');
}

function writeSpan({ tag, children, target = '' }: RichElement): string {
  switch (tag) {
    case 'strong':
      return mark('**', writeInline(children));
    case 'emphasis':
      return mark('*', writeInline(children));
    case 'struck':
      return mark('~~', writeInline(children));
    case 'code':
      return inlineCode(children.join(''));
    case 'link':
      return linkTo(target, writeInline(children));
    case 'reference': {
      const said = writeInline(children);
      const where = inlineText(target.slice(0, 200));
      return target === '' || said.includes(where) ? said : `${said} (${where})`;
    }
    case 'picture':
      return inlineText(`[picture: ${children.join('') || target}]`);
    case 'break':
      return '\\\n';
    default:
      return writeInline(children);
  }
}

/** Signs that touch a space are no signs. */
function mark(sign: string, inner: string): string {
  return inner.trim() === '' || inner !== inner.trim() ? inner : `${sign}${inner}${sign}`;
}

function indent(text: string, first: string, rest: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first + line : line === '' ? rest.trimEnd() : rest + line))
    .join('\n');
}
