// One line of a conversation. Versions seen: 0.5.2 to 0.24.4.

import { asObject, asText, type JsonObject, parseJsonBytes, shortenStrings } from '../../lib/json.ts';
import { partsOf } from '../shared/index.ts';

/** `user`, `assistant`, `tool_result`, or what the program itself notes: `system/ui_telemetry` and the like. */
export function kindOf(record: JsonObject): string {
  const type = asText(record['type']) ?? 'no type';
  return type === 'system' ? `system/${asText(record['subtype']) ?? ''}` : type;
}

export function partsIn(record: JsonObject): readonly JsonObject[] {
  return partsOf(asObject(record['message'])?.['parts']);
}

/** How a line begins that may stand behind half of another. */
export const BEGINNINGS = ['{"uuid":"'];

/** Facts stand in short strings; nine tenths of a conversation are a few long ones. */
const BODIES_CUT = { longerThan: 4096, head: 2048, tail: 1024 };

/** `undefined` where the bytes are no JSON. */
export function parseShort(bytes: Uint8Array): unknown {
  return parseJsonBytes(bytes.length > BODIES_CUT.longerThan ? shortenStrings(bytes, BODIES_CUT) : bytes);
}

/** Known, and of no use for the tree. Anything else is counted as `unknown-record`. */
const WITHOUT_NEWS = new Set(
  [
    'agent_session_ready',
    'at_command',
    'attribution_snapshot',
    'background_task_completed',
    'branch_checkpoint',
    'continue_last_turn',
    'file_history_snapshot',
    'goal_runtime',
    'goal_state',
    'goal_turn_end',
    'parent_session',
    'rewind',
    'session_artifact_event',
    'session_artifact_snapshot',
    'session_model',
    'session_recording_degraded',
    'session_source',
    'session_sources_snapshot',
    'slash_command',
    'turn_result',
    'user_text_elements',
  ].map((subtype) => `system/${subtype}`),
);
const WITH_NEWS = new Set([
  'user',
  'assistant',
  'tool_result',
  'system/custom_title',
  'system/chat_compression',
  'system/ui_telemetry',
]);

export function isKnownKind(kind: string): boolean {
  return WITH_NEWS.has(kind) || WITHOUT_NEWS.has(kind);
}
