// Lines that are no JSON as they stand: a crash leaves half a line, and the next process writes on behind it.
import { asText, isObject } from '../../lib/json.ts';
import type { RawRecord } from './record.ts';

export interface Salvaged {
  readonly record: RawRecord;
  /** Where it begins in the line, in bytes. */
  readonly offset: number;
  readonly length: number;
}

/** How every record begins, whatever its version. A quote inside a string is escaped, so no string looks like this. */
const BEGINNINGS = /\{"(?:parentUuid|type|uuid|isSidechain|sessionId|logicalParentUuid)":/g;

/** Trying each end for each beginning is quadratic: enough is enough. */
const MAX_BEGINNINGS = 64;
const MAX_TRIED_BYTES = 64 * 1024 * 1024;

/** The whole records in a damaged line: two glued together, or one behind a torn one. */
export function salvage(bytes: Uint8Array, parse: (bytes: Uint8Array) => unknown): readonly Salvaged[] {
  // Latin-1: a character is a byte, so that places in the text are places in the file.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const starts = beginningsIn(text);
  const found: Salvaged[] = [];
  let tried = 0;
  for (let at = 0; at < starts.length; at++) {
    const from = starts[at] ?? 0;
    // The longest piece that is a record: a record may hold others.
    for (let end = starts.length; end > at && tried < MAX_TRIED_BYTES; end--) {
      const length = (end === starts.length ? bytes.length : (starts[end] ?? 0)) - from;
      tried += length;
      const record = parse(bytes.subarray(from, from + length));
      if (!isObject(record) || !isWhole(record)) continue;
      found.push({ record, offset: from, length });
      at = end - 1;
      break;
    }
  }
  return found;
}

function beginningsIn(text: string): readonly number[] {
  const starts: number[] = [];
  for (const { index } of text.matchAll(BEGINNINGS)) {
    starts.push(index);
    if (starts.length === MAX_BEGINNINGS) break;
  }
  return starts;
}

/** A line of its own names its session; blocks, messages and copies inside of one do not. */
function isWhole(record: RawRecord): boolean {
  return asText(record['sessionId']) !== undefined;
}
