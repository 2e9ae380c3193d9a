import type { GuardMismatch } from '../../core/index.ts';
import { decide } from '../decide.ts';
import type { GuardedCall } from '../guarded-call.ts';
import type { Policy, Rule } from '../policy.ts';
import { explainCall } from './explain-call.ts';
import type { GuardCase } from './read-cases.ts';

/** Undefined where the call is decided as expected. */
export function mismatchOf(tested: GuardCase, policy: Policy, call: GuardedCall): GuardMismatch | undefined {
  const { line, name, expected, expectedRule } = tested;
  const { decision, rule } = decide(policy, call);
  if (decision === expected && (expectedRule === null || isCalled(rule, expectedRule))) return undefined;
  return { line, name, expected, expectedRule, explanation: explainCall(policy, call) };
}

function isCalled(rule: Rule | null, wanted: string): boolean {
  return rule !== null && (rule.id === wanted || rule.name === wanted);
}
