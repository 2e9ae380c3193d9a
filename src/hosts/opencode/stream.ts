// `opencode run --format json`, live or kept in a file: the main agent's parts as they end. Sub-agents show by the calls that made them.

import { type AgentEvent, toToolCallId } from '../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject, known, parseObject } from '../../lib/json.ts';
import type { CallPrompt, SourceReader, StreamCapability, StreamReader, StreamSign } from '../index.ts';
import { createEventsReader, eventOf, recordIn } from './events.ts';
import { endOf, usageFact } from './parse-messages.ts';
import { partFacts } from './parse-parts.ts';
import { agentIdOf, isSessionId, originOf, problemFact, type RecordContext, toSessionInfo } from './record.ts';
import { TASK } from './tools.ts';

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
  const properties = asObject(event['properties']);
  if (!properties || !/^[a-z-]+(?:\.[a-z-]+)+$/.test(type)) return undefined;
  const info = type === 'session.created' ? toSessionInfo(asObject(properties['info'])) : undefined;
  return info && info.parent === undefined ? { session: info.id } : {};
}

function promptsIn(record: JsonObject): readonly CallPrompt[] {
  const part = asObject(record['part']) ?? asObject(asObject(eventOf(record)['properties'])?.['part']);
  const id = asText(part?.['id']);
  if (part?.['tool'] !== TASK || id === undefined) return [];
  const prompt = asText(asObject(asObject(part['state'])?.['input'])?.['prompt']);
  return prompt === undefined ? [] : [{ call: toToolCallId(id), prompt }];
}

const IGNORED = new Set(['step_start', 'text', 'reasoning', 'permission', 'error']);

export function createStreamReader(context: RecordContext): SourceReader {
  return {
    read(line) {
      const { record, problem } = recordIn(line, context);
      if (!record) return problem;
      const type = asText(record['type']);
      const unknown = () => [problemFact(context, 'unknown-record', type ?? 'no type', line)];
      const part = asObject(record['part']);
      const session = asText(record['sessionID']);
      const at = asAmount(record['timestamp']);
      if (type === 'error' && session !== undefined) return [failure(record, session, at, context)];
      if (!part || session === undefined || type === undefined) return unknown();
      if (type === 'step_finish') return replyFacts(part, session, at, context);
      const id = asText(part['id']);
      if (type === 'tool_use' && id !== undefined)
        return partFacts({ id, session, isPrompt: false, ...known({ createdAt: at }) }, part, context);
      return IGNORED.has(type) ? [] : unknown();
    },
  };
}

function replyFacts(
  part: JsonObject,
  session: string,
  at: number | undefined,
  context: RecordContext,
): readonly AgentEvent[] {
  const id = asText(part['messageID']);
  if (id === undefined) return [];
  const agent = agentIdOf(session);
  const copied = context.isEcho;
  const place = { session: context.session, origin: originOf(context, at, true), agent, ...known({ at, copied }) };
  const tokens = asObject(part['tokens']);
  return [
    { kind: 'entry-added', ...place, entry: 'reply', id, ...known({ end: endOf(asText(part['reason'])) }) },
    ...(tokens ? [usageFact(id, tokens, part['cost'], place)] : []),
  ];
}

function failure(record: JsonObject, session: string, at: number | undefined, context: RecordContext): AgentEvent {
  const isStop = asObject(record['error'])?.['name'] === 'MessageAbortedError';
  const place = { session: context.session, origin: originOf(context, at, true), agent: agentIdOf(session) };
  const entry = isStop ? 'interruption' : 'failure';
  return { kind: 'entry-added', ...place, entry, id: `error ${at ?? ''}`, ...known({ at, copied: context.isEcho }) };
}
