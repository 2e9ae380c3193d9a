// One line of `events.jsonl`. Versions seen: 1.0.12 to 1.0.102.

import {
  asInstant,
  asObject,
  asText,
  isObject,
  type JsonObject,
  known,
  type RecordInLine,
  recordInLine,
} from '../../lib/json.ts';
import { createLineSplitter, type Line } from '../../lib/lines.ts';
import { parseShort } from '../shared/index.ts';

export interface EventRecord {
  readonly type: string;
  readonly data: JsonObject;
  /** The event's own id. */
  readonly id?: string;
  readonly at?: number;
  /** The sub-agent that it belongs to; left out for the main agent. */
  readonly agentId?: string;
  readonly offset: number;
  readonly length: number;
}

interface EventInLine extends Omit<RecordInLine, 'record'> {
  readonly record?: EventRecord;
}

/** `parse` decides whether long strings come along. */
export function eventInLine(line: Line, parse: (bytes: Uint8Array) => unknown): EventInLine {
  if (!line.tooLong && !line.torn && isHeavy(line.bytes)) return { offset: line.offset, length: line.length };
  const { record, ...found } = recordInLine(line, parse, ['{"type":"']);
  // Objects inside an event begin like one, but have no data.
  if (found.problem?.code === 'glued-lines' && !isObject(record?.['data']))
    return { ...found, problem: { code: 'invalid-json', detail: `${line.length} bytes` } };
  return record ? { ...found, record: toEvent(record, found.offset, found.length) } : found;
}

/** Payloads of hooks and the vendor's prompts: half of all bytes, without facts of their own. */
const HEAVY = ['{"type":"hook.', '{"type":"model.', '{"type":"system.message"'].map((text) => Buffer.from(text));

function isHeavy(bytes: Uint8Array): boolean {
  // Half a line must not pass for one, so the end is checked, too.
  const isWhole = bytes.at(-1) === 125;
  return isWhole && HEAVY.some((start) => start.equals(bytes.subarray(0, start.length)) && endsLikeOne(bytes));
}

/** The envelope follows the data: `…,"id":"…","timestamp":"…","parentId":…}`, in any order. */
function endsLikeOne(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(-250)).includes('"timestamp":"');
}

function toEvent(value: JsonObject, offset: number, length: number): EventRecord {
  return {
    type: asText(value['type']) ?? 'no type',
    data: asObject(value['data']) ?? {},
    offset,
    length,
    ...known({ at: asInstant(value['timestamp']), id: asText(value['id']), agentId: asText(value['agentId']) }),
  };
}

/** The first event may be longer than the head: its beginning decides. */
const LONG_FIRST = /^\{"type":"(?:session|user|assistant|hook|system|tool)\.[\w.]+","data":\{/;

export function sniffEvents(head: Uint8Array): boolean {
  const splitter = createLineSplitter();
  for (const line of splitter.push(head)) if (isEvent(parseShort(line.bytes))) return true;
  const rest = splitter.rest();
  return rest !== undefined && LONG_FIRST.test(Buffer.from(rest.bytes.subarray(0, 128)).toString('utf8'));
}

/** No other host has all of these fields, and a dot in the type. */
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

/** Known types without facts. Any other type without a parser is counted as unknown. (`model.`: the request of a compaction.) */
const IGNORED_PREFIXES = [
  'hook.',
  'mcp.',
  'model.',
  'permission.',
  'session.fusion_',
  'session.schedule_',
  'session.canvas.',
  'skill.',
];

const IGNORED_TYPES = new Set([
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

export function isIgnored(type: string): boolean {
  return IGNORED_TYPES.has(type) || IGNORED_PREFIXES.some((prefix) => type.startsWith(prefix));
}
