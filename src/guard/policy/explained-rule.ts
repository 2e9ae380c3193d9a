import type { ExplainedRule } from '../../core/index.ts';
import type { Rule } from '../policy.ts';

/** What tells people which rule is meant. */
export function toExplainedRule({ id, name, decision, place }: Rule): ExplainedRule {
  return { id, name, decision, place };
}
