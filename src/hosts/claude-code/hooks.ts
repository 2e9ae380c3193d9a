// What is kept of a hook's call for the tree: a few names, never an input, an output or a prompt.

import { type AgentEvent, mainAgentOf, type SessionId, type SourceId } from '../../core/index.ts';
import { asText, isObject, known } from '../../lib/json.ts';
import type { SampleCall, SourceReader } from '../index.ts';
import { createHookRecordReader } from '../shared/index.ts';
import { agentIdOf, callIdOf } from './line-context.ts';
import type { RawRecord } from './record.ts';
import { isSpawning } from './tools.ts';

const MAX_REASON = 400;

/** By event, the keys that tell about the tree. Events that are not listed tell nothing that the transcripts do not. */
const KEPT: Readonly<Record<string, (payload: RawRecord) => RawRecord | undefined>> = {
  SubagentStart: ofAgent,
  SubagentStop: ofAgent,
  StopFailure: (payload) => {
    const kept = ofAgent(payload);
    const reason = asText(payload['last_assistant_message']) ?? asText(payload['error']);
    return kept && { ...kept, ...(reason !== undefined && { reason: reason.slice(0, MAX_REASON) }) };
  },
  PostToolUse: (payload) => {
    const { tool_response: response, tool_use_id: call } = payload;
    if (!isObject(response) || !isSpawning(asText(payload['tool_name']) ?? '')) return undefined;
    const made = asText(response['agentId']);
    return made === undefined || asText(call) === undefined ? undefined : { call, made, ...ofAgent(payload) };
  },
  PermissionRequest: (payload) => ofAgent(payload) ?? {},
  SessionEnd: ({ reason }) => ({ reason }),
};

export function condense(payload: unknown): unknown {
  if (!isObject(payload)) return undefined;
  const event = asText(payload['hook_event_name']) ?? '';
  const kept = Object.hasOwn(KEPT, event) ? KEPT[event]?.(payload) : undefined;
  return kept && { event, ...kept };
}

function ofAgent({ agent_id: agent }: RawRecord): RawRecord | undefined {
  return asText(agent) === undefined ? undefined : { agent };
}

/** Who ended, who was made by which call, who asks: before any file says it. */
export function createHookReader(session: SessionId, source: SourceId): SourceReader {
  return createHookRecordReader(session, source, ({ payload, at, ...place }): AgentEvent | undefined => {
    const native = asText(payload['agent']);
    const agent = native === undefined ? undefined : agentIdOf(native);
    const ended = agent && ({ kind: 'run-ended', ...place, at, agent, signal: 'hook' } as const);
    switch (payload['event']) {
      case 'SubagentStart':
        return agent && { kind: 'agent-seen', ...place, agent };
      case 'SubagentStop':
        return ended && { ...ended, outcome: 'completed' };
      case 'StopFailure':
        return ended && { ...ended, outcome: 'failed', ...known({ reason: asText(payload['reason']) }) };
      case 'PostToolUse': {
        const [made, call] = [asText(payload['made']), callIdOf(payload['call'])];
        if (made === undefined || call === undefined) return undefined;
        return { kind: 'agent-linked', ...place, agent: agentIdOf(made), evidence: 'hook', call };
      }
      case 'PermissionRequest':
        return { kind: 'agent-asked', ...place, at, agent: agent ?? mainAgentOf(session) };
      // `/clear` and `/resume` end a session whose process goes on with another one.
      case 'SessionEnd':
        return { kind: 'session-closed', ...place, at };
      default:
        return undefined;
    }
  });
}

/** A call as 2.1.325 hands it to a hook, to see whether an installed command works. */
export function sampleCall({ session, transcript, call, agent }: SampleCall): unknown {
  return {
    session_id: session,
    transcript_path: transcript,
    cwd: '/',
    permission_mode: 'default',
    ...known({ agent_id: agent, agent_type: agent === undefined ? undefined : 'general-purpose' }),
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'true # troupe doctor', description: 'troupe doctor tries out its hooks' },
    tool_use_id: call,
  };
}

export function sampleTranscript(session: string, version: string): string {
  const line = {
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: '/',
    sessionId: session,
    version,
    type: 'user',
    message: { role: 'user', content: 'troupe doctor tries out its hooks' },
    uuid: session,
    timestamp: '2026-01-01T00:00:00.000Z',
  };
  return `${JSON.stringify(line)}\n`;
}
