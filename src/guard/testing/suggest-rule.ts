import type { GuardedCall } from '../policy.ts';
import { suggestPatterns } from '../suggest-rule.ts';

/** Null where no pattern can allow the call. */
export function suggestRule(call: GuardedCall): Exclude<ReturnType<typeof suggestPatterns>, string> | null {
  const suggested = suggestPatterns(call);
  return typeof suggested === 'string' ? null : suggested;
}
