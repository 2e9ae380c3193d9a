import type { GuardDecision, GuardExplanation } from './guard-explanation.ts';
import type { PolicyProblem } from './policy-check.ts';

/** A table of calls held against the policy. Leaves the program as JSON (docs/JSON.md). */
export interface GuardTestReport {
  /** Every call is decided as expected, and neither the table nor a policy has an error. */
  readonly ok: boolean;
  readonly file: string;
  /** How many calls the table has; 0 where it has an error: then none is judged. */
  readonly calls: number;
  readonly mismatches: readonly GuardMismatch[];
  /** Of the table, and of the policies that its calls were judged by. */
  readonly problems: readonly PolicyProblem[];
}

export interface GuardMismatch {
  /** In the table, from 1 on. */
  readonly line: number;
  readonly name: string | null;
  readonly expected: GuardDecision;
  /** The rule that was to win, by its id or name; null: whichever. */
  readonly expectedRule: string | null;
  readonly explanation: GuardExplanation;
}
