// What our plugin takes as an answer.

import type { AskAnswer } from '../../../core/index.ts';
import { asObject, asText, known } from '../../../lib/json.ts';
import type { HookAnswer } from '../../index.ts';

/** In front of a call. Nothing printed is no opinion: the program's own permissions go on. */
export function formatAnswer({ decision, reason, input }: HookAnswer): string {
  if (decision === 'none' && input === undefined) return '';
  // The program has no way to ask in our name, so a call that somebody would have to be asked about does not run.
  const words = decision === 'ask' ? `${reason} OpenCode cannot ask about it, so it was stopped.` : reason;
  const command = asText(asObject(input)?.['command']);
  return JSON.stringify({
    decision,
    reason: words,
    ...known({ args: command === undefined ? undefined : { command } }),
  });
}

/** To a permission that the program asks for: a word of its own, so that no other answer of ours can be taken for it. */
export function formatReply(answer: AskAnswer, reason: string): string {
  return JSON.stringify(answer === 'allow' ? { reply: 'once' } : { reply: 'reject', message: reason });
}
