// A strict walk over what a file says: each thing that is not as it should be is told with its place, and the walk goes on.

import type { Document, Node, Pair } from 'yaml';
import { suggestWord } from '../../lib/suggest-word.ts';
import { isAlias, isMap, isScalar, isSeq } from './plain-yaml.ts';
import type { Finding, Problems } from './problems.ts';

interface Walk {
  /** Of the library; null where a text is plain enough to be read without it. */
  readonly document: Document | null;
  readonly problems: Problems;
  /** `*name` in the file: each may stand for a long list, so there is an end to them. */
  aliasesLeft: number;
}

export const MAX_ALIASES = 100;

/** Undefined after it told what is wrong. */
export type Reader<T> = (field: Field) => T | undefined;

type Readers<T> = { readonly [K in keyof T]: Reader<T[K]> };

interface Fields<T> {
  readonly values: { readonly [K in keyof T]?: T[K] };
  /** Offset of each key in the file, valid or not. An old name is listed under its new name, too. */
  readonly keys: ReadonlyMap<keyof T | string, number>;
}

/** All of a file. */
export function rootField(document: Document.Parsed, problems: Problems, what: string): Field {
  const node = document.contents ?? document.createNode(null);
  return new Field({ document, problems, aliasesLeft: MAX_ALIASES }, node, what);
}

/** All of a file that is plain (plain-yaml.ts): there are no aliases in it. */
export function plainField(node: Node, problems: Problems, what: string): Field {
  return new Field({ document: null, problems, aliasesLeft: 0 }, node, what);
}

/** A value in the file. */
export class Field {
  readonly walk: Walk;
  /** The value itself, also where an alias of it was written. */
  readonly node: Node;
  /** Its name in a sentence: `tools`. */
  readonly what: string;
  /** Where it was written: of an alias, its own place. */
  readonly offset: number;

  constructor(walk: Walk, node: Node, what: string, offset = offsetOf(node)) {
    this.walk = walk;
    this.node = node;
    this.what = what;
    this.offset = offset;
  }

  wrong(message: string, remedy?: string): undefined {
    this.tell({ code: 'value', message, ...(remedy ? { remedy } : {}) });
  }

  missing(message: string, remedy: string): undefined {
    this.tell({ code: 'missing-key', message, remedy });
  }

  /** Sentences are put together from names of things, which begin small. */
  tell({ offset = this.offset, message, ...finding }: Omit<Finding, 'offset'> & Partial<Finding>): void {
    const sentence = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`;
    this.walk.problems.add({ ...finding, offset, message: sentence });
  }

  /** Reads a value inside of this one, aliases followed. */
  readInner<T>(written: Node, what: string, read: Reader<T>): T | undefined {
    const { walk } = this;
    const inner = new Field(walk, written, what);
    if (!isAlias(written)) return read(inner);
    if (walk.aliasesLeft-- <= 0) {
      const message = `There are more than ${MAX_ALIASES} aliases (\`*name\`) in this file.`;
      return inner.wrong(message, 'Write some of them out.');
    }
    const target = walk.document && written.resolve(walk.document);
    if (target) return read(new Field(walk, target as Node, what, inner.offset));
    const message = `There is no anchor \`&${written.source}\` above.`;
    return inner.wrong(message, 'Put quotes around a text that begins with `*`.');
  }

  /** `renamed`: old names of keys that still work, with a warning. */
  readFields<T>(readers: Readers<T>, renamed: Readonly<Record<string, keyof T & string>> = {}): Fields<T> | undefined {
    const { node: map, what } = this;
    if (!isMap(map)) return this.wrong(`${what} must be \`key: value\` lines, not ${nameOf(map)}.`);
    const values: { [K in keyof T]?: T[K] } = {};
    const keys = new Map<keyof T | string, number>();
    for (const pair of map.items as readonly Pair<Node, Node | null>[]) {
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      const offset = offsetOf(pair.key);
      if (keys.has(key))
        this.tell({ code: 'duplicate', offset, message: `\`${key}\` is there twice.`, remedy: 'Remove one.' });
      else if (Object.hasOwn(readers, key)) this.#readField(pair, key as keyof T & string, readers, values);
      else if (Object.hasOwn(renamed, key)) {
        const name = renamed[key] as keyof T & string;
        if (map.has(name)) {
          const message = `\`${key}\` is the old name of \`${name}\`; only one of them can be used.`;
          this.tell({ code: 'conflict', offset, message, remedy: `Remove \`${key}\`.` });
        } else {
          const message = `\`${key}\` is now \`${name}\`; the old name works until 0.3.`;
          this.tell({ severity: 'warning', code: 'deprecated', offset, message });
          this.#readField(pair, name, readers, values);
          keys.set(name, offset);
        }
      } else this.#tellUnknown(offset, key, Object.keys(readers));
      keys.set(key, offset);
    }
    return { values, keys };
  }

