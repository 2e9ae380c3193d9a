// What Qwen Code takes as an answer in front of a tool call: Claude Code's words. Recorded: 0.15.10 to 0.24.4.

import type { HookAnswer } from '../../index.ts';
import { BEFORE_CALL } from './payload.ts';

/** Nothing printed is no opinion. An ask without anybody to ask is a no. Another input is not taken. */
export function formatAnswer({ decision, reason }: HookAnswer): string {
  if (decision === 'none') return '';
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: BEFORE_CALL,
      permissionDecision: decision,
      permissionDecisionReason: reason,
    },
  });
}
