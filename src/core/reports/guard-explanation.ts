// Why the guard says what it says. Leaves the program as JSON (docs/JSON.md).
import type { AuditDecision } from './audit-shapes.ts';

export type GuardDecision = Exclude<AuditDecision, 'observed'>;

export interface GuardExplanation {
  readonly call: ExplainedCall;
  /** By the policy of now. Null: too little of the call is known to judge it; `caveats` say why. */
  readonly decision: GuardDecision | null;
  /** The rule that won; null: a default. */
  readonly rule: ExplainedRule | null;
  readonly reason: string | null;
  /** The agent above the caller whom that rule binds; null: the rule is about the caller itself. */
  readonly ancestor: string | null;
  /** What the audit says was decided when the call was made. Null: it was imagined. */
  readonly recorded: RecordedDecision | null;
  /** What is not as it was when the call was made, or not known. */
  readonly caveats: readonly string[];
  readonly uses: ExplainedUses | null;
  readonly tried: readonly ExplainedTrial[];
  /** Of a call that is denied or asked about. */
  readonly suggestion: RuleSuggestion | null;
}

export interface ExplainedCall {
  readonly agent: ExplainedAgent | null;
  /** Main first; without the agent itself. */
  readonly ancestors: readonly ExplainedAgent[];
  readonly host: string;
  readonly project: string | null;
  readonly cwd: string | null;
  readonly tool: string;
  readonly input: unknown;
  /** ISO 8601, UTC. */
  readonly at: string;
}

export interface ExplainedAgent {
  readonly kind: string;
  readonly type: string | null;
  readonly name: string | null;
  readonly depth: number | null;
}

export interface ExplainedRule {
  readonly id: string;
  readonly name: string | null;
  readonly decision: GuardDecision;
  /** Null for presets. */
  readonly place: { readonly file: string; readonly line: number } | null;
}

export interface RecordedDecision {
  readonly n: number;
  readonly call: string | null;
  readonly session: string | null;
  readonly decision: AuditDecision;
  readonly rule: string | null;
  readonly reason: string | null;
}

/** What a call does, as far as it can be known before it runs. */
export interface ExplainedUses {
  readonly commands: readonly {
    readonly text: string;
    /** A word of it is only known when it runs. */
    readonly isDynamic: boolean;
    /** Around it: `sudo`, `xargs` …, outermost first. */
    readonly wrappers: readonly string[];
  }[];
  readonly reads: readonly ExplainedPath[];
  readonly writes: readonly ExplainedPath[];
  readonly hosts: readonly string[];
  /** Why not all of it is known. */
  readonly unknown: string | null;
}

export interface ExplainedPath {
  readonly path: string;
  /** Also what lies below it, all or some of it. */
  readonly isFolder: boolean;
  readonly via: string;
}

export interface ExplainedTrial {
  readonly rule: ExplainedRule;
  /** What of the call it was held against. */
  readonly part: string;
  /** For whom it was asked. */
  readonly as: string;
  /** For an agent above the caller. */
  readonly isAncestors: boolean;
  readonly outcome: 'matched' | 'other agent' | 'other tool' | 'other argument' | 'other time' | 'not known enough';
}

export interface RuleSuggestion {
  /** To be put below `rules:` of `file`. Null: no rule can allow exactly this; `reason` says why. */
  readonly yaml: string | null;
  readonly reason: string | null;
  /** The person's own policy: those of a project can only tighten. Null: there is no rule, or nobody said where. */
  readonly file: string | null;
  /** What else the rule would allow. */
  readonly note: string | null;
  /** Rules that no allow gets past: nothing comes of the rule as long as they are as they are. */
  readonly stands: readonly ExplainedRule[];
}
