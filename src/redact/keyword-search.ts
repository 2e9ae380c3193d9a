// Finds the keywords of rules in the views of a text.

import { groupBy } from '../lib/group.ts';
import { createWordSearch } from '../lib/word-search.ts';
import { quote, type SecretRule } from './rule.ts';
import type { View } from './view.ts';

/** How a sticky pattern begins: with what may not stand before it, and with the characters that its match may begin with. */
const BEGINNING = /^(?:\(\?<!(\[[^\]]+\])\))?(?:(\[[^\]^\\]+\])(?![?*{])|\(\?:((?:[\w-]+\|)*[\w-]+)\)(?![?*{]))?/;

interface Beginning {
  /** Of 128 units: which may not stand right before a match. */
  readonly barred: Uint8Array | undefined;
  /** Which a match may begin with. */
  readonly first: Uint8Array | undefined;
}

/** What a look at two characters tells of a rule: nearly all keywords are parts of other words, and patterns take their time. */
export function beginningOf({ read, before, pattern }: SecretRule): Beginning {
  if (read || before !== 0) return { barred: undefined, first: undefined };
  const [, behind, unit, words] = BEGINNING.exec(pattern.source) ?? [];
  const flags = pattern.ignoreCase ? 'i' : '';
  const heads = words?.split('|').map((word) => word.charAt(0));
  return { barred: tableOf(behind, flags), first: tableOf(unit ?? (heads && `[${heads.map(quote).join('')}]`), flags) };
}

const tables = new Map<string, Uint8Array>();

function tableOf(source: string | undefined, flags: string): Uint8Array | undefined {
  if (source === undefined) return undefined;
  const key = source + flags;
  const known = tables.get(key);
  if (known) return known;
  const pattern = new RegExp(source, flags);
  const table = Uint8Array.from({ length: 128 }, (_, unit) => +pattern.test(String.fromCharCode(unit)));
  tables.set(key, table);
  return table;
}

/** Number and start of each keyword of a view, in the order of their ends. */
type Hits = readonly number[];

/**
 * The keywords of a view. If a view differs from the one below only in what ends words, its keywords are those from below,
 * and the ones that hold such a mark: of those, a piece without marks stands below.
 */
export function createKeywordSearch(
  keywords: readonly string[],
  isNone: (keyword: number, first: number) => boolean,
): (view: View) => Hits {
  const marked = keywords.flatMap((keyword, number) => {
    const pieces = [...keyword.matchAll(/[^\n\r\t "'`\\&<>]+/g)];
    const longest = pieces.toSorted((a, b) => b[0].length - a[0].length)[0];
    if (!longest) throw new Error(`keyword "${keyword}" consists of separators`);
    return longest[0] === keyword ? [] : [{ keyword, number, piece: longest[0], offset: longest.index }];
  });
  const byPiece = groupBy(marked, ({ piece }) => piece);
  const isMarked = new Set(marked.map(({ number }) => number));
  const pieces = [...byPiece.keys()];
  const all = [...keywords, ...pieces];
  const words = createWordSearch(all, true);
  const lengths = all.map(({ length }) => length);
  /** Of each keyword and of both cases of its first letter, whether no rule takes it. */
  const unwanted = keywords.map((keyword, number) =>
    [keyword, keyword.toUpperCase()].map((text) => isNone(number, text.charCodeAt(0))),
  );
  const search = (text: string): Hits => {
    const { hits } = words.search(text);
    let kept: number[] | undefined;
    for (let hit = 0; hit < hits.length; hit += 2) {
      const number = hits[hit] as number;
      const start = hits[hit + 1] as number;
      const [lower, upper] = unwanted[number] ?? [];
      const isDropped = (lower || upper) && (text.charCodeAt(start) < 97 ? upper : lower);
      if (isDropped) kept ??= hits.slice(0, hit);
      else kept?.push(number, start);
    }
    return kept ?? hits;
  };
  const carryOver = (below: Hits, { text }: View, placeOf: (start: number, end: number) => number): Hits => {
    if (below.length === 0) return below;
    const hits: number[] = [];
    let isSorted = true;
    for (let hit = 0; hit < below.length; hit += 2) {
      const number = below[hit] as number;
      if (isMarked.has(number)) continue;
      const from = below[hit + 1] as number;
      const start = placeOf(from, from + (lengths[number] as number));
      if (start < 0) continue;
      hits.push(number, start);
      if (number < keywords.length) continue;
      for (const { keyword, number: other, offset } of byPiece.get(pieces[number - keywords.length] as string) ?? []) {
        const first = start - offset;
        if (first < 0 || text.slice(first, first + keyword.length).toLowerCase() !== keyword) continue;
        hits.push(other, first);
        isSorted = false;
      }
    }
    if (isSorted) return hits;
    const pairs = Array.from(
      { length: hits.length / 2 },
      (_, at) => hits.slice(2 * at, 2 * at + 2) as [number, number],
    );
    const endOf = ([number, start]: [number, number]): number => start + (lengths[number] as number);
    return pairs.sort((a, b) => endOf(a) - endOf(b) || a[1] - b[1]).flat();
  };
  return (view) => {
    const { edited } = view;
    const below = edited && !edited.isJoining ? edited.below.hits : undefined;
    const hits = edited && below ? carryOver(below, view, edited.follow()) : search(view.text);
    view.hits = hits;
    return hits;
  };
}
