// Where the messages of one agent stand in the file that all agents of its session share.

import type { AgentId, SessionId } from '../../core/index.ts';
import { asText, isObject } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { BodyPlace, ByteRange } from '../index.ts';
import { inputOf, type MadeCall, requestsIn } from './body-blocks.ts';
import { agentOf, eventId } from './line-context.ts';
import { messageIdOf } from './lines/conversation.ts';
import { isKnownType } from './read-events.ts';
import { type EventRecord, parseLine, recordsIn } from './record.ts';
import { isSpawning } from './tools.ts';

export interface PlaceList {
  add(line: Line): void;
  all(): readonly BodyPlace[];
  leftOut(): Readonly<Record<string, number>>;
  modelOf(id: string): string | null;
}

const MAX_TYPE = 80;
/** What the host says in a conversation: messages of their own. */
const TOLD = new Set(['user.message', 'system.notification', 'session.error', 'session.compaction_complete', 'abort']);

export function createPlaceList(session: SessionId, agent: AgentId): PlaceList {
  const places = new Map<string, BodyPlace & { readonly lines: ByteRange[] }>();
  const models = new Map<string, string>();
  const replyOfCall = new Map<string, string>();
  const unknown = new Map<string, number>();
  /** Where calls stand that ask for agents: up to about 1.0.7x the task of an agent is in no line of its own. */
  const taskAt = new Map<string, EventRecord>();
  let madeBy: EventRecord | undefined;

  const put = (id: string, { offset, length, at }: EventRecord): void => {
    const timestamp = at === undefined ? null : new Date(at).toISOString();
    const place = places.get(id) ?? { id, timestamp, lines: [] };
    places.set(id, place);
    place.lines.push({ offset, length });
  };
  const addReply = (record: EventRecord): void => {
    const id = messageIdOf(record);
    const task = places.size === 0 && madeBy && taskAt.get(asText(madeBy.data['toolCallId']) ?? '');
    if (task) put(eventId(task), task);
    put(id, record);
    const model = asText(record.data['model']);
    if (model !== undefined) models.set(id, model);
    for (const request of requestsIn(record.data)) replyOfCall.set(asText(request['toolCallId']) ?? '', id);
  };
  const addRecord = (record: EventRecord): void => {
    const { type, data } = record;
    const call = asText(data['toolCallId']) ?? '';
    const isStart = type === 'tool.execution_start' || type === 'tool.user_requested';
    if (isStart && isSpawning(asText(data['toolName']))) taskAt.set(call, record);
    if (agentOf(record, session) !== agent) return;
    if (!isKnownType(type)) unknown.set(type.slice(0, MAX_TYPE), (unknown.get(type.slice(0, MAX_TYPE)) ?? 0) + 1);
    if (type === 'subagent.started') madeBy = record;
    else if (type === 'assistant.message') addReply(record);
    else if (type === 'tool.execution_complete') put(replyOfCall.get(call) ?? eventId(record), record);
    else if (TOLD.has(type)) put(type === 'user.message' ? messageIdOf(record) : eventId(record), record);
    // Called by the person or by the program: no reply asked for it.
    else if (isStart && !replyOfCall.has(call)) {
      replyOfCall.set(call, eventId(record));
      put(eventId(record), record);
    }
  };
  return {
    add(line) {
      for (const record of recordsIn(line, parseLine).records) addRecord(record);
    },
    all: () => [...places.values()],
    leftOut: () => Object.fromEntries([...unknown].sort(([a], [b]) => (a < b ? -1 : 1))),
    modelOf: (id) => models.get(id) ?? null,
  };
}

/** The calls that these lines make, by their ids. */
export function callsIn(records: readonly EventRecord[]): ReadonlyMap<string, MadeCall> {
  const calls = new Map<string, MadeCall>();
  for (const { data } of records) {
    for (const request of [...requestsIn(data), ...(isObject(data) && asText(data['toolName']) ? [data] : [])]) {
      const tool = asText(request['name']) ?? asText(request['toolName']);
      const id = asText(request['toolCallId']);
      if (id !== undefined && tool !== undefined) calls.set(id, { tool, input: inputOf(request) });
    }
  }
  return calls;
}
