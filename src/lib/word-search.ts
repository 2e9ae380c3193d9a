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
  const { letters, size } = createAlphabet(words, ignoreCase);
  const { rows, outputs, lengths, passing } = connect(buildTrie(words, letters), size);
  const wordLengths = words.map((word) => word.length);
  return {
    search: (text) => {
      const { length } = text;
      const units = codeUnitsOf(text);
      let hits: number[] | undefined;
      let row = 0;
      for (let at = 0; at < length; at++) {
        row = rows[row + (letters[units[at] as number] as number)] as number;
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
  /** The letter of each code unit; 0 for all that stand in no word. */
  readonly letters: Uint16Array;
  readonly size: number;
}

function createAlphabet(words: readonly string[], ignoreCase: boolean): Alphabet {
  const letters = new Uint16Array(65_536);
  let size = 1;
  for (const word of words)
    for (let at = 0; at < word.length; at++) {
      const unit = ignoreCase ? lower(word.charCodeAt(at)) : word.charCodeAt(at);
      if (letters[unit] === 0) letters[unit] = size++;
    }
  if (ignoreCase) for (let unit = 65; unit <= 90; unit++) letters[unit] = letters[unit + 32] as number;
  return { letters, size };
}

const lower = (unit: number): number => (unit >= 65 && unit <= 90 ? unit + 32 : unit);

/** A state for each beginning of a word. Of a state: its last child, the sibling before it, and the letter that leads to it. */
interface Trie {
  readonly lastChild: number[];
  readonly sibling: number[];
  readonly letter: number[];
  readonly ends: (readonly number[] | undefined)[];
  readonly lengths: number[];
  readonly passing: number[];
}

function buildTrie(words: readonly string[], letters: Uint16Array): Trie {
  const trie: Trie = { lastChild: [0], sibling: [0], letter: [0], ends: [undefined], lengths: [0], passing: [0] };
  const { lastChild, sibling, letter: letterOf } = trie;
  words.forEach((word, index) => {
    if (word === '') return;
    let state = 0;
    for (let at = 0; at < word.length; at++) {
      const letter = letters[word.charCodeAt(at)] as number;
      let child = lastChild[state] as number;
      while (child !== 0 && letterOf[child] !== letter) child = sibling[child] as number;
      if (child === 0) {
        child = letterOf.length;
        letterOf.push(letter);
        sibling.push(lastChild[state] as number);
        lastChild[state] = child;
        lastChild.push(0);
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

/**
 * The trie as a table without dead ends: where no word goes on, the longest beginning that still can. Rows are told by where
 * they begin, and those where a word ends by their sign: one look a character.
 */
function connect({ lastChild, sibling, letter, ends, lengths, passing }: Trie, size: number) {
  const count = letter.length;
  const rows = new Int32Array(count * size);
  const fallback = new Int32Array(count);
  const outputs = [...ends];
  const queue = new Int32Array(count);
  for (let first = 0, last = 1; first < last; first++) {
    const state = queue[first] as number;
    const row = state * size;
    const behind = (fallback[state] as number) * size;
    if (state !== 0) rows.copyWithin(row, behind, behind + size);
    for (let child = lastChild[state] as number; child !== 0; child = sibling[child] as number) {
      const place = row + (letter[child] as number);
      const other = rows[place] as number;
      const fallsTo = state === 0 ? 0 : (other < 0 ? ~other : other) / size;
      fallback[child] = fallsTo;
      const inherited = outputs[fallsTo];
      if (inherited) outputs[child] = [...(outputs[child] ?? []), ...inherited];
      rows[place] = outputs[child] ? ~(child * size) : child * size;
      queue[last++] = child;
    }
  }
  return { rows, outputs, lengths, passing };
}

/** Word and start of each, in the order of their ends. */
type Hits = readonly number[];
