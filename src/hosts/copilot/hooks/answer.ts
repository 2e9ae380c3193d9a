// What Copilot CLI takes as an answer in front of a tool call. Recorded: 1.0.50 to 1.0.102.

import { isObject, known } from '../../../lib/json.ts';
import type { HookAnswer } from '../../index.ts';
import { TYPED } from './guarded-tools.ts';

/** Nothing printed is no opinion: the program's own rules go on. It asks where it is told to and somebody is there; else it refuses. */
export function formatAnswer({ decision, reason, input: given }: HookAnswer): string {
  const input = isObject(given) && TYPED in given ? undefined : given;
  if (decision === 'none' && input === undefined) return '';
  return JSON.stringify({
    ...(decision !== 'none' && { permissionDecision: decision, permissionDecisionReason: reason }),
    ...known({ modifiedArgs: input }),
  });
}
