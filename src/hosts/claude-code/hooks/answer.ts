// What Claude Code takes as an answer in front of a tool call. Recorded: 2.0.76 to 2.1.325.

import { known } from '../../../lib/json.ts';
import type { HookAnswer } from '../../index.ts';

/** The program takes no more of a text. */
const MAX_REASON = 8_000;

/** Nothing printed is no opinion: the program's own rules go on. Everything else is said in so many words. */
export function formatAnswer({ decision, reason, input }: HookAnswer): string {
  if (decision === 'none' && input === undefined) return '';
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      ...(decision !== 'none' && {
        permissionDecision: decision,
        permissionDecisionReason: reason.slice(0, MAX_REASON),
      }),
      ...known({ updatedInput: input }),
    },
  });
}
