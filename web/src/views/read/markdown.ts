import MarkdownIt from 'markdown-it';
import { findWebLinksOnly, MARKDOWN_OPTIONS } from '../../../../src/render/transcript/markdown-rules.ts';
import { type RichNode, toRichTree } from '../../../../src/render/transcript/markdown-tree.ts';

const parser = new MarkdownIt(MARKDOWN_OPTIONS);
findWebLinksOnly(parser.linkify);

const KEPT = 300;
const parsed = new Map<string, readonly RichNode[]>();

/** Rows come and go while one scrolls: the last few hundred texts are not read again. */
export function parseMarkdown(text: string): readonly RichNode[] {
  const before = parsed.get(text);
  if (before) return before;
  const tree = toRichTree(parser.parse(text, {}));
  parsed.set(text, tree);
  for (const oldest of parsed.keys()) {
    if (parsed.size <= KEPT) break;
    parsed.delete(oldest);
  }
  return tree;
}
