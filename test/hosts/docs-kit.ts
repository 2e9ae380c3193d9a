// What stands in the documents, taken out of them: a list beside them would go stale.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './kit.ts';

/** The fenced blocks of a document in one language. */
export function blocksIn(document: string, language: string): readonly string[] {
  const text = readFileSync(path.join(root, 'docs', document), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, block = '']) =>
    name === language ? [block] : [],
  );
}

/** Each line of its shell blocks. */
export function commandsIn(document: string): readonly string[] {
  return blocksIn(document, 'sh').flatMap((block) => block.trim().split('\n'));
}
