import { isObject, type JsonObject } from './json.ts';
import type { Line } from './lines.ts';

/** The record in a line of JSON, or why there is none. */
export interface RecordInLine {
  readonly record?: JsonObject;
  readonly problem?: {
    readonly code: 'line-too-long' | 'torn-line' | 'nul-bytes' | 'invalid-json' | 'not-a-record';
    readonly detail: string;
  };
}

/**
 * A line without its end is a problem and no record: a reader that counts reads each line once, when it is there whole.
 * `parse` decides whether bodies come along.
 */
export function recordInLine(line: Line, parse: (bytes: Uint8Array) => unknown): RecordInLine {
  const none = (code: NonNullable<RecordInLine['problem']>['code']): RecordInLine => ({
    problem: { code, detail: `${line.length} bytes` },
  });
  if (line.tooLong) return none('line-too-long');
  if (line.torn) return none('torn-line');
  if (line.bytes.every(isPadding)) return line.bytes.includes(0) ? none('nul-bytes') : {};
  const value = parse(line.bytes);
  if (value === undefined) return none('invalid-json');
  return isObject(value) ? { record: value } : none('not-a-record');
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
