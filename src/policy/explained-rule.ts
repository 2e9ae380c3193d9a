import type { Rule } from '../guard/policy.ts';
import type { ExplainedRule } from '../model/guard-explanation.ts';

/** What tells people which rule is meant. */
export function toExplainedRule({ id, name, decision, place }: Rule): ExplainedRule {
  return { id, name, decision, place };
}
