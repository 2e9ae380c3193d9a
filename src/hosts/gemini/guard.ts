// The part of Gemini CLI's hooks that runs in front of every tool call: payload and answer. Session and transcript are always the main
// agent's, and nothing tells one agent from another, so the caller is unknown. Recorded: 0.20.2 to 0.61.0, answers since 0.29.0.

import { toSessionId } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, known } from '../../lib/json.ts';
import type { CallerChain, HookAnswer, HookCall, HookEvent } from '../index.ts';
import { folderOf, type Guarded, subjectOf, toGuarded as toGuardedOf } from '../shared/index.ts';
import { HOST } from './record.ts';

export const BEFORE_CALL = 'BeforeTool';

export const ENDS = 'SessionEnd';

export const geminiGuard = { read: readPayload, callerOf, formatAnswer, cannotAsk: true } as const;

const SPAWNING: ReadonlySet<string> = new Set(['invoke_agent', 'delegate_to_agent']);

function readPayload(payload: unknown): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const name = asText(payload['hook_event_name']);
  const session = asText(payload['session_id']);
  if (name === undefined || session === undefined) return undefined;
  return {
    host: HOST,
    name,
    session: toSessionId(HOST, session),
    caller: { named: 'nobody' },
    ...known({
      transcript: asText(payload['transcript_path']),
      cwd: folderOf(payload),
      call: name === BEFORE_CALL ? callIn(payload) : undefined,
    }),
  };
}

function callerOf(payload: unknown): CallerChain {
  const project = isObject(payload) ? asText(payload['cwd']) : undefined;
  return { agent: null, ancestors: [], reason: 'Gemini CLI does not say which agent calls', ...known({ project }) };
}

function callIn(payload: JsonObject): HookCall | undefined {
  const tool = asText(payload['tool_name']);
  if (tool === undefined) return undefined;
  const { tool_input: input = null } = payload;
  const server = asObject(payload['mcp_context']);
  return {
    ...(server ? ofServer(server, tool, input) : toGuarded(tool, input)),
    spawns: SPAWNING.has(tool),
    ...known({ subject: subjectOf(tool, asObject(input) ?? {}) }),
  };
}

function ofServer(server: JsonObject, tool: string, input: unknown): Guarded {
  const [name, own] = [asText(server['server_name']), asText(server['tool_name'])];
  return { tool: `mcp__${name ?? 'unknown'}__${own ?? tool}`, input };
}

export function toGuarded(tool: string, input: unknown): Guarded {
  return toGuardedOf(HOST, tool, input);
}

/**
 * `ask` is known since about 0.40; before, it counts as allow, and without a terminal it ends the program. So a call that needs an
 * approval is denied.
 */
function formatAnswer({ decision, reason, input }: HookAnswer): string {
  if (decision === 'deny') return JSON.stringify({ decision, reason });
  if (decision === 'ask')
    return JSON.stringify({ decision: 'deny', reason: `${reason} Gemini CLI cannot ask about it, so it was stopped.` });
  const changed = { hookSpecificOutput: { hookEventName: BEFORE_CALL, tool_input: input } };
  if (decision === 'allow') return JSON.stringify({ decision, reason, ...(input !== undefined && changed) });
  return input === undefined ? '' : JSON.stringify(changed);
}
