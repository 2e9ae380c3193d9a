// Changes in the text of a JSON file that leave every other byte as it is.
import { createScanner, type Node, parseTree, type SyntaxKind } from 'jsonc-parser';

export type JsonPath = readonly (string | number)[];

/** Tolerant: also of what somebody broke since. Where a name stands twice the last one counts, as it does for `JSON.parse`. */
export function nodeAt(text: string, path: JsonPath): Node | undefined {
  let node = parseTree(text, [], { allowTrailingComma: true });
  for (const step of path) {
    const children = node?.type === (typeof step === 'number' ? 'array' : 'object') ? node.children : undefined;
    node =
      typeof step === 'number'
        ? children?.[step]
        : children?.findLast((property) => property.children?.[0]?.value === step)?.children?.[1];
  }
  return node;
}

/** Adds a value at the end of an array, or under a name at the end of an object. For texts that `JSON.parse` reads. */
export function append(text: string, path: JsonPath, value: unknown, name?: string): string {
  const container = nodeAt(text, path);
  if (!container) throw new Error(`nothing at ${path.join('.')}`);
  const label = name === undefined ? '' : JSON.stringify(name);
  const last = container.children?.at(-1);
  if (!last) {
    const close = container.offset + container.length - 1;
    const { unit, eol } = styleOf(text);
    const outer = indentAt(text, container.offset);
    if (unit === undefined) return splice(text, close, close, item(label, value));
    const inner = item(label, value, { unit, eol, indent: outer + unit });
    return splice(text, container.offset + 1, close, `${eol}${outer}${unit}${inner}${eol}${outer}`);
  }
  const end = last.offset + last.length;
  const gap = text.slice(text.slice(0, last.offset).trimEnd().length, last.offset);
  const { unit = '  ', eol } = styleOf(text);
  // Beside its neighbours where they stand side by side, else on a line of its own.
  if (!gap.includes('\n')) return splice(text, end, end, `,${gap}${item(label, value, undefined, gap)}`);
  const indent = indentAt(text, last.offset);
  return splice(text, end, end, `,${eol}${indent}${item(label, value, { unit, eol, indent })}`);
}

export function replace(text: string, path: JsonPath, value: unknown): string {
  const node = nodeAt(text, path);
  if (!node) throw new Error(`nothing at ${path.join('.')}`);
  const { unit = '  ', eol } = styleOf(text);
  const isSpread = text.slice(node.offset, node.offset + node.length).includes('\n');
  const layout = isSpread ? { unit, eol, indent: indentAt(text, node.offset) } : undefined;
  return splice(text, node.offset, node.offset + node.length, item('', value, layout));
}

/** Takes away a value, its name, its comma, and the space before it. */
export function remove(text: string, path: JsonPath): string {
  const value = nodeAt(text, path);
  const node = value?.parent?.type === 'property' ? value.parent : value;
  if (!node?.parent) return text;
  const siblings = node.parent.children ?? [];
  const end = node.offset + node.length;
  const start = text.slice(0, node.offset).trimEnd().length;
  const without = (from: number, to: number): string => splice(text, from, to, '');
  const following = commaAfter(text, end);
  if (following !== undefined) return text.slice(0, start) + text.slice(end, following) + text.slice(following + 1);
  const previous = siblings[siblings.indexOf(node) - 1];
  if (previous) {
    const comma = commaAfter(text, previous.offset + previous.length);
    if (comma === undefined) return without(start, end);
    return text.slice(0, comma) + text.slice(comma + 1, start) + text.slice(end);
  }
  // It was alone: an empty pair of brackets has nothing in it, if nobody left a comment.
  const close = node.parent.offset + node.parent.length - 1;
  return without(start, text.slice(end, close).trim() === '' ? close : end);
}

interface Layout {
  readonly unit: string;
  readonly eol: string;
  /** Of the line on which it begins. */
  readonly indent: string;
}

function item(label: string, value: unknown, layout?: Layout, gap = ''): string {
  if (!layout) return `${label}${label && (gap === '' ? ':' : ': ')}${JSON.stringify(value)}`;
  const { unit, eol, indent } = layout;
  const lines = JSON.stringify(value, null, unit).split('\n');
  return `${label}${label && ': '}${lines.join(`${eol}${indent}`)}`;
}

/** How this text is laid out; no unit where all of it stands on one line. */
function styleOf(text: string): { readonly unit?: string; readonly eol: string } {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n';
  const body = text.trim().replace(/^\ufeff/, '');
  if (!body.includes('\n')) return /^\{\s*\}$/.test(body) ? { unit: '  ', eol } : { eol };
  return { unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ', eol };
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

const COMMA = 5 satisfies SyntaxKind.CommaToken;
const TRIVIA: ReadonlySet<SyntaxKind> = new Set([
  12 satisfies SyntaxKind.LineCommentTrivia,
  13 satisfies SyntaxKind.BlockCommentTrivia,
  14 satisfies SyntaxKind.LineBreakTrivia,
  15 satisfies SyntaxKind.Trivia,
]);

/** Where the comma behind a value stands, if there is one. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let token = scanner.scan();
  while (TRIVIA.has(token)) token = scanner.scan();
  return token === COMMA ? scanner.getTokenOffset() : undefined;
}

function splice(text: string, from: number, to: number, added: string): string {
  return text.slice(0, from) + added + text.slice(to);
}
