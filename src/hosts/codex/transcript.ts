// The conversation of one thread: where its messages stand, and some of them read at a time.

import { type AgentId, mainAgentOf, nativeId, type TranscriptBlock, type TranscriptMessage } from '../../core/index.ts';
import { asText, type JsonObject, parseJsonBytes } from '../../lib/json.ts';
import type { LocatedSession, LocatedSource, OpenTranscript } from '../index.ts';
import { createKindCount, followPlaces, MessagePlaces, type PlaceList, readMessageLines } from '../shared/index.ts';
import { isHostText, taskIn } from './host-text.ts';
import { toBlocks, toResult } from './message-blocks.ts';
import { isKnownType } from './read-rollout.ts';
import { parseLine, type RolloutRecord, recordsIn, textOf } from './record.ts';
import { createReplyTracker, isSpoken } from './replies.ts';
import { type CopyCheck, createCopyCheck, headOf } from './thread-head.ts';

export function openTranscript(session: LocatedSession, source: LocatedSource, agent: AgentId): OpenTranscript {
  const isMain = agent === mainAgentOf(session.id);
  const thread = nativeId(agent);
  const models = new Map<string, string>();
  return {
    ...followPlaces(source, () => {
      models.clear();
      return createPlaceList(thread, isMain, models);
    }),
    async read(places, options) {
      return (await readMessageLines(source.path, places)).flatMap(({ id, timestamp, lines }): TranscriptMessage[] => {
        const records = lines.flatMap((line) => recordsIn(line, parseJsonBytes).records);
        const content = toContent(records, thread, options?.withMedia ?? false);
        if (content.length === 0) return [];
        return [{ id, role: roleOf(records), timestamp, model: models.get(id) ?? null, content }];
      });
    },
  };
}

/** `models`: of the replies. */
function createPlaceList(thread: string, isMain: boolean, models: Map<string, string>): PlaceList {
  const places = new MessagePlaces();
  const replyOfCall = new Map<string, string>();
  const unknown = createKindCount();
  const track = createReplyTracker(thread);
  let isCopy: CopyCheck | undefined;
  let model: string | undefined;

  const idOf = (record: RolloutRecord, reply: string | undefined): string | undefined => {
    const { payload, offset } = record;
    const own = `${thread}@${offset}`;
    if (isSpoken(record)) return reply;
    if (isOutput(payload)) return replyOfCall.get(asText(payload['call_id']) ?? '') ?? own;
    return isMessage(record) ? own : undefined;
  };
  const addRecord = (record: RolloutRecord): void => {
    const { type, payload, offset, length, at } = record;
    if (type === 'session_meta' && !isCopy) {
      const head = headOf(payload);
      isCopy = head ? createCopyCheck(head) : () => false;
      return;
    }
    const isCopied = isCopy?.(record) ?? false;
    const reply = track(record)?.reply;
    if (isCopied && !isMain) return;
    if (!isKnownType(type)) unknown.add(type);
    if (type === 'turn_context') model = asText(payload['model']) ?? model;
    const id = idOf(record, reply);
    if (id === undefined) return;
    if (isSpoken(record)) {
      const call = asText(payload['call_id']);
      if (call !== undefined) replyOfCall.set(call, id);
      if (model !== undefined) models.set(id, model);
    }
    places.add(id, at, { offset, length });
  };
  return {
    add: (line) => recordsIn(line, parseLine).records.forEach(addRecord),
    all: () => places.all(),
    leftOut: unknown.all,
  };
}

function isOutput(payload: JsonObject): boolean {
  return String(payload['type']).endsWith('_output');
}

/** Said to the model, by whomever; what the host tells it about itself in a role of its own is left out. */
function isMessage({ type, payload }: RolloutRecord): boolean {
  if (type === 'compacted') return true;
  if (type === 'event_msg') return payload['type'] === 'task_complete' && payload['error'] !== undefined;
  if (type !== 'response_item') return false;
  return payload['type'] === 'agent_message' || (payload['type'] === 'message' && payload['role'] === 'user');
}

function toContent(records: readonly RolloutRecord[], thread: string, withMedia: boolean): readonly TranscriptBlock[] {
  const content: TranscriptBlock[] = [];
  const calls = new Map<string, JsonObject>();
  for (const record of records) {
    const { payload } = record;
    const native = asText(payload['call_id']);
    const options = { placeId: `${thread}@${record.offset}`, withMedia };
    if (!isOutput(payload)) {
      if (native !== undefined) calls.set(native, payload);
      content.push(...toBlocks(record, options));
      continue;
    }
    const result = toResult(payload, calls.get(native ?? ''), options);
    const at = content.findIndex((block) => block.type === 'tool_use' && block.tool_use_id === native);
    content.splice(at === -1 ? content.length : at + 1, 0, result);
  }
  return content;
}

function roleOf(records: readonly RolloutRecord[]): TranscriptMessage['role'] {
  const [first] = records;
  if (!first || isSpoken(first) || isOutput(first.payload)) return 'assistant';
  const { type, payload } = first;
  if (type !== 'response_item') return 'system';
  if (payload['type'] === 'agent_message') return taskIn(payload) === undefined ? 'system' : 'user';
  return isHostText(textOf(payload['content'])) ? 'system' : 'user';
}
