// Whether a line is one of `--output-format stream-json`, or of a recording of both directions (`{at, dir, msg}`).

import { asObject, asText, type JsonObject } from '../../../lib/json.ts';
import type { StreamSign } from '../../index.ts';

const MESSAGES = new Set(['assistant', 'user', 'stream_event', 'result', 'tool_progress', 'rate_limit_event']);
const CONTROL = new Set(['control_request', 'control_response', 'control_cancel_request', 'keep_alive']);

/** What the program printed; undefined for what was said to it, and for lines about the connection. */
export function printedIn(record: JsonObject): JsonObject | undefined {
  const printed = 'dir' in record && 'msg' in record ? spokenBy(record) : record;
  return printed && !CONTROL.has(String(printed['type'])) ? printed : undefined;
}

function spokenBy(record: JsonObject): JsonObject | undefined {
  return record['dir'] === 'out' ? asObject(record['msg']) : undefined;
}

export function recognise(record: JsonObject): StreamSign | undefined {
  const printed = printedIn(record);
  const type = asText(printed?.['type']);
  const session = asText(printed?.['session_id']);
  if (!printed || type === undefined || session === undefined) return undefined;
  // Qwen Code prints lines of the same names; its first one says whose they are.
  if ('qwen_code_version' in printed) return undefined;
  const isSystem = type === 'system' && asText(printed['subtype']) !== undefined && !('data' in printed);
  return isSystem || MESSAGES.has(type) ? { session } : undefined;
}
