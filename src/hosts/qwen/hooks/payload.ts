// What Qwen Code hands to a hook: Claude Code's names. Recorded: 0.15.10 to 0.24.4. `session_id` and the transcript are the main agent's.

import { mainAgentOf, toSessionId, toToolCallId } from '../../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, known } from '../../../lib/json.ts';
import type { HookCall, HookCaller, HookEvent } from '../../index.ts';
import { folderOf, type Guarded, subjectOf, toGuarded as toGuardedOf } from '../../shared/index.ts';
import { agentIdOf, HOST } from '../line-context.ts';
import { namesCallers, versionIn } from './transcript-version.ts';

/** In front of a tool call; the only one that can stop it. */
export const BEFORE_CALL = 'PreToolUse';
export const ENDS = 'SessionEnd';

const SPAWNING: ReadonlySet<string> = new Set(['agent', 'task']);

export function readPayload(payload: unknown): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const name = asText(payload['hook_event_name']);
  const session = asText(payload['session_id']);
  if (name === undefined || session === undefined) return undefined;
  return {
    host: HOST,
    name,
    session: toSessionId(HOST, session),
    caller: callerIn(payload, session),
    ...known({
      transcript: asText(payload['transcript_path']),
      cwd: folderOf(payload),
      call: name === BEFORE_CALL ? callIn(payload) : undefined,
    }),
  };
}

function callerIn(payload: JsonObject, session: string): HookCaller {
  const id = asText(payload['agent_id']);
  if (id === undefined)
    return namesCallers(versionIn(asText(payload['transcript_path'])))
      ? { named: 'agent', agent: mainAgentOf(toSessionId(HOST, session)) }
      : { named: 'nobody' };
  return { named: 'agent', agent: agentIdOf(id), ...known({ type: asText(payload['agent_type']) }) };
}

/** `tool_use_id` is made up for the hook; the transcript's own is `tool_call_id`, which older versions leave out. */
function callIn(payload: JsonObject): HookCall | undefined {
  const tool = asText(payload['tool_name']);
  if (tool === undefined) return undefined;
  const { tool_input: input = null } = payload;
  const id = asText(payload['tool_call_id']);
  return {
    ...toGuarded(tool, input),
    spawns: SPAWNING.has(tool),
    ...known({
      subject: subjectOf(tool, asObject(input) ?? {}),
      id: id === undefined ? undefined : toToolCallId(id),
    }),
  };
}

export function toGuarded(tool: string, input: unknown): Guarded {
  return toGuardedOf(HOST, tool, input);
}
