// Which lines make up one reply of the model, and what it cost. Nothing in the file says it: items come one by one, and
// the tokens before them (0.45), behind them (0.77) or behind the results of their calls (0.131).

import type { Usage } from '../../core/index.ts';
import { asAmount, asObject, type JsonObject } from '../../lib/json.ts';
import type { RolloutRecord } from './record.ts';

const SPOKEN = new Set([
  'reasoning',
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'web_search_call',
  'tool_search_call',
  'image_generation_call',
]);

export function isSpoken({ type, payload }: RolloutRecord): boolean {
  if (type !== 'response_item') return false;
  return SPOKEN.has(String(payload['type'])) || (payload['type'] === 'message' && payload['role'] === 'assistant');
}

/**
 * To be asked for every line of a thread, in order. `reply` is named by the thread and the place of its first line; `usage`, where the
 * line says what the reply cost.
 */
export function createReplyTracker(
  thread: string,
): (record: RolloutRecord) => { readonly reply: string; readonly usage?: Usage } | undefined {
  let reply: string | undefined;
  let isOpen = false;
  let isCounted = false;
  /** All tokens of the thread so far: a count is repeated whenever something else in it changes. */
  let total: number | undefined;
  let hasRecords = false;

  const begin = (record: RolloutRecord): string => {
    reply = `${thread}@${record.offset}`;
    isOpen = true;
    isCounted = false;
    return reply;
  };
  return (record) => {
    if (isSpoken(record)) return { reply: isOpen && reply !== undefined ? reply : begin(record) };
    const count = countIn(record);
    if (!count) {
      if (endsReply(record)) isOpen = false;
      return undefined;
    }
    const isRecord = record.type === 'token_usage_record';
    // The counts of a fork that was made in the middle of a turn begin at another sum than its records (0.166).
    if (!isRecord && hasRecords) return undefined;
    hasRecords ||= isRecord;
    if (count.total !== undefined && count.total === total) return undefined;
    total = count.total;
    // One that is counted is over: this is the cost of the next, or of a request that left no words (a compaction).
    const counted = reply === undefined || isCounted ? begin(record) : reply;
    isCounted = true;
    if (isRecord) isOpen = false;
    return { reply: counted, usage: count.usage };
  };
}

/** What is said to the model, or about the turn, comes between two replies. */
function endsReply({ type, payload }: RolloutRecord): boolean {
  if (type === 'response_item') return payload['role'] !== 'developer';
  if (type !== 'event_msg') return type === 'compacted';
  return ENDING_EVENTS.has(String(payload['type']));
}

const ENDING_EVENTS = new Set(['task_started', 'task_complete', 'turn_aborted', 'user_message']);

/** `token_usage_record` (0.15x and later) is written once for each request; `token_count` tells the last one again and again. */
function countIn({ type, payload }: RolloutRecord) {
  const isRecord = type === 'token_usage_record';
  if (!isRecord && (type !== 'event_msg' || payload['type'] !== 'token_count')) return undefined;
  const info = asObject(payload['info']);
  const last = asObject(isRecord ? payload['usage'] : info?.['last_token_usage']);
  const all = asObject(isRecord ? payload['thread_token_usage'] : info?.['total_token_usage']);
  return last && { usage: toUsage(last), total: asAmount(all?.['total_tokens']) };
}

/** The host's `input_tokens` holds what came from the cache, too. */
export function toUsage(raw: JsonObject): Usage {
  const cacheRead = asAmount(raw['cached_input_tokens']) ?? 0;
  const cacheWrite = asAmount(raw['cache_write_input_tokens']) ?? 0;
  return {
    input: Math.max(0, (asAmount(raw['input_tokens']) ?? 0) - cacheRead - cacheWrite),
    output: asAmount(raw['output_tokens']) ?? 0,
    cacheRead,
    cacheWrite,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
  };
}
