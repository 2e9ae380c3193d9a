import type { Decision, Rule } from './policy.ts';
import type { CallUses } from './shell/index.ts';

export interface GuardedCall {
  /** Who makes it; null: nobody knows. */
  readonly agent: GuardedAgent | null;
  /** Main first; without the agent itself. Empty for main, and where they are not known. */
  readonly ancestors: readonly GuardedAgent[];
  readonly host: string;
  /** The project's folder, resolved. */
  readonly project: string | null;
  /** Where the call is made, and the person's home: what relative patterns and those with `~` stand on. */
  readonly cwd: string | null;
  readonly home: string | null;
  /** By the name it has in our rules (`Bash`, `Edit`, `mcp__x__y`), or `host:name`. */
  readonly tool: string;
  readonly input: unknown;
  readonly uses: CallUses;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The local clock is so many minutes before UTC's: 120 in Berlin in summer. */
  readonly offsetMinutes: number;
}

export interface GuardedAgent {
  readonly kind: string;
  readonly type: string | null;
  readonly name: string | null;
  readonly depth: number | null;
}

export interface Verdict {
  readonly decision: Decision;
  /** The rule that won; null: a default. */
  readonly rule: Rule | null;
  /** For the agent and for people. */
  readonly reason: string;
  /** The agent above the caller whom the rule that won binds; null: the rule is about the caller itself. */
  readonly ancestor: string | null;
  /** Of an ask: for how long troupe waits for an answer, and what holds without one. Null: the host asks. */
  readonly wait: Rule['wait'];
  /** Which rules were looked at, and what came of each: for `explain`. */
  readonly tried: readonly TriedRule[];
}

export interface TriedRule {
  readonly rule: string;
  /** What of the call it was held against: a command, a path, the call itself. */
  readonly part: string;
  /** Whose it is: the agent's own, or the ancestor's for whom it was asked. */
  readonly as: string;
  readonly isAncestors: boolean;
  readonly outcome: 'matched' | 'other agent' | 'other tool' | 'other argument' | 'other time' | 'not known enough';
}
