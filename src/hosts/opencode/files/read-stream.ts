// `opencode run --format json`: the main agent's parts as they end. Sub-agents are seen by the calls that made them.

import type { AgentEvent } from '../../../core/index.ts';
import { asAmount, asObject, asText, type JsonObject, known } from '../../../lib/json.ts';
import type { SourceReader } from '../../index.ts';
import { endOf, usageFact } from '../facts/message-facts.ts';
import { partFacts } from '../facts/part-facts.ts';
import { agentIdOf, type Door, originOf } from '../record.ts';
import { recordIn } from './record-in-line.ts';

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
