// A strict walk over what a file says: each thing that is not as it should be is told with its place, and the walk goes on.

import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { type Finding, type Problems, suggestWord } from './problems.ts';

export interface Walk {
  readonly document: Document;
  readonly problems: Problems;
  /** `*name` in the file: each may stand for a long list, so there is an end to them. */
  aliasesLeft: number;
}

export const MAX_ALIASES = 100;

/** Undefined after it told what is wrong. `what` names it in a sentence: `tools`. */
export type Reader<T> = (walk: Walk, node: Node, what: string) => T | undefined;

type Readers<T> = { readonly [K in keyof T]: Reader<T[K]> };

export interface Fields<T> {
  readonly values: { readonly [K in keyof T]?: T[K] };
  /** Offset of each key in the file, valid or not. An old name is listed under its new name, too. */
  readonly keys: ReadonlyMap<keyof T | string, number>;
}

/** `renamed`: old names of keys that still work, with a warning. */
export function readFields<T>(
  walk: Walk,
  node: Node,
  what: string,
  readers: Readers<T>,
  renamed: Readonly<Record<string, keyof T & string>> = {},
): Fields<T> | undefined {
  const map = resolveAlias(walk, node);
  if (!map) return undefined;
  if (!isMap(map)) return wrong(walk, node, `${what} must be \`key: value\` lines, not ${nameOf(map)}.`);
  const values: { [K in keyof T]?: T[K] } = {};
  const keys = new Map<keyof T | string, number>();
  for (const pair of map.items as readonly Pair<Node, Node | null>[]) {
    const key = isScalar(pair.key) ? String(pair.key.value) : '';
    const offset = offsetOf(pair.key);
    if (keys.has(key))
      tell(walk, { code: 'duplicate', offset, message: `\`${key}\` is there twice.`, remedy: 'Remove one.' });
    else if (Object.hasOwn(readers, key)) readField(walk, pair, key as keyof T & string, { readers, values });
    else if (Object.hasOwn(renamed, key)) {
      const name = renamed[key] as keyof T & string;
      if (map.has(name)) reportBothNames(walk, offset, key, name);
      else {
        warnOfOldName(walk, offset, key, name);
        readField(walk, pair, name, { readers, values });
        keys.set(name, offset);
      }
    } else tellUnknown(walk, offset, key, what, Object.keys(readers));
    keys.set(key, offset);
  }
  return { values, keys };
}

function readField<T, K extends keyof T & string>(
  walk: Walk,
  pair: Pair<Node, Node | null>,
  key: K,
  { readers, values }: { readonly readers: Readers<T>; readonly values: { [P in keyof T]?: T[P] } },
): void {
  const { value: node } = pair;
  if (node === null || (isScalar(node) && node.value === null && !node.source)) {
    const remedy = `Say something behind \`${key}:\`, or remove it.`;
    tell(walk, { code: 'value', offset: offsetOf(pair.key), message: `\`${key}\` has no value.`, remedy });
    return;
  }
  const value = readers[key](walk, node, `\`${key}\``);
  if (value !== undefined) values[key] = value;
}

function warnOfOldName(walk: Walk, offset: number, old: string, name: string): void {
  const message = `\`${old}\` is now \`${name}\`; the old name works until 0.3.`;
  tell(walk, { severity: 'warning', code: 'deprecated', offset, message });
}

function reportBothNames(walk: Walk, offset: number, old: string, name: string): void {
  const message = `\`${old}\` is the old name of \`${name}\`; only one of them can be used.`;
  tell(walk, { code: 'conflict', offset, message, remedy: `Remove \`${old}\`.` });
}

function tellUnknown(walk: Walk, offset: number, key: string, what: string, known: readonly string[]): void {
  const meant = suggestWord(key, known);
  tell(walk, {
    code: 'unknown-key',
    offset,
    message: `${what} has no \`${key.slice(0, 60)}\`${meant ? `; did you mean \`${meant}\`?` : '.'}`,
    ...(meant ? {} : { remedy: `It may have ${listOf(known)}.` }),
  });
}

/** One, or a list of them; not an empty one. */
export function listOrOne<T>(read: Reader<T>): Reader<readonly T[]> {
  return (walk, node, what) => {
    const list = resolveAlias(walk, node);
    if (!list) return undefined;
    if (!isSeq(list)) {
      const one = read(walk, list, what);
      return one === undefined ? undefined : [one];
    }
    return list.items.length > 0
      ? (list.items as readonly Node[]).flatMap((item) => read(walk, item, `an entry of ${what}`) ?? [])
      : wrong(walk, node, `${what} is an empty list.`, 'Name something in it, or remove it.');
  };
}

/** A text that is not empty; `check` gives the value, or what is wrong with it. */
export function textOf<T>(check: (text: string) => T | Wrong): Reader<T> {
  return (walk, node, what) => {
    const scalar = resolveAlias(walk, node);
    if (!scalar) return undefined;
    if (!isScalar(scalar) || typeof scalar.value !== 'string') {
      const remedy = isScalar(scalar) ? 'Put quotes around it.' : undefined;
      return wrong(walk, node, `${what} must be a text, not ${nameOf(scalar)}.`, remedy);
    }
    const value = scalar.value.trim() === '' ? { wrong: 'is empty.' } : check(scalar.value);
    return isWrong(value) ? wrong(walk, node, `${what} ${value.wrong}`, value.remedy) : value;
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

export const flag: Reader<boolean> = (walk, node, what) => {
  const scalar = resolveAlias(walk, node);
  if (!scalar) return undefined;
  if (isScalar(scalar) && typeof scalar.value === 'boolean') return scalar.value;
  return wrong(walk, node, `${what} must be \`true\` or \`false\`, not ${nameOf(scalar)}.`);
};

/** The thing itself where a name of it stands. */
export function resolveAlias(walk: Walk, node: Node): Node | undefined {
  if (!isAlias(node)) return node;
  if (walk.aliasesLeft-- <= 0)
    return wrong(
      walk,
      node,
      `There are more than ${MAX_ALIASES} aliases (\`*name\`) in this file.`,
      'Write some of them out.',
    );
  const target = node.resolve(walk.document);
  if (target) return target as Node;
  return wrong(
    walk,
    node,
    `There is no anchor \`&${node.source}\` above.`,
    'Put quotes around a text that begins with `*`.',
  );
}

export function wrong(walk: Walk, node: Node, message: string, remedy?: string): undefined {
  tell(walk, { code: 'value', offset: offsetOf(node), message, ...(remedy ? { remedy } : {}) });
  return undefined;
}

/** Sentences are put together from names of things, which begin small. */
export function tell(walk: Walk, finding: Finding): void {
  const { message } = finding;
  walk.problems.add({ ...finding, message: `${message.slice(0, 1).toUpperCase()}${message.slice(1)}` });
}

export function offsetOf(node: Node | null | undefined): number {
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

export function listOf(words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``);
  return quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}` : quoted.join('');
}
