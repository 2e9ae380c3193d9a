// The hooks of one session, as they were condensed: who ended, who was made by which call, who asks. Before any file says it.

import { type AgentEvent, type EventOrigin, mainAgentOf, type SessionId, type SourceId } from '../../../core/index.ts';
import { asAmount, asText, isObject, known } from '../../../lib/json.ts';
import type { Line } from '../../../lib/lines.ts';
import type { SourceReader } from '../../index.ts';
import { agentIdOf, callIdOf } from '../line-context.ts';
import { parseWhole, type RawRecord } from '../record.ts';

export function createHookReader(session: SessionId, source: SourceId): SourceReader {
  return { read: (line) => readLine(line, session, { source, offset: line.offset, length: line.length }) };
}

interface Said {
  readonly session: SessionId;
  readonly origin: EventOrigin;
  readonly at: number;
  readonly payload: RawRecord;
}

type Facts = (said: Said) => AgentEvent | undefined;

const FACTS: Readonly<Record<string, Facts>> = {
  SubagentStart: ({ payload, at: _at, ...place }) => {
    const agent = agentIn(payload);
    return agent && { kind: 'agent-seen', ...place, agent };
  },
  SubagentStop: ({ payload, ...place }) => {
    const agent = agentIn(payload);
    return agent && { kind: 'run-ended', ...place, agent, signal: 'hook', outcome: 'completed' };
  },
  StopFailure: ({ payload, ...place }) => {
    const agent = agentIn(payload);
    const reason = asText(payload['reason']);
    return agent && { kind: 'run-ended', ...place, agent, signal: 'hook', outcome: 'failed', ...known({ reason }) };
  },
  PostToolUse: ({ payload, at: _at, ...place }) => {
    const made = asText(payload['made']);
    const call = callIdOf(payload['call']);
    if (made === undefined || call === undefined) return undefined;
    return { kind: 'agent-linked', ...place, agent: agentIdOf(made), evidence: 'hook', call };
  },
  PermissionRequest: ({ payload, ...place }) => ({
    kind: 'agent-asked',
    ...place,
    agent: agentIn(payload) ?? mainAgentOf(place.session),
  }),
  // `/clear` and `/resume` end a session whose process goes on with another one.
  SessionEnd: ({ payload: _payload, ...place }) => ({ kind: 'session-closed', ...place }),
};

function readLine(line: Line, session: SessionId, origin: EventOrigin): readonly AgentEvent[] {
  const said = parseWhole(line.bytes);
  const at = isObject(said) ? asAmount(said['at']) : undefined;
  const payload = isObject(said) ? said['payload'] : undefined;
  if (at === undefined || !isObject(payload)) {
    return [{ kind: 'problem-found', session, origin, diagnostic: { code: 'invalid-json', detail: 'hooks', origin } }];
  }
  const event = asText(payload['event']) ?? '';
  const fact = Object.hasOwn(FACTS, event) ? FACTS[event]?.({ session, origin, at, payload }) : undefined;
  return fact ? [fact] : [];
}

function agentIn({ agent }: RawRecord) {
  const id = asText(agent);
  return id === undefined ? undefined : agentIdOf(id);
}
