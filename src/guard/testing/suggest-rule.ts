import type { GuardedCall } from '../policy.ts';
import { type SuggestedPatterns, suggestPatterns } from '../suggest-rule.ts';

/** Null where no pattern can allow the call. */
export function suggestRule(call: GuardedCall): SuggestedPatterns | null {
  const suggested = suggestPatterns(call);
  return typeof suggested === 'string' ? null : suggested;
}
