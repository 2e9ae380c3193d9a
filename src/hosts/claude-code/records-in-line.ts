// From the bytes of a line to the records in it: one, as a rule; none, or several, where something went wrong.

import type { Diagnostic } from '../../core/index.ts';
import { isObject } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import { isHeavy } from './record.ts';
import { type Salvaged, salvage } from './salvage.ts';

export interface RecordsInLine {
  /** With their places in the line. */
  readonly records: readonly Salvaged[];
  readonly problem?: Pick<Diagnostic, 'code' | 'detail'>;
}

const SLASH = 47;
const HASH = 35;

/** `parse` decides whether bodies come along. */
export function recordsIn(line: Line, parse: (bytes: Uint8Array) => unknown): RecordsInLine {
  const size = `${line.length} bytes`;
  const only = (code: Diagnostic['code']): RecordsInLine => ({ records: [], problem: { code, detail: size } });
  if (line.tooLong) return only('line-too-long');
  const bytes = trimmed(line.bytes);
  if (isHeavy(bytes)) return { records: [] };
  if (bytes.length === 0) return line.bytes.includes(0) ? only('nul-bytes') : { records: [] };
  const record = parse(bytes);
  if (isObject(record)) return { records: [{ record, offset: 0, length: line.length }] };
  if (record !== undefined) return only('not-a-record');
  if (bytes[0] === SLASH || bytes[0] === HASH) return only('comment-line');
  const records = salvage(line.bytes, parse);
  if (records.length === 0) return only(line.torn ? 'torn-line' : 'invalid-json');
  return { records, problem: { code: 'glued-lines', detail: `${records.length} saved` } };
}

/** Without what editors, copies and crashes put around a line: a byte order mark, blanks, carriage returns, zeroes. */
function trimmed(bytes: Uint8Array): Uint8Array {
  let from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let to = bytes.length;
  while (from < to && isPadding(bytes[from])) from++;
  while (to > from && isPadding(bytes[to - 1])) to--;
  return from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to);
}

function isPadding(byte: number | undefined): boolean {
  return byte === 32 || byte === 9 || byte === 13 || byte === 0;
}
