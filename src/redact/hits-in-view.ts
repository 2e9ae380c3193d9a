import type { Edits, View } from './view.ts';
import type { WordSearch } from './word-search.ts';

/** Word and start of each, in the order of their ends. */
type Hits = readonly number[];

/**
 * Every hit in the text of a view. Of a view that is another one with some places changed only those places are looked at:
 * everywhere else stand the hits of the other one.
 */
export function hitsInView(view: View, words: WordSearch): Hits {
  if (view.hits?.of === words) return view.hits.list;
  const { text, edited } = view;
  const list = edited ? withEdits(hitsInView(edited.below, words), edited.edits, text, words) : words.hitsIn(text);
  view.hits = { of: words, list };
  return list;
}

function withEdits(below: Hits, edits: Edits, text: string, words: WordSearch): Hits {
  const hits = untouched(below, edits, words);
  let isAnyNew = false;
  let before = -1;
  for (let edit = 0; edit < edits.at.length; edit++) {
    const start = edits.at[edit] as number;
    const end = start + (edits.length[edit] as number);
    words.hitsAround(text, start, end, (word, from) => {
      // What reaches the change before this one was found there.
      if (from <= before) return;
      hits.push(word, from);
      isAnyNew = true;
    });
    before = end;
  }
  return isAnyNew ? inOrder(hits, words) : hits;
}

/** Those that no change is part of, nor stands right before, where they are now. */
function untouched(below: Hits, { at, length, source, sourceEnd }: Edits, words: WordSearch): number[] {
  const hits: number[] = [];
  let last = -1;
  for (let hit = 0; hit < below.length; hit += 2) {
    const [word, start] = [below[hit] as number, below[hit + 1] as number];
    const end = start + words.lengthOf(word);
    while (last + 1 < source.length && (source[last + 1] as number) < end) last++;
    if (last < 0) hits.push(word, start);
    else {
      const behind = start - (sourceEnd[last] as number);
      if (behind > 0) hits.push(word, (at[last] as number) + (length[last] as number) + behind);
    }
  }
  return hits;
}

function inOrder(hits: Hits, words: WordSearch): Hits {
  const endOf = (hit: number): number => (hits[hit + 1] as number) + words.lengthOf(hits[hit] as number);
  return Array.from({ length: hits.length / 2 }, (_, index) => index * 2)
    .sort((a, b) => endOf(a) - endOf(b) || (hits[a + 1] as number) - (hits[b + 1] as number))
    .flatMap((hit) => [hits[hit] as number, hits[hit + 1] as number]);
}
