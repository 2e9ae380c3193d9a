import { isObject, type JsonObject } from './json.ts';
import type { Line } from './lines.ts';

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
  const none = (code: LineProblem['code']): RecordInLine => ({
    offset,
    length,
    problem: { code, detail: `${length} bytes` },
  });
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
