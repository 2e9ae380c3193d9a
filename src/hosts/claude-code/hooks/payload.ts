// What Claude Code hands to a hook. Recorded: 1.0.60 to 2.1.325.

import { toSessionId } from '../../../core/index.ts';
import { asText, isObject, known } from '../../../lib/json.ts';
import { versionNumber } from '../../../lib/version-number.ts';
import type { HookCall, HookCaller, HookEvent } from '../../index.ts';
import { agentIdOf, callIdOf, HOST } from '../line-context.ts';
import type { RawRecord } from '../record.ts';
import { isSpawning, subjectOf } from '../tools.ts';

/** In front of a tool call; the only one that can stop it. */
const BEFORE_CALL = 'PreToolUse';

/** From here on every event inside a sub-agent carries its id. */
const NAMES_CALLERS = versionNumber('2.1.69');

export function namesCallers(version: string | undefined): boolean {
  return version !== undefined && versionNumber(version) >= NAMES_CALLERS;
}

export function readPayload(payload: unknown): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const name = asText(payload['hook_event_name']);
  const session = asText(payload['session_id']);
  if (name === undefined || session === undefined) return undefined;
  return {
    host: HOST,
    name,
    session: toSessionId(HOST, session),
    caller: callerIn(payload),
    ...known({
      transcript: asText(payload['transcript_path']),
      cwd: asText(payload['cwd']),
      call: name === BEFORE_CALL ? callIn(payload) : undefined,
    }),
  };
}

/** With `--agent`, the main agent has a type and no id. `session_id` is the main agent's, whoever calls. */
function callerIn(payload: RawRecord): HookCaller {
  const id = asText(payload['agent_id']);
  if (id === undefined) return { named: 'nobody' };
  return { named: 'agent', agent: agentIdOf(id), ...known({ type: asText(payload['agent_type']) }) };
}

function callIn(payload: RawRecord): HookCall | undefined {
  const tool = asText(payload['tool_name']);
  if (tool === undefined) return undefined;
  const { tool_input: input = null } = payload;
  const subject = subjectOf(tool, isObject(input) ? input : undefined);
  return { tool, input, spawns: isSpawning(tool), ...known({ subject, id: callIdOf(payload['tool_use_id']) }) };
}
