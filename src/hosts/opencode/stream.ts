// `opencode run --format json` and the events of its server as they come, by the readers of kept ones.

import { type AgentEvent, toToolCallId } from '../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject, known, parseObject } from '../../lib/json.ts';
import type { CallPrompt, SourceReader, StreamCapability, StreamReader, StreamSign } from '../index.ts';
import { createEventsReader, eventOf, recordIn } from './events.ts';
import { endOf, usageFact } from './parse-messages.ts';
import { partFacts } from './parse-parts.ts';
import { agentIdOf, type Door, isSessionId, originOf, toSessionInfo } from './record.ts';
import { TASK } from './tools.ts';

export const stream: StreamCapability = {
  programs: ['opencode'],
  printing: 'opencode run --format json …',
  recognise,
  // The print tells of an agent when it has ended, and of its agents nothing.
  leavesToDisk: true,
  hasIdsOfFiles: true,
  // Up to 1.2 the call of an agent that failed has completed.
  resultsAreUnsure: true,
  createReader(session, source): StreamReader {
    const door = { session, source, isEcho: true } as const;
    const [prints, events] = [createStreamReader(door), createEventsReader(door)];
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

/** A print; the first event of a session that nobody made; events around it that name none. */
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

const WITHOUT_NEWS = new Set(['step_start', 'text', 'reasoning', 'permission', 'error']);

export function createStreamReader(door: Door): SourceReader {
  return {
    read(line) {
      const { record, problem } = recordIn(line, door);
      if (!record) return problem;
      const type = asText(record['type']);
      const part = asObject(record['part']);
      const session = asText(record['sessionID']);
      const at = asAmount(record['timestamp']);
      if (type === 'error' && session !== undefined) return [failure(record, session, at, door)];
      if (!part || session === undefined || type === undefined) return unknown(type, line, door);
      if (type === 'step_finish') return replyFacts(part, session, at, door);
      const id = asText(part['id']);
      if (type === 'tool_use' && id !== undefined)
        return partFacts({ id, session, isTold: false, ...known({ createdAt: at }) }, part, door);
      return WITHOUT_NEWS.has(type) ? [] : unknown(type, line, door);
    },
  };
}

function replyFacts(part: JsonObject, session: string, at: number | undefined, door: Door): readonly AgentEvent[] {
  const id = asText(part['messageID']);
  if (id === undefined) return [];
  const agent = agentIdOf(session);
  const copied = door.isEcho;
  const place = { session: door.session, origin: originOf(door, at, true), agent, ...known({ at, copied }) };
  const tokens = asObject(part['tokens']);
  return [
    { kind: 'entry-added', ...place, entry: 'reply', id, ...known({ end: endOf(asText(part['reason'])) }) },
    ...(tokens ? [usageFact(id, tokens, part['cost'], place)] : []),
  ];
}

/** The line has no id of its own. */
function failure(record: JsonObject, session: string, at: number | undefined, door: Door): AgentEvent {
  const isStop = asObject(record['error'])?.['name'] === 'MessageAbortedError';
  const place = { session: door.session, origin: originOf(door, at, true), agent: agentIdOf(session) };
  const entry = isStop ? 'interruption' : 'failure';
  return { kind: 'entry-added', ...place, entry, id: `error ${at ?? ''}`, ...known({ at, copied: door.isEcho }) };
}

function unknown(type: string | undefined, { offset, length }: { offset: number; length: number }, door: Door) {
  const origin = { source: door.source, offset, length };
  const diagnostic = { code: 'unknown-record', detail: type ?? 'no type', origin } as const;
  return [{ kind: 'problem-found', session: door.session, origin, diagnostic } as const];
}
