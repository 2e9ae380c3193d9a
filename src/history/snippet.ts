// The piece of a message around what was found in it.

import {
  cleanBlock,
  findWords,
  type QueryWord,
  type SnippetPiece,
  splitsCharacter,
  type TranscriptMessage,
  type WordPlace,
} from '../core/index.ts';
import { type MessageText, textsOf } from './message-text.ts';

const BEFORE = 50;
const LENGTH = 180;
/** So much around it is redacted with it: a secret may begin far before what is shown. */
const REDACTED_AROUND = 16_000;

export interface Snippet extends Pick<MessageText, 'kind' | 'tool'> {
  readonly pieces: readonly SnippetPiece[];
}

/** `redact`: hides secrets in a text. Undefined if nothing of the message can be shown. */
export function snippetOf(
  message: TranscriptMessage,
  words: readonly QueryWord[],
  redact?: (text: string) => string,
): Snippet | undefined {
  const found = textsOf(message)
    .filter(({ text }) => text !== '')
    .map((one) => ({ one, places: findWords(one.text, words) }));
  const best = found.reduce<(typeof found)[number] | undefined>(
    (most, next) => (most && countWords(most.places) >= countWords(next.places) ? most : next),
    undefined,
  );
  if (!best) return undefined;
  const { kind, tool, text } = best.one;
  const shown = redact ? redactAround(text, best.places, words, redact) : { text, places: best.places };
  return { kind, pieces: piecesOf(shown.text, shown.places), ...(tool !== undefined && { tool }) };
}

function countWords(places: readonly WordPlace[]): number {
  return new Set(places.map(({ word }) => word)).size;
}

function redactAround(
  text: string,
  places: readonly WordPlace[],
  words: readonly QueryWord[],
  redact: (text: string) => string,
) {
  const at = densest(places);
  const redacted = redact(text.slice(Math.max(0, at - REDACTED_AROUND), at + REDACTED_AROUND));
  return { text: redacted, places: findWords(redacted, words) };
}

/** Where the piece with most different words begins. */
function densest(places: readonly WordPlace[]): number {
  let best = { from: places[0]?.from ?? 0, count: 0 };
  for (const [index, { from }] of places.slice(0, 2_000).entries()) {
    const within = new Set<number>();
    for (let at = index; (places[at]?.to ?? Number.POSITIVE_INFINITY) <= from + LENGTH - BEFORE; at++)
      within.add(places[at]?.word ?? 0);
    if (within.size > best.count) best = { from, count: within.size };
  }
  return best.from;
}

function piecesOf(text: string, places: readonly WordPlace[]): readonly SnippetPiece[] {
  const start = cutAt(text, Math.max(0, densest(places) - BEFORE));
  const end = cutAt(text, Math.min(text.length, start + LENGTH));
  const pieces: SnippetPiece[] = [];
  const add = (from: number, to: number, isMatch: boolean): void => {
    const part = cleanBlock(text.slice(from, to)).replace(/[\s\u200c\u200d]+/g, ' ');
    if (part !== '') pieces.push({ text: part, isMatch });
  };
  if (start > 0) pieces.push({ text: '…', isMatch: false });
  let at = start;
  for (const { from, to } of places) {
    if (from < at || to > end) continue;
    add(at, from, false);
    add(from, to, true);
    at = to;
  }
  add(at, end, false);
  if (end < text.length) pieces.push({ text: '…', isMatch: false });
  return pieces;
}

function cutAt(text: string, at: number): number {
  return splitsCharacter(text, at) ? at - 1 : at;
}
