import { joinBytes, type Line } from './lines.ts';

/**
 * Tolerant access to JSON that somebody else wrote. The hosts change their formats from one version to the next,
 * so a missing or mistyped field is `undefined`, never an exception.
 */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** A string with something in it. The hosts write empty strings where they mean "not known". */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A count or an amount: a finite number, not below zero. */
export function asAmount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function asFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Epoch milliseconds of an ISO 8601 text. */
export function asInstant(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * The same value, cut where it is nested deeper than anything of use: `JSON.parse` takes a hundred thousand brackets,
 * and nearly everything behind it, `JSON.stringify` first, runs out of stack.
 */
export function withinDepth(value: unknown, levels = 100): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  const entries = Object.entries(value);
  let isSame = true;
  const within = entries.map(([key, one]): [string, unknown] => {
    const kept = withinDepth(one, levels - 1);
    isSame &&= kept === one;
    return [key, kept];
  });
  if (isSame) return value;
  return Array.isArray(value) ? within.map(([, one]) => one) : Object.fromEntries(within);
}

/** By hand, not by recursion: it asks because recursion may not end. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  const open: { readonly value: unknown; readonly level: number }[] = [{ value, level: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.level >= levels) return true;
    for (const one of Object.values(next.value)) open.push({ value: one, level: next.level + 1 });
  }
  return false;
}

/** The fields that have a value. `exactOptionalPropertyTypes` tells "left out" from "undefined", and so do we. */
export function known<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const result: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) result[key] = value as Exclude<T[typeof key], undefined>;
  }
  return result;
}

/** Nothing where it is no JSON. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function parseObject(text: unknown): JsonObject | undefined {
  return asObject(parseJson(text));
}

/**
 * The beginning of a JSON text, made whole: what was cut is left out, strings end where the text does. For readers that
 * fetch the first bytes of a long record. Whoever parses it must still expect that it is no JSON.
 */
export function closeJson(beginning: string): string {
  const closers: string[] = [];
  let inString = false;
  /** Behind the last member of an object or array that is whole. */
  let whole = 0;
  let isKey = false;
  for (let at = 0; at < beginning.length; at++) {
    const char = beginning[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
      continue;
    }
    if (char === '"') inString = true;
    else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      isKey = char === '{';
      whole = at + 1;
    } else if (char === '}' || char === ']') {
      closers.pop();
      isKey = false;
      whole = at + 1;
    } else if (char === ':') isKey = false;
    else if (char === ',') {
      whole = at;
      isKey = closers.at(-1) === '}';
    }
  }
  const closing = closers.reverse().join('');
  if (closing === '') return beginning;
  if (!inString || isKey) return beginning.slice(0, whole) + closing;
  return `${withoutHalfEscape(beginning)}"${closing}`;
}

/** `\` or `\u12` at the end. */
function withoutHalfEscape(text: string): string {
  const [half = ''] = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(text) ?? [];
  if (half === '') return text;
  // An even number of backslashes is so many whole ones.
  const before = /\\*$/.exec(text.slice(0, -half.length))?.[0].length ?? 0;
  return before % 2 === 0 ? text.slice(0, -half.length) : text;
}

/** The record in a line of JSON, or why there is none. */
export interface RecordInLine {
  readonly record?: JsonObject;
  /** Where the record stands. */
  readonly offset: number;
  readonly length: number;
  readonly problem?: LineProblem;
}

export interface LineProblem {
  readonly code: 'line-too-long' | 'torn-line' | 'nul-bytes' | 'invalid-json' | 'not-a-record' | 'glued-lines';
  readonly detail: string;
}

/**
 * A line without its end is a problem and no record: a reader that counts reads each line once, when it is there whole.
 * `parse` decides whether bodies come along. `beginnings`: how records begin, to save one that was written behind half
 * of another.
 */
export function recordInLine(
  line: Line,
  parse: (bytes: Uint8Array) => unknown,
  beginnings: readonly string[] = [],
): RecordInLine {
  const { offset, length } = line;
  const none = (code: LineProblem['code']) => ({ offset, length, problem: { code, detail: `${length} bytes` } });
  if (line.tooLong) return none('line-too-long');
  if (line.torn) return none('torn-line');
  if (line.bytes.every(isPadding)) return line.bytes.includes(0) ? none('nul-bytes') : { offset, length };
  const value = parse(line.bytes);
  if (value === undefined) return behindTornOne(line, parse, beginnings) ?? none('invalid-json');
  return isObject(value) ? { record: value, offset, length } : none('not-a-record');
}

/** A crash leaves half a line, and the next process writes on behind it. What is inside of a record is no record by itself. */
function behindTornOne(
  line: Line,
  parse: (bytes: Uint8Array) => unknown,
  beginnings: readonly string[],
): RecordInLine | undefined {
  const text = new TextDecoder('latin1').decode(line.bytes);
  for (const beginning of beginnings)
    for (let at = text.indexOf(beginning, 1); at !== -1; at = text.indexOf(beginning, at + 1)) {
      const record = parse(line.bytes.subarray(at));
      if (!isObject(record)) continue;
      const problem = { code: 'glued-lines', detail: '1 saved' } as const;
      return { record, offset: line.offset + at, length: line.length - at, problem };
    }
  return undefined;
}

