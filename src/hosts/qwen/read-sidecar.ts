// `agent-<agent>.meta.json`, beside an agent's conversation: who asked for it, and how it stands.

import { type AgentEvent, type AgentId, mainAgentOf, type SessionId, toToolCallId } from '../../core/index.ts';
import {
  asAmount,
  asFlag,
  asInstant,
  asObject,
  asText,
  type JsonObject,
  known,
  parseJsonBytes,
  recordInLine,
} from '../../lib/json.ts';
import type { LocatedSession, LocatedSource, SourceReader } from '../index.ts';
import { firstLine } from '../shared/index.ts';
import { agentIdOf } from './line-context.ts';
import { outcomeOfStatus } from './notification.ts';

export function createSidecarReader({ id: session }: LocatedSession, source: LocatedSource): SourceReader {
  const agent = source.agent ?? mainAgentOf(session);
  return {
    read(line) {
      const origin = { source: source.id, offset: line.offset, length: line.length };
      const { record, problem } = recordInLine(line, parseJsonBytes);
      if (problem) return [{ kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } }];
      return record ? factsIn(record, session, agent).map((fact): AgentEvent => ({ ...fact, session, origin })) : [];
    },
  };
}

/** Without session and place. */
type Fact = WithoutPlace<AgentEvent>;
type WithoutPlace<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

function factsIn(facts: JsonObject, session: SessionId, agent: AgentId): readonly Fact[] {
  const call = asText(facts['toolUseId']);
  const parent = asText(facts['parentAgentId']);
  const outcome = outcomeOfStatus(asText(facts['status']));
  const depth = asAmount(facts['depth']);
  const flags = asObject(facts['persistedCliFlags']);
  const said: Fact[] = [
    {
      kind: 'agent-seen',
      agent,
      agentKind: 'task',
      ...known({
        at: asInstant(facts['createdAt']),
        type: asText(facts['agentType']) ?? asText(facts['subagentName']),
        description: asText(facts['description']),
        model: asText(facts['model']) ?? asText(flags?.['model']),
        background: asFlag(facts['isBackgrounded']),
        // It counts from nought, and we from the main agent.
        depth: depth === undefined ? undefined : depth + 1,
      }),
    },
    {
      kind: 'agent-linked',
      agent,
      evidence: 'sidecar',
      parent: parent === undefined ? mainAgentOf(session) : agentIdOf(parent),
      ...(call !== undefined && { call: toToolCallId(call) }),
    },
  ];
  if (outcome)
    said.push({
      kind: 'run-ended',
      agent,
      signal: 'sidecar',
      outcome,
      ...known({ at: asInstant(facts['lastUpdatedAt']), reason: firstLine(asText(facts['lastError'])) }),
    });
  return said;
}
