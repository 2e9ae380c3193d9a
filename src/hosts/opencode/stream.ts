// `opencode run --format json`, live or kept in a file: the main agent's parts as they end. Sub-agents show by the calls that made them.

import { type AgentEvent, NO_USAGE, toToolCallId } from '../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject, known, parseObject } from '../../lib/json.ts';
import type { CallPrompt, SourceReader, StreamCapability, StreamReader, StreamSign } from '../index.ts';
import { createEventsReader, EVENT_TYPE, eventOf, recordIn } from './events.ts';
import { endOf, type FactPlace, placeAt, usageFacts } from './parse-messages.ts';
import { type PartKey, partFacts } from './parse-parts.ts';
import { agentIdOf, isSessionId, originOf, problemFact, type RecordContext, toSessionInfo } from './record.ts';
import { isSecondEvent } from './second/events.ts';
import { callId, toMetadata } from './second/messages.ts';
import { isTask } from './tools.ts';

export const stream: StreamCapability = {
  recognise,
  // An agent shows only when it has ended, and its agents never.
  leavesToDisk: true,
  hasIdsOfFiles: true,
  // Up to 1.2 the call of an agent that failed has completed.
  resultsAreUnsure: true,
  createReader(session, source): StreamReader {
    const context = { session, source, isEcho: true } as const;
    const [prints, events] = [createStreamReader(context), createEventsReader(context)];
    return {
      read(line) {
        const record = line.tooLong ? undefined : parseObject(Buffer.from(line.bytes).toString('utf8'));
        const isEvent = record !== undefined && typeof record['sessionID'] !== 'string';
        const facts = (isEvent ? events : prints).read(line);
        const prompts = record ? promptsIn(record) : [];
        return { facts, ...(prompts.length > 0 && { prompts }) };
      },
    };
  },
};

/** A printed part, the first event of a main session, or events around it. */
function recognise(record: JsonObject): StreamSign | undefined {
  const printed = asText(record['sessionID']);
  if (printed !== undefined && isSessionId(printed) && isObject(record['part'] ?? record['error']))
    return { session: printed };
  const event = eventOf(record);
  const type = asText(event['type']) ?? '';
  if (isSecondEvent(event)) {
    const { sessionID, parentID } = asObject(event['data']) ?? {};
    const session = type === 'session.created' && parentID === undefined ? asText(sessionID) : undefined;
    return EVENT_TYPE.test(type) ? { ...known({ session }) } : undefined;
  }
  const properties = asObject(event['properties']);
  if (!properties || !EVENT_TYPE.test(type)) return undefined;
  const info = type === 'session.created' ? toSessionInfo(asObject(properties['info'])) : undefined;
  return info && info.parent === undefined ? { session: info.id } : {};
}

function promptsIn(record: JsonObject): readonly CallPrompt[] {
  const printed = asObject(record['part']) ?? asObject(asObject(eventOf(record)['properties'])?.['part']);
  const part = printed && toPart(printed);
  const id = asText(part?.['id']);
  if (!part || !isTask(part['tool']) || id === undefined) return [];
  const prompt = asText(asObject(asObject(part['state'])?.['input'])?.['prompt']);
  return prompt === undefined ? [] : [{ call: toToolCallId(id), prompt }];
}

const IGNORED = new Set(['text', 'reasoning', 'permission', 'error']);

export function createStreamReader(context: RecordContext): SourceReader {
  let isSecond = false;
  return {
    read(line) {
      const { record, problem } = recordIn(line, context);
      if (!record) return problem;
      const type = asText(record['type']);
      const unknown = () => [problemFact(context, 'unknown-record', type ?? 'no type', line)];
      const part = asObject(record['part']);
      const session = asText(record['sessionID']);
      if (type === undefined || session === undefined) return unknown();
      const at = asAmount(record['timestamp']);
      const origin = originOf(context, at, true);
      const place = placeAt(context, { session: context.session, origin, agent: agentIdOf(session) }, at);
      if (type === 'error') return hasLostServer(record) ? [] : [failure(record, place)];
      if (!part) return unknown();
      if (type === 'step_finish') return replyFacts(part, place);
      isSecond ||= part['partID'] !== undefined;
      const message = asText(part['messageID']);
      // A run that was killed before its first words has nothing else.
      if (type === 'step_start')
        return [
          { kind: 'agent-seen', ...place, ...known({ at }) },
          ...(message === undefined ? [] : openReply(place, message)),
        ];
      // 2.0 mostly ends before it prints that the last step has ended; one that is killed before the next call prints the same.
      if (type === 'text' && isSecond && message !== undefined) return openReply(place, message);
      if (type === 'tool_use') return callFacts(part, { session, isPrompt: false, createdAt: at }, context);
      return IGNORED.has(type) ? [] : unknown();
    },
  };
}

function openReply(place: FactPlace, id: string): readonly AgentEvent[] {
  return [
    { kind: 'entry-added', ...place, entry: 'reply', id, end: 'open' },
    { kind: 'usage-counted', ...place, message: id, usage: NO_USAGE, final: false },
  ];
}

function callFacts(printed: JsonObject, key: Omit<PartKey, 'id'>, context: RecordContext): readonly AgentEvent[] {
  const part = toPart(printed);
  const id = asText(part['id']);
  return id === undefined ? [] : partFacts({ ...key, id }, part, context);
}

const MADE = /^Subagent [a-z]+ \(sessionID: (ses_\w+)\)/;

/** Since 2.0 `id` is the model's id of the call, and the metadata of the result is one level deeper. */
export function toPart(part: JsonObject): JsonObject {
  const [message, call] = [asText(part['messageID']), asText(part['id'])];
  if (part['type'] !== 'tool' || part['partID'] === undefined || message === undefined || call === undefined)
    return part;
  const state = asObject(part['state']) ?? {};
  // Of a call that failed, only its error names the agent.
  const [, sessionID] = MADE.exec(asText(state['error']) ?? '') ?? [];
  const metadata = asObject(asObject(state['metadata'])?.['metadata']) ?? known({ sessionID });
  return {
    ...part,
    id: callId(message, call),
    callID: call,
    state: { ...state, metadata: toMetadata(metadata, state['status']) },
  };
}

function replyFacts(part: JsonObject, place: FactPlace): readonly AgentEvent[] {
  const id = asText(part['messageID']);
  if (id === undefined) return [];
  return [
    { kind: 'entry-added', ...place, entry: 'reply', id, ...known({ end: endOf(asText(part['reason'])) }) },
    ...usageFacts(id, part, place),
  ];
}

/** Since 2.0 an agent runs in a server, and goes on without the program that printed this. */
function hasLostServer(record: JsonObject): boolean {
  const { type, message } = asObject(record['error']) ?? {};
  return type === 'unknown' && message === 'Transport';
}

function failure(record: JsonObject, place: FactPlace): AgentEvent {
  const { name, type } = asObject(record['error']) ?? {};
  const isStop = name === 'MessageAbortedError' || type === 'aborted';
  return { kind: 'entry-added', ...place, entry: isStop ? 'interruption' : 'failure', id: `error ${place.at ?? ''}` };
}
