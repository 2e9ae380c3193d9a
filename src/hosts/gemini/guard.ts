// The part of Gemini CLI's hooks that runs in front of every tool call: payload and answer. Session and transcript are always the main
// agent's, and nothing tells one agent from another, so the caller is unknown. Recorded: 0.20.2 to 0.61.0, answers since 0.29.0.

import { asObject, asText, isObject, type JsonObject, known } from '../../lib/json.ts';
import type { CallerChain, HookAnswer } from '../index.ts';
import { readHookPayload } from '../shared/index.ts';
import { HOST } from './record.ts';

export const BEFORE_CALL = 'BeforeTool';

export const geminiGuard = {
  read: (payload: unknown) =>
    readHookPayload(payload, {
      host: HOST,
      beforeCalls: BEFORE_CALL,
      spawning: SPAWNING,
      callerIn: () => ({ named: 'nobody' }),
      serverTool,
    }),
  callerOf,
  formatAnswer,
  cannotAsk: true,
} as const;

const SPAWNING: ReadonlySet<string> = new Set(['invoke_agent', 'delegate_to_agent']);

function serverTool(payload: JsonObject, tool: string): string | undefined {
  const server = asObject(payload['mcp_context']);
  return server && `mcp__${asText(server['server_name']) ?? 'unknown'}__${asText(server['tool_name']) ?? tool}`;
}

function callerOf(payload: unknown): CallerChain {
  const project = isObject(payload) ? asText(payload['cwd']) : undefined;
  return { agent: null, ancestors: [], reason: 'Gemini CLI does not say which agent calls', ...known({ project }) };
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
