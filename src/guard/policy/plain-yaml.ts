// The YAML that people write policies in: block and flow collections, each value in one line, plain and quoted texts, comments. The hook
// reads it with this, because the YAML library takes longer to load than the rest of a call. Everything else is left to the library, and
// so is a file in which anything is wrong (read-policy-file.ts). Both read the same (plain-yaml.test.ts).

import type { Alias, Node, Scalar, YAMLMap, YAMLSeq } from 'yaml';

/** How the library marks its nodes: ours have the same marks and the same fields, so that one walk reads both. */
const MARK = Symbol.for('yaml.node.type');
const [MAP, SEQ, SCALAR, ALIAS] = ['map', 'seq', 'scalar', 'alias'].map((name) => Symbol.for(`yaml.${name}`));

type Marked = Readonly<Record<symbol, unknown>> | null | undefined;

export function isMap(node: unknown): node is YAMLMap {
  return (node as Marked)?.[MARK] === MAP;
}

export function isSeq(node: unknown): node is YAMLSeq {
  return (node as Marked)?.[MARK] === SEQ;
}

export function isScalar(node: unknown): node is Scalar {
  return (node as Marked)?.[MARK] === SCALAR;
}

export function isAlias(node: unknown): node is Alias {
  return (node as Marked)?.[MARK] === ALIAS;
}

/** What the walk in fields.ts asks a node of the library for. */
class PlainNode {
  readonly range: readonly [number];

  constructor(offset: number) {
    this.range = [offset];
  }
}

class PlainScalar extends PlainNode {
  readonly value: unknown;

  constructor(value: unknown, offset: number) {
    super(offset);
    this.value = value;
  }
}

interface PlainPair {
  readonly key: PlainScalar;
  readonly value: PlainNode;
}

class PlainMap extends PlainNode {
  readonly items: readonly PlainPair[];

  constructor(items: readonly PlainPair[], offset: number) {
    super(offset);
    this.items = items;
  }

  has(name: string): boolean {
    return this.items.some(({ key }) => key.value === name);
  }
}

class PlainSeq extends PlainNode {
  readonly items: readonly PlainNode[];

  constructor(items: readonly PlainNode[], offset: number) {
    super(offset);
    this.items = items;
  }
}

for (const [{ prototype }, mark] of [
  [PlainScalar, SCALAR],
  [PlainMap, MAP],
  [PlainSeq, SEQ],
] as const)
  Object.defineProperty(prototype, MARK, { value: mark });

/** Undefined: the library has to read it. */
export function readPlainYaml(text: string): Node | undefined {
  if (!PLAIN_TEXT.test(text)) return undefined;
  try {
    return new PlainReader(text).document() as unknown as Node;
  } catch (error) {
    if (error === NOT_PLAIN) return undefined;
    throw error;
  }
}

const NOT_PLAIN = new Error('This is left to the library.');

/** Line ends, and characters that are seen as what they are: letters of the West, dashes, quotation marks. No tab begins here. */
const PLAIN_TEXT = /^[\n\x20-\x7E\u00A1-\u00AC\u00AE-\u024F\u2013-\u201F\u2022\u2026\u2192]*$/;

const MAX_DEPTH = 20;

