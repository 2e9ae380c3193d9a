// One line of `events.jsonl` as JSON. Versions seen: 1.0.12 to 1.0.102.

import type { Diagnostic } from '../../core/index.ts';
import { asInstant, asObject, asText, isObject, type JsonObject, shortenStrings } from '../../lib/json.ts';
import { createLineSplitter, type Line } from '../../lib/lines.ts';

export interface EventRecord {
  readonly type: string;
  readonly data: JsonObject;
  /** The event's own id. */
  readonly id?: string;
  readonly at?: number;
  /** The sub-agent that it is about; left out: the main agent. */
  readonly agentId?: string;
  readonly offset: number;
  readonly length: number;
}

export interface RecordsInLine {
  readonly records: readonly EventRecord[];
  readonly problem?: Pick<Diagnostic, 'code' | 'detail'>;
}

/** `parse` decides whether bodies come along. */
export function recordsIn(line: Line, parse: (bytes: Uint8Array) => unknown): RecordsInLine {
  const only = (code: Diagnostic['code']): RecordsInLine => ({
    records: [],
    problem: { code, detail: `${line.length} bytes` },
  });
  if (line.tooLong) return only('line-too-long');
  // Readers remember what they have seen, so each line is read once: when it is there with its end.
  if (line.torn) return only('torn-line');
  if (isHeavy(line.bytes)) return { records: [] };
  if (line.bytes.every(isPadding)) return line.bytes.includes(0) ? only('nul-bytes') : { records: [] };
  const value = parse(line.bytes);
  if (value === undefined) return behindTornOne(line, parse) ?? only('invalid-json');
  if (!isObject(value)) return only('not-a-record');
  return { records: [toRecord(value, line.offset, line.length)] };
}

/** What hooks were handed and what the vendor tells its model: half of all bytes, and nothing that is not said elsewhere. */
const HEAVY = ['{"type":"hook.', '{"type":"model.', '{"type":"system.message"'].map((text) => Buffer.from(text));

function isHeavy(bytes: Uint8Array): boolean {
  // A line of zeroes or half a line must not pass for one: the end has to be there, too.
  const isWhole = bytes.at(-1) === 125;
  return isWhole && HEAVY.some((start) => start.equals(bytes.subarray(0, start.length)) && endsLikeOne(bytes));
}

/** The envelope stands behind the data: `…,"id":"…","timestamp":"…","parentId":…}`, in one order or another. */
function endsLikeOne(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(-250)).includes('"timestamp":"');
}

/** A crash leaves half a line, and the next process writes on behind it: its first record begins like all others do. */
function behindTornOne(line: Line, parse: (bytes: Uint8Array) => unknown): RecordsInLine | undefined {
  const bytes = Buffer.from(line.bytes.buffer, line.bytes.byteOffset, line.bytes.byteLength);
  // The quotes of a text that holds such a beginning are escaped; a call or a kind inside of an event begins like it, too.
  for (let at = bytes.lastIndexOf('{"type":"'); at > 0; at = bytes.lastIndexOf('{"type":"', at - 1)) {
    const value = parse(line.bytes.subarray(at));
    if (!isObject(value) || !isObject(value['data'])) continue;
    const record = toRecord(value, line.offset + at, line.length - at);
    return { records: [record], problem: { code: 'glued-lines', detail: '1 saved' } };
  }
  return undefined;
}

function isPadding(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 13 || byte === 0;
}

function toRecord(value: JsonObject, offset: number, length: number): EventRecord {
  const at = asInstant(value['timestamp']);
  const id = asText(value['id']);
  const agentId = asText(value['agentId']);
  return {
    type: asText(value['type']) ?? 'no type',
    data: asObject(value['data']) ?? {},
    offset,
    length,
    ...(at !== undefined && { at }),
    ...(id !== undefined && { id }),
    ...(agentId !== undefined && { agentId }),
  };
}

const BODIES_CUT = { longerThan: 4096, head: 2048, tail: 1024 };

/** Facts stand in short strings: long ones are cut in the middle. `undefined` where the bytes are no JSON. */
export function parseLine(bytes: Uint8Array): unknown {
  return parseWhole(bytes.length > BODIES_CUT.longerThan ? shortenStrings(bytes, BODIES_CUT) : bytes);
}

/** The same with all bodies. */
export function parseWhole(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** The first event is longer than the head that is looked at: it shows by its beginning. */
const LONG_FIRST = /^\{"type":"(?:session|user|assistant|hook|system|tool)\.[\w.]+","data":\{/;

export function sniffEvents(head: Uint8Array): boolean {
  const splitter = createLineSplitter();
  for (const line of splitter.push(head)) if (isEvent(parseLine(line.bytes))) return true;
  const rest = splitter.rest();
  return rest !== undefined && LONG_FIRST.test(Buffer.from(rest.bytes.subarray(0, 128)).toString('utf8'));
}

/** No other host puts all of these around an event, and a dot into its kind. */
export function isEvent(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value['type'] === 'string' &&
    /^[a-z_]+(?:\.[a-z_]+)+$|^abort$/.test(value['type']) &&
    isObject(value['data']) &&
    typeof value['id'] === 'string' &&
    typeof value['timestamp'] === 'string' &&
    'parentId' in value
  );
}

// Kinds of lines that are known and of no use for the tree. Anything else that has no parser is counted as unknown.

/** Each of them has nothing but events of the program around the conversation. (`model.`: the request of a compaction.) */
const FAMILIES = [
  'hook.',
  'mcp.',
  'model.',
  'permission.',
  'session.fusion_',
  'session.schedule_',
  'session.canvas.',
  'skill.',
];

const KINDS = new Set([
  'assistant.turn_start',
  'assistant.turn_end',
  'assistant.reasoning',
  'assistant.fusion_phase_completed',
  'assistant.fusion_phase_failed',
  'external_tool.requested',
  'human_response.recorded',
  'session.auto_mode_resolved',
  'session.autopilot_objective_changed',
  'session.binary_asset',
  'session.compaction_start',
  'session.completion_receipt',
  'session.context_cleared',
  'session.handoff',
  'session.info',
  'session.mode_changed',
  'session.mode_notice_delivered',
  'session.model_deselected',
  'session.permission_recovery',
  'session.permissions_changed',
  'session.plan_changed',
  'session.remote_steerable_changed',
  'session.request_body_compression_disabled',
  'session.session_limits_changed',
  'session.task_complete',
  'session.usage_checkpoint',
  'session.warning',
  'session.workspace_file_changed',
  'subagent.selected',
  'subagent.deselected',
  'system.message',
  'tool_search.activated',
]);

export function isWithoutNews(type: string): boolean {
  return KINDS.has(type) || FAMILIES.some((family) => type.startsWith(family));
}
