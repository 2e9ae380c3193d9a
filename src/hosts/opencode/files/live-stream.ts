// `opencode run --format json` and the events of its server as they come, by the readers of kept ones.

import { toToolCallId } from '../../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, parseObject } from '../../../lib/json.ts';
import type { CallPrompt, StreamCapability, StreamReader, StreamSign } from '../../index.ts';
import { isSessionId, toSessionInfo } from '../record.ts';
import { TASK } from '../tools.ts';
import { createEventsReader, eventOf } from './read-events.ts';
import { createStreamReader } from './read-stream.ts';

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
