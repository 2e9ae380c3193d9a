import { cleanLine } from '../core/index.ts';
import type { Key } from './keys.ts';

const MAX_LENGTH = 200;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A line of text after a key; undefined where the key does not write. */
export function editText(text: string, key: Key): string | undefined {
  if (key.kind === 'typed') return (text + key.text).slice(0, MAX_LENGTH);
  if (key.kind === 'pasted') return (text + cleanLine(key.text)).slice(0, MAX_LENGTH);
  if (key.name !== 'backspace') return undefined;
  return [...segmenter.segment(text)]
    .slice(0, -1)
    .map(({ segment }) => segment)
    .join('');
}
