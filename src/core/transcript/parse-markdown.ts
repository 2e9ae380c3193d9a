import MarkdownIt from 'markdown-it';
import { findWebLinksOnly, MARKDOWN_OPTIONS } from './markdown-rules.ts';
import { type RichNode, toRichTree } from './markdown-tree.ts';

const parser = new MarkdownIt(MARKDOWN_OPTIONS);
findWebLinksOnly(parser.linkify);

/** What somebody wrote, as a tree of the few elements that every page knows. Raw HTML is text in it. */
export function parseMarkdown(text: string): readonly RichNode[] {
  return toRichTree(parser.parse(text, {}));
}
