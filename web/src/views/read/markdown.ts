import { parseMarkdown, type RichNode } from '../../../../src/core/transcript/index.ts';

const KEPT = 300;
const parsed = new Map<string, readonly RichNode[]>();

/** Rows come and go while one scrolls: the last few hundred texts are not read again. */
export function readMarkdown(text: string): readonly RichNode[] {
  const before = parsed.get(text);
  if (before) return before;
  const tree = parseMarkdown(text);
  parsed.set(text, tree);
  for (const oldest of parsed.keys()) {
    if (parsed.size <= KEPT) break;
    parsed.delete(oldest);
  }
  return tree;
}
