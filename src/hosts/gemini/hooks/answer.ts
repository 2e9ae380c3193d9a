// What Gemini CLI takes as an answer in front of a tool call. Recorded: 0.29.0 to 0.61.0.

import type { HookAnswer } from '../../index.ts';
import { BEFORE_CALL } from './payload.ts';

/**
 * `ask` is known from about 0.40 on only; before, it counts as a yes, and without a person it ends the program. So a call that somebody
 * would have to be asked about is stopped.
 */
export function formatAnswer({ decision, reason, input }: HookAnswer): string {
  if (decision === 'deny') return JSON.stringify({ decision, reason });
  if (decision === 'ask')
    return JSON.stringify({ decision: 'deny', reason: `${reason} Gemini CLI cannot ask about it, so it was stopped.` });
  const changed = { hookSpecificOutput: { hookEventName: BEFORE_CALL, tool_input: input } };
  if (decision === 'allow') return JSON.stringify({ decision, reason, ...(input !== undefined && changed) });
  return input === undefined ? '' : JSON.stringify(changed);
}
