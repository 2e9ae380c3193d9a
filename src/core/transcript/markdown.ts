// Markdown of messages, as a tree of a few safe elements.

import MarkdownIt from 'markdown-it';
import { known } from '../../lib/json.ts';
import { cleanBlock } from '../index.ts';

/** The only elements that Markdown can become. Each UI gives them its own form. */
export const RICH_TAGS = [
  'paragraph',
  'heading',
  'strong',
  'emphasis',
  'struck',
  'code',
  'code-block',
  'link',
  'reference',
  'picture',
  'bullets',
  'numbers',
  'item',
  'quote',
  'rule',
  'break',
  'table',
  'head',
  'body',
  'row',
  'head-cell',
  'cell',
] as const;

type RichTag = (typeof RICH_TAGS)[number];

export type RichNode = string | RichElement;

export interface RichElement {
  readonly tag: RichTag;
  readonly children: readonly RichNode[];
  /** Of a link: http or https, nothing else. Of a reference or a picture: where it says it points, as text. */
  readonly target?: string;
  /** Of a heading, 1 to 6. */
  readonly level?: number;
  /** Of a list with numbers. */
  readonly start?: number;
  /** Of a code block. */
  readonly language?: string;
}

type Parser = ReturnType<typeof createParser>;
type MarkdownToken = ReturnType<Parser['parse']>[number];

const ELEMENTS: ReadonlyMap<string, RichTag> = new Map([
  ['paragraph_open', 'paragraph'],
  ['heading_open', 'heading'],
  ['strong_open', 'strong'],
  ['em_open', 'emphasis'],
  ['s_open', 'struck'],
  ['link_open', 'link'],
  ['bullet_list_open', 'bullets'],
  ['ordered_list_open', 'numbers'],
  ['list_item_open', 'item'],
  ['blockquote_open', 'quote'],
  ['table_open', 'table'],
  ['thead_open', 'head'],
  ['tbody_open', 'body'],
  ['tr_open', 'row'],
  ['th_open', 'head-cell'],
  ['td_open', 'cell'],
]);

interface Draft {
  /** Undefined for one that leaves only its content behind. */
  readonly element: Omit<RichElement, 'children'> | undefined;
  readonly children: RichNode[];
}

/** A tree of the fixed elements above, and of text; nothing else comes out, whatever goes in. */
function toRichTree(tokens: readonly MarkdownToken[]): readonly RichNode[] {
  const root: Draft = { element: undefined, children: [] };
  const open: Draft[] = [root];
  const closeLast = (): void => {
    const done = open.length > 1 ? open.pop() : undefined;
    if (done) add(open.at(-1) ?? root, done.element ? [{ ...done.element, children: done.children }] : done.children);
  };
  for (const token of tokens) {
    if (token.nesting === 1) open.push({ element: elementOf(token), children: [] });
    else if (token.nesting === -1) closeLast();
    else add(open.at(-1) ?? root, leafOf(token));
  }
  while (open.length > 1) closeLast();
  return root.children;
}

function elementOf(token: MarkdownToken): Draft['element'] {
  const tag = ELEMENTS.get(token.type);
  if (tag === undefined || token.hidden) return undefined;
  switch (tag) {
    case 'heading':
      return { tag, level: Math.min(6, Math.max(1, Number(/^h(\d)$/.exec(token.tag)?.[1] ?? 1))) };
    case 'numbers':
      return { tag, start: startOf(token.attrGet('start')) };
    case 'link': {
      // A path in the project, an anchor, a script: said, not linked.
      const target = cleanBlock(String(token.attrGet('href') ?? ''));
      return { tag: isWebLink(target) ? 'link' : 'reference', target };
    }
    default:
      return { tag };
  }
}

function leafOf(token: MarkdownToken): readonly RichNode[] {
  switch (token.type) {
    case 'inline':
      return toRichTree(token.children ?? []);
    case 'softbreak':
    case 'hardbreak':
      return [{ tag: 'break', children: [] }];
    case 'hr':
      return [{ tag: 'rule', children: [] }];
    case 'code_inline':
      return [{ tag: 'code', children: [cleanBlock(token.content)] }];
    case 'code_block':
      return [{ tag: 'code-block', children: [cleanBlock(token.content)] }];
    case 'fence': {
      const language = /^[\w+#.-]{1,24}/.exec(token.info.trim())?.[0].toLowerCase();
      return [{ tag: 'code-block', children: [cleanBlock(token.content)], ...known({ language }) }];
    }
    case 'image': {
      const target = cleanBlock(String(token.attrGet('src') ?? ''));
      return [{ tag: 'picture', children: [cleanBlock(token.content)], target }];
    }
    default: {
      // Markdown can spell characters out (`&#x202e;`): what was cleaned before is hostile again.
      const text = cleanBlock(token.content);
      return text === '' ? [] : [text];
    }
  }
}

function add(draft: Draft, nodes: readonly RichNode[]): void {
  for (const node of nodes) {
    const last = draft.children.length - 1;
    const before = draft.children[last];
    if (typeof node === 'string' && typeof before === 'string') draft.children[last] = before + node;
    else draft.children.push(node);
  }
}

function startOf(start: string | number | null): number {
  const value = Number(start ?? 1);
  return Number.isSafeInteger(value) && value >= 0 ? value : 1;
}

/** Longer texts are shown as they are: a page must not stand still for the sake of headings. */
export const MAX_MARKDOWN = 100_000;
/** Of code that is coloured. */
export const MAX_COLOURED = 50_000;

let parser: Parser | undefined;

function createParser() {
  const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });
  // In running text, only what begins like an address of the web is one.
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  for (const schema of ['ftp:', 'mailto:', '//']) markdown.linkify.add(schema, null);
  return markdown;
}

/** What somebody wrote, as a tree of the few elements that every page knows. Raw HTML is text in it. */
export function parseMarkdown(text: string): readonly RichNode[] {
  parser ??= createParser();
  return toRichTree(parser.parse(text, {}));
}

/** The only targets that become links. Everything else that calls itself one is shown as text. */
const WEB = /^https?:\/\/[^\s\u0000-\u0020"'<>\\`{}|^\u007f-\u00a0]{1,2000}$/i;

export function isWebLink(target: string): boolean {
  return WEB.test(target);
}

const ADDRESS = /https?:\/\/[^\s\u0000-\u0020"'<>\\`{}|^\u007f-\u00a0]{1,2000}/gi;
/** Behind an address in running text, these belong to the sentence. */
const TRAILING = /[.,;:!?)\]]+$/;

interface TextPiece {
  readonly text: string;
  readonly href?: string;
}

/** Addresses in plain text, apart from what stands between them. */
export function splitLinks(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const href = found.replace(TRAILING, '');
    if (!isWebLink(href)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ text: href, href });
    from = index + href.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}
