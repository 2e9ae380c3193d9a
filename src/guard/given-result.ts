import { decide } from './decide.ts';
import type { GuardedCall } from './guarded-call.ts';
import type { Policy, Rule } from './policy.ts';

/** What an agent is to see as the result of a call that does not run. */
export interface GivenResult {
  /** Which calls: those that it would allow, so each part of a command has to be one that it names. */
  readonly rule: Rule;
  readonly text: string;
  readonly isError: boolean;
}

/** The first that is for this call, for certain. */
export function findResult(results: readonly GivenResult[], call: GuardedCall): GivenResult | undefined {
  return results.find(({ rule }) => {
    const verdict = decide({ ...NO_OPINION, rules: [rule] }, call);
    return verdict.decision === 'allow' && verdict.rule !== null;
  });
}

const NO_OPINION: Omit<Policy, 'rules'> = {
  version: 1,
  hash: '',
  defaults: { main: 'none', subagent: 'none', unknown: 'none' },
  onError: 'none',
};
