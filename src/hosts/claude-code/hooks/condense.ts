// What is kept of a hook's call for the tree: a few names, never an input, an output or a prompt.
import { asText, isObject } from '../../../lib/json.ts';
import type { RawRecord } from '../record.ts';
import { isSpawning } from '../tools.ts';

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