function isPadding(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 13 || byte === 0;
}

/** `undefined` where the bytes are no JSON. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  try {
    // The decoder takes a byte order mark off.
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Where an element of an array stands, in bytes. */
export interface ElementPlace {
  readonly offset: number;
  readonly length: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = new Set([91, 123]);
const CLOSE = new Set([93, 125]);
const COMMA = 44;
const COLON = 58;

/**
 * The places of the elements of an array that is a field of a JSON text's own object. The text is known to be JSON: of
 * anything else nothing is promised.
 */
export function placesOfElements(json: Uint8Array, field: string): readonly ElementPlace[] {
  const places: ElementPlace[] = [];
  const name = new TextEncoder().encode(field);
  let depth = 0;
  /** The last string of the object itself is the field's name when its colon comes. */
  let isNamed = false;
  let isInside = false;
  let from = -1;
  let to = -1;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    if (byte <= 32) continue;
    const isElementLevel = isInside && depth === 2;
    if (isElementLevel && (byte === 93 || byte === COMMA)) {
      if (from !== -1) places.push({ offset: from, length: to - from });
      from = -1;
      if (byte === 93) return places;
      continue;
    }
    if (isElementLevel && from === -1) from = at;
    if (byte === QUOTE) {
      const close = endOfJsonString(json, at);
      if (close === -1) return places;
      if (depth === 1) isNamed = isSame(json.subarray(at + 1, close), name);
      at = close;
    } else if (OPEN.has(byte)) {
      depth++;
      if (depth === 2 && byte === 91 && isNamed) isInside = true;
    } else if (CLOSE.has(byte)) depth--;
    if (depth === 1 && byte !== QUOTE && byte !== COLON) isNamed = false;
    to = at + 1;
  }
  return places;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Whether two plain values (no maps, no dates) say the same. Fields that are left out and those that are undefined agree. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; at++) if (!isEqual(a[at], b[at])) return false;
    return true;
  }
  const [one, other] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  for (const key in one) if (!isEqual(one[key], other[key])) return false;
  for (const key in other) if (one[key] === undefined && other[key] !== undefined) return false;
  return true;
}

export interface Shortening {
  /** Strings of up to this many bytes stay whole. */
  readonly longerThan: number;
  /** Of longer ones, this many bytes of the beginning and of the end are kept. */
  readonly head: number;
  readonly tail: number;
  /** Strings that stay whole, however long: asked with the place of the opening quote. */
  readonly keepWhole?: (json: Uint8Array, open: number) => boolean;
}

/**
 * The same JSON text with its long strings cut in the middle, for readers that want the facts of a line and not the
 * bodies in it: nine tenths of a transcript's bytes are a few long strings. Valid JSON stays valid; of anything else
 * nothing is promised. Equal strings are cut to equal ones.
 */
export function shortenStrings(json: Uint8Array, { longerThan, head, tail, keepWhole }: Shortening): Uint8Array {
  const pieces: Uint8Array[] = [];
  let copied = 0;
  for (let open = json.indexOf(QUOTE); open !== -1; ) {
    const close = endOfJsonString(json, open);
    if (close === -1) break;
    if (close - open > longerThan && !keepWhole?.(json, open)) {
      const from = safeCut(json, open + 1 + head, -1);
      const to = safeCut(json, close - tail, 1);
      if (open < from && from < to && to <= close) {
        pieces.push(json.subarray(copied, from));
        copied = to;
      }
    }
    open = json.indexOf(QUOTE, close + 1);
  }
  if (pieces.length === 0) return json;
  return joinBytes([...pieces, json.subarray(copied)]);
}

function endOfJsonString(json: Uint8Array, open: number): number {
  let close = json.indexOf(QUOTE, open + 1);
  while (close !== -1 && isEscaped(json, close)) close = json.indexOf(QUOTE, close + 1);
  return close;
}

function isEscaped(json: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** How far around a cut no backslash may stand: the longest escape is two halves of a surrogate pair. */
const ESCAPE_BYTES = 12;
const SEARCH_BYTES = 256;

/** The nearest place, going in `step`'s direction, that splits no character and no escape; -1 where there is none. */
function safeCut(json: Uint8Array, from: number, step: 1 | -1): number {
  for (let at = from; Math.abs(at - from) < SEARCH_BYTES; at += step)
    if (((json[at] ?? 0) & 0xc0) !== 0x80 && isClear(json, at)) return at;
  return -1;
}

function isClear(json: Uint8Array, at: number): boolean {
  for (let near = at - ESCAPE_BYTES; near <= at; near++) if (json[near] === BACKSLASH) return false;
  return true;
}
