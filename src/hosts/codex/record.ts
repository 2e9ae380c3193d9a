// One line of a rollout as JSON, in one shape for all versions. Versions seen: 0.29.0 to 0.166.0.

import {
  asAmount,
  asInstant,
  asObject,
  asText,
  isObject,
  type JsonObject,
  known,
  parseJsonBytes,
  recordInLine,
  shortenStrings,
} from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';

export interface RolloutRecord {
  readonly type: string;
  readonly payload: JsonObject;
  readonly at?: number;
  /** Counts the lines of a thread (0.15x and later). */
  readonly ordinal?: number;
  /** Of a version that puts nothing around its items. */
  readonly isBare?: true;
  readonly offset: number;
  readonly length: number;
}

/** `parse` decides whether bodies come along. Each line is read once, when it has its end: readers count turns and tokens. */
export function recordsIn(line: Line, parse: (bytes: Uint8Array) => unknown) {
  const { record, offset, length, problem } = recordInLine(line, parse, ['{"timestamp":"']);
  return { records: record ? [toRecord(record, offset, length)] : [], problem };
}

/**
 * Up to about 0.35 the items of the conversation stand there bare, without a time, behind a first line that is the
 * header itself; `record_type` marks lines of the program's own.
 */
function toRecord(value: JsonObject, offset: number, length: number): RolloutRecord {
  const numbers = known({ at: asInstant(value['timestamp']), ordinal: asAmount(value['ordinal']) });
  const place = { offset, length, ...numbers };
  const payload = asObject(value['payload']);
  const type = asText(value['type']);
  if (payload && type !== undefined) return { type, payload, ...place };
  if (asText(value['record_type']) !== undefined) return { type: 'record_type', payload: value, ...place };
  const bare = { payload: value, isBare: true, ...place } as const;
  if (type === undefined && asText(value['id']) !== undefined && 'instructions' in value)
    return { type: 'session_meta', ...bare };
  return { type: type !== undefined && BARE_ITEMS.has(type) ? 'response_item' : (type ?? 'no type'), ...bare };
}

const BARE_ITEMS = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'local_shell_call',
  'custom_tool_call',
  'custom_tool_call_output',
]);

/** Facts stand in short strings. What a call was given is JSON inside a string, and cut in the middle it is none. */
const BODIES_CUT = { longerThan: 4096, head: 2048, tail: 1024, keepWhole: isArguments };
const ARGUMENTS = Buffer.from('"arguments":');

function isArguments(json: Uint8Array, open: number): boolean {
  return open >= ARGUMENTS.length && ARGUMENTS.equals(json.subarray(open - ARGUMENTS.length, open));
}

/** As `parseJsonBytes`, without most of the bodies. */
export function parseLine(bytes: Uint8Array): unknown {
  return parseJsonBytes(bytes.length > BODIES_CUT.longerThan ? shortenStrings(bytes, BODIES_CUT) : bytes);
}

/** All text of a message or of an output: a plain string, or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return asText(asObject(content)?.['content']) ?? '';
  return content
    .filter(isObject)
    .flatMap(({ text }) => asText(text) ?? [])
    .join('\n');
}