  #readField<T, K extends keyof T & string>(
    { key: name, value: node }: Pair<Node, Node | null>,
    key: K,
    readers: Readers<T>,
    values: { [P in keyof T]?: T[P] },
  ): void {
    if (node === null || (isScalar(node) && node.value === null && !node.source)) {
      const remedy = `Say something behind \`${key}:\`, or remove it.`;
      this.tell({ code: 'value', offset: offsetOf(name), message: `\`${key}\` has no value.`, remedy });
      return;
    }
    const value = this.readInner(node, `\`${key}\``, readers[key]);
    if (value !== undefined) values[key] = value;
  }

  #tellUnknown(offset: number, key: string, known: readonly string[]): void {
    const meant = suggestWord(key, known);
    this.tell({
      code: 'unknown-key',
      offset,
      message: `${this.what} has no \`${key.slice(0, 60)}\`${meant ? `; did you mean \`${meant}\`?` : '.'}`,
      ...(meant ? {} : { remedy: `It may have ${listOf(known)}.` }),
    });
  }
}

/** One, or a list of them; not an empty one. */
export function listOrOne<T>(read: Reader<T>): Reader<readonly T[]> {
  return (field) => {
    const { walk, node: list, what } = field;
    if (!isSeq(list)) {
      const one = read(new Field(walk, list, what));
      return one === undefined ? undefined : [one];
    }
    return list.items.length > 0
      ? (list.items as readonly Node[]).flatMap((item) => field.readInner(item, `an entry of ${what}`, read) ?? [])
      : field.wrong(`${what} is an empty list.`, 'Name something in it, or remove it.');
  };
}

/** A list of things that have a name (`rule`), each read with its number from 1 on. */
export function listOfEach<T>(name: string, read: (field: Field, number: number) => T | undefined): Reader<T[]> {
  return (field) => {
    const { node: list, what } = field;
    if (!isSeq(list))
      return field.wrong(`${what} must be a list, not ${nameOf(list)}.`, `Begin each ${name} with \`- \`.`);
    return (list.items as readonly Node[]).flatMap(
      (item, index) => field.readInner(item, `a ${name}`, (entry) => read(entry, index + 1)) ?? [],
    );
  };
}

/** A text that is not empty; `check` gives the value, or what is wrong with it. */
export function textOf<T>(check: (text: string) => T | Wrong): Reader<T> {
  return (field) => {
    const { node: scalar, what } = field;
    if (!isScalar(scalar) || typeof scalar.value !== 'string') {
      const remedy = isScalar(scalar) ? 'Put quotes around it.' : undefined;
      return field.wrong(`${what} must be a text, not ${nameOf(scalar)}.`, remedy);
    }
    const value = scalar.value.trim() === '' ? { wrong: 'is empty.' } : check(scalar.value);
    return isWrong(value) ? field.wrong(`${what} ${value.wrong}`, value.remedy) : value;
  };
}

/** What is wrong with a value: the rest of a sentence that begins with its name. */
interface Wrong {
  readonly wrong: string;
  readonly remedy?: string;
}

function isWrong(value: unknown): value is Wrong {
  return typeof value === 'object' && value !== null && 'wrong' in value;
}

export function oneOf<T extends string>(words: readonly T[]): Reader<T> {
  return textOf<T>((text) => {
    const word = words.find((one) => one === text);
    if (word !== undefined) return word;
    const meant = suggestWord(text, words);
    const hint = meant ? `did you mean \`${meant}\`?` : `it may be ${listOf(words)}.`;
    return { wrong: `is \`${text.slice(0, 60)}\`; ${hint}` };
  });
}

export const flag: Reader<boolean> = (field) => {
  const { node: scalar, what } = field;
  if (isScalar(scalar) && typeof scalar.value === 'boolean') return scalar.value;
  return field.wrong(`${what} must be \`true\` or \`false\`, not ${nameOf(scalar)}.`);
};

function offsetOf(node: Node | null | undefined): number {
  return node?.range?.[0] ?? 0;
}

export function nameOf(node: Node): string {
  if (isMap(node)) return '`key: value` lines';
  if (isSeq(node)) return 'a list';
  const value = isScalar(node) ? node.value : undefined;
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'boolean' ? `\`${value}\`` : 'a number';
}

function listOf(words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``);
  return quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}` : quoted.join('');
}