/** Words that a value may be without quotes. It begins with nothing that means something, and has no `: ` and no ` #` in it. */
const WORD = /[A-Za-z_/.$(~<^=+0-9\u00A1-\u024F](?:[^:#\n]|:(?![ \n]|$)|(?<! )#)*/y;
const FLOW_WORD = /[A-Za-z_/.$(~<^=+0-9\u00A1-\u024F](?:[^:#\n,[\]{}]|:(?![ \n,[\]{}]|$)|(?<! )#)*/y;
const KEY = /[A-Za-z_](?:[\w.-]|:(?! |\n|$))*(?=:(?: |\n|$))/y;
const DOUBLE_QUOTED = /"[^"\\\n]*"/y;
const SINGLE_QUOTED = /'(?:[^'\n]|'')*'/y;

/** Without quotes they are no texts. A whole number is one that every reader takes for the same. */
const NUMBER = /^(?:0|[1-9][0-9]{0,8})$/;
const NO_TEXTS = new Set('~ null Null NULL true True TRUE false False FALSE << ='.split(' '));
const NUMBER_START = '+-.0123456789';
const NO_TEXT =
  /^(?:[-+]?[0-9]+|0o[0-7]*|0x[0-9A-Fa-f]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/;

class PlainReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): PlainNode {
    const indent = this.#nextLine();
    // `---`, `...` and `%` begin with what nothing here begins with.
    if (indent !== 0) throw NOT_PLAIN;
    const node = this.#block(0, 0);
    if (this.#nextLine() !== -1) throw NOT_PLAIN;
    return node;
  }

  /** Over empty lines and comments, to the first character of the next line that has any: its column. -1: there is none. */
  #nextLine(): number {
    while (this.#at < this.#text.length && this.#takeEmptyLine());
    if (this.#at >= this.#text.length) return -1;
    const start = this.#at;
    this.#takeSpaces();
    return this.#at - start;
  }

  /** The column of the next line, which is not left: `#at` is at its beginning again. */
  #peekLine(): number {
    const column = this.#nextLine();
    if (column > 0) this.#at -= column;
    return column;
  }

  /** A collection in lines that begin at this column; `#at` is at its first character. */
  #block(column: number, depth: number): PlainNode {
    if (depth > MAX_DEPTH) throw NOT_PLAIN;
    return this.#isDash() ? this.#blockSeq(column, depth) : this.#blockMap(column, depth);
  }

  #isDash(): boolean {
    return this.#text[this.#at] === '-' && /^[ \n]?$/.test(this.#text[this.#at + 1] ?? '');
  }

  #blockSeq(column: number, depth: number): PlainNode {
    const offset = this.#at;
    const items: PlainNode[] = [];
    do {
      if (!this.#isDash()) throw NOT_PLAIN;
      const dash = this.#at;
      this.#at++;
      if (this.#takeRest()) items.push(this.#below(column + 1, depth));
      else {
        this.#takeSpaces();
        KEY.lastIndex = this.#at;
        items.push(KEY.test(this.#text) ? this.#blockMap(column + this.#at - dash, depth + 1) : this.#lineValue(depth));
      }
    } while (this.#goesOn(column, true));
    return new PlainSeq(items, offset);
  }

  #blockMap(column: number, depth: number): PlainNode {
    const offset = this.#at;
    const items: PlainPair[] = [];
    do {
      const key = this.#key();
      // What belongs to a key may be a list that begins below the key itself.
      const value = !this.#takeRest() ? this.#valueOf(depth) : this.#below(column, depth, column);
      items.push({ key, value });
    } while (this.#goesOn(column, false));
    return new PlainMap(items, offset);
  }

  #valueOf(depth: number): PlainNode {
    this.#takeSpaces();
    return this.#lineValue(depth);
  }

  /** In the lines below: at least at this column, or a list at another. */
  #below(least: number, depth: number, listColumn?: number): PlainNode {
    const column = this.#nextLine();
    const isList = column === listColumn && column !== -1 && this.#isDash();
    if (column === -1 || (column < least + (listColumn === undefined ? 0 : 1) && !isList)) throw NOT_PLAIN;
    // A text in a line of its own is left to the library.
    return this.#block(column, depth + 1);
  }

  /** To the next line if it begins at this column. A line that is further in belongs to the value above: to a text of several lines. */
  #goesOn(column: number, isSeq: boolean): boolean {
    const next = this.#peekLine();
    if (next > column) throw NOT_PLAIN;
    if (next !== column) return false;
    const before = this.#at;
    this.#at += next;
    // Behind a list at the column of its key the next key follows.
    if (isSeq && !this.#isDash()) {
      this.#at = before;
      return false;
    }
    return true;
  }

  /** A value up to the end of the line. */
  #lineValue(depth: number): PlainNode {
    const value = this.#value(WORD, depth);
    if (!this.#takeRest()) throw NOT_PLAIN;
    return value;
  }

  #value(word: RegExp, depth: number): PlainNode {
    if (depth > MAX_DEPTH) throw NOT_PLAIN;
    const offset = this.#at;
    switch (this.#text[offset]) {
      case '[':
        return this.#flow(']', depth, () => this.#value(FLOW_WORD, depth + 1), PlainSeq);
      case '{':
        return this.#flow('}', depth, () => this.#flowPair(depth), PlainMap);
      case '"':
        return new PlainScalar(this.#need(DOUBLE_QUOTED).slice(1, -1), offset);
      case "'":
        return new PlainScalar(this.#need(SINGLE_QUOTED).slice(1, -1).replaceAll("''", "'"), offset);
      default: {
        const written = this.#need(word);
        const value = written.trimEnd();
        // Spaces behind it belong to what follows.
        this.#at -= written.length - value.length;
        return new PlainScalar(meaningOf(value), offset);
      }
    }
  }

  #flow<Item>(
    end: string,
    depth: number,
    read: () => Item,
    Collection: new (items: readonly Item[], offset: number) => PlainNode,
  ): PlainNode {
    if (depth > MAX_DEPTH) throw NOT_PLAIN;
    const offset = this.#at;
    const items: Item[] = [];
    let next = ',';
    while (next === ',') {
      this.#at++;
      this.#takeSpaces();
      items.push(read());
      this.#takeSpaces();
      next = this.#text[this.#at] ?? '';
    }
    if (next !== end) throw NOT_PLAIN;
    this.#at++;
    return new Collection(items, offset);
  }

  #flowPair(depth: number): PlainPair {
    const key = this.#key();
    if (this.#text[this.#at] !== ' ') throw NOT_PLAIN;
    this.#takeSpaces();
    return { key, value: this.#value(FLOW_WORD, depth + 1) };
  }

  /** With its colon. */
  #key(): PlainScalar {
    const offset = this.#at;
    const key = new PlainScalar(this.#need(KEY), offset);
    if (isNoText(String(key.value))) throw NOT_PLAIN;
    this.#at++;
    return key;
  }

  #takeSpaces(): void {
    while (this.#text[this.#at] === ' ') this.#at++;
  }

  /** Behind a value: spaces, a comment, the end of the line. False if there is something else: then nothing is taken. */
  #takeRest(): boolean {
    const start = this.#at;
    this.#takeSpaces();
    const isComment = this.#text[this.#at] === '#' && this.#at > start;
    return this.#takeLineEnd(start, isComment);
  }

  #takeEmptyLine(): boolean {
    const start = this.#at;
    this.#takeSpaces();
    return this.#takeLineEnd(start, this.#text[this.#at] === '#');
  }

  #takeLineEnd(start: number, isComment: boolean): boolean {
    if (isComment) {
      const end = this.#text.indexOf('\n', this.#at);
      this.#at = end === -1 ? this.#text.length : end;
    }
    const isEnd = this.#at >= this.#text.length || this.#text[this.#at] === '\n';
    this.#at = isEnd ? Math.min(this.#at + 1, this.#text.length) : start;
    return isEnd;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #need(pattern: RegExp): string {
    const found = this.#take(pattern);
    if (found === undefined) throw NOT_PLAIN;
    return found;
  }
}

function isNoText(word: string): boolean {
  return NO_TEXTS.has(word) || (NUMBER_START.includes(word.charAt(0)) && NO_TEXT.test(word));
}

function meaningOf(word: string): unknown {
  if (NUMBER_START.includes(word.charAt(0)) && NUMBER.test(word)) return Number(word);
  if (word === 'true' || word === 'false') return word === 'true';
  if (isNoText(word)) throw NOT_PLAIN;
  return word;
}
