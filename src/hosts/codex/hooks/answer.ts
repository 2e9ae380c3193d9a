// What Codex takes as an answer in front of a tool call. Recorded: 0.118.0 to 0.166.0.

import type { HookAnswer } from '../../index.ts';

/**
 * It knows a no, and (from about 0.13x on) a yes with another input. To anything else, an ask or a plain yes, it says that the
 * hook failed, and runs the call: so a call that somebody would have to be asked about is stopped.
 */
export function formatAnswer({ decision, reason, input }: HookAnswer): string {
  if (decision === 'deny') return say({ permissionDecision: 'deny', permissionDecisionReason: reason });
  if (decision === 'ask')
    return say({
      permissionDecision: 'deny',
      permissionDecisionReason: `${reason} Codex cannot ask about it, so it was stopped.`,
    });
  return input === undefined ? '' : say({ permissionDecision: 'allow', updatedInput: input });
}

function say(decided: object): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decided } });
}
