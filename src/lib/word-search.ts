import { codeUnitsOf } from './digest.ts';

/** Many words looked for at once, in one pass over a text (Aho and Corasick, 1975): what it costs is the text's length. */
export interface WordSearch {
  /**
   * Word and start of every hit, in the order of their ends; of those that end together the longest is first. And the state at the
   * end of the text.
   */
  readonly search: (text: string) => { readonly hits: Hits; readonly state: number };
  /** How much of a word the text that led to a state ends with: its longest beginning, and one word that has it. */
  readonly beginningAt: (state: number) => { readonly length: number; readonly word: number };
}

/** Latin letters of both cases are one where `ignoreCase` says so; offsets stay those of the text. */
export function createWordSearch(words: readonly string[], ignoreCase: boolean): WordSearch {
  const alphabet = createAlphabet(words, ignoreCase);
  const trie = buildTrie(words, alphabet);
  const { next, outputs, lengths, passing } = connect(trie, alphabet.size);
  const { ascii, others, size } = alphabet;
  const wordLengths = words.map((word) => word.length);
  // Rows of the table by where they begin; those where a word ends are told by their sign. One look a character.
  const rows = Int32Array.from(next, (state) => (outputs[state] ? ~(state * size) : state * size));
  return {
    search: (text) => {
      const { length } = text;
      const units = codeUnitsOf(text);
      let hits: number[] | undefined;
      let row = 0;
      for (let at = 0; at < length; at++) {
        const unit = units[at] as number;
        row = rows[row + (unit < 128 ? (ascii[unit] as number) : (others.get(unit) ?? 0))] as number;
        if (row >= 0) continue;
        row = ~row;
        for (const word of outputs[row / size] ?? []) {
          hits ??= [];
          hits.push(word, at + 1 - (wordLengths[word] as number));
        }
      }
      return { hits: hits ?? NO_HITS, state: row / size };
    },
    beginningAt: (state) => ({ length: lengths[state] ?? 0, word: passing[state] ?? 0 }),
  };
}

const NO_HITS: Hits = [];

/** `NaN`, before the first one, is none. */
export function isLetterOrDigit(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57);
}

interface Alphabet {
  /** Letter 0 is every character that stands in no word. */
  readonly ascii: Uint8Array;
  readonly others: ReadonlyMap<number, number>;
  readonly size: number;
}

function createAlphabet(words: readonly string[], ignoreCase: boolean): Alphabet {
  const ascii = new Uint8Array(128);
  const others = new Map<number, number>();
  let size = 1;
  for (const word of words)
    for (let at = 0; at < word.length; at++) {
      const unit = ignoreCase ? lower(word.charCodeAt(at)) : word.charCodeAt(at);
      if (unit >= 128 && !others.has(unit)) others.set(unit, size++);
      else if (unit < 128 && ascii[unit] === 0) ascii[unit] = size++;
    }
  if (ignoreCase) for (let unit = 65; unit <= 90; unit++) ascii[unit] = ascii[unit + 32] ?? 0;
  return { ascii, others, size };
}

function letterOf(unit: number, { ascii, others }: Alphabet): number {
  return unit < 128 ? (ascii[unit] as number) : (others.get(unit) ?? 0);
}

const lower = (unit: number): number => (unit >= 65 && unit <= 90 ? unit + 32 : unit);

interface Trie {
  readonly children: Map<number, number>[];
  readonly ends: (number[] | undefined)[];
  readonly lengths: number[];
  readonly passing: number[];
}

function buildTrie(words: readonly string[], alphabet: Alphabet): Trie {
  const trie: Trie = { children: [new Map()], ends: [undefined], lengths: [0], passing: [0] };
  words.forEach((word, index) => {
    if (word === '') return;
    let state = 0;
    for (let at = 0; at < word.length; at++) {
      const letter = letterOf(word.charCodeAt(at), alphabet);
      let child = trie.children[state]?.get(letter);
      if (child === undefined) {
        child = trie.children.length;
        trie.children[state]?.set(letter, child);
        trie.children.push(new Map());
        trie.ends.push(undefined);
        trie.lengths.push(at + 1);
        trie.passing.push(index);
      }
      state = child;
    }
    trie.ends[state] = [...(trie.ends[state] ?? []), index];
  });
  return trie;
}

/** The trie as a table without dead ends: where no word goes on, the longest beginning that still can. */
function connect({ children, ends, lengths, passing }: Trie, size: number) {
  const next = new Int32Array(children.length * size);
  const fallback = new Int32Array(children.length);
  const outputs: (readonly number[] | undefined)[] = [...ends];
  const queue = [0];
  for (const state of queue) {
    const behind = fallback[state] ?? 0;
    for (let letter = 0; letter < size; letter++) {
      const child = children[state]?.get(letter);
      const other = state === 0 ? 0 : (next[behind * size + letter] ?? 0);
      next[state * size + letter] = child ?? other;
      if (child === undefined) continue;
      fallback[child] = other;
      const inherited = outputs[other];
      if (inherited) outputs[child] = [...(outputs[child] ?? []), ...inherited];
      queue.push(child);
    }
  }
  return { next, outputs, lengths, passing };
}

/** Word and start of each, in the order of their ends. */
type Hits = readonly number[];
