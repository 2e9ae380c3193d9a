// What the guard says about policies and calls, as JSON (docs/JSON.md).

import type { AuditDecision } from './audit.ts';

export type GuardDecision = Exclude<AuditDecision, 'observed' | 'inject'>;

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
  readonly outcome: TrialOutcome;
}

/** What came of holding a rule against a call; what came closest to a match first. */
export const TRIAL_OUTCOMES = [
  'matched',
  'not known enough',
  'other argument',
  'other tool',
  'other time',
  'other agent',
] as const;
export type TrialOutcome = (typeof TRIAL_OUTCOMES)[number];

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

/** Where a file of a policy counts: for the person, for a project, for the person in that project. */
export type PolicyFileScope = 'user' | 'project' | 'local';

export interface PolicyProblem {
  /** Of a warning, nothing comes but the hint. */
  readonly severity: 'error' | 'warning';
  readonly code: PolicyProblemCode;
  readonly file: string;
  /** From 1 on. */
  readonly line: number;
  /** From 1 on, in UTF-16 units, as most editors count. */
  readonly column: number;
  /** One sentence. */
  readonly message: string;
  /** What to do about it; null where the message says so. */
  readonly remedy: string | null;
  /** The line, as it stands there. */
  readonly source: string;
}

export type PolicyProblemCode =
  /** The file: it is not there, not for us, too long, or no text. */
  | 'unreadable'
  /** It is no YAML, or uses what a policy has no need of: several documents, tags, directives. */
  | 'syntax'
  | 'unknown-key'
  | 'missing-key'
  | 'duplicate'
  /** A list where a text should be, a text of another form, a number that is too large. */
  | 'value'
  /** Two things that do not go together. */
  | 'conflict'
  /** Something that a project may not say: it would allow what the person did not. It has no effect. */
  | 'loosens'
  /** It can be meant so, but hardly is. */
  | 'suspicious'
  /** An old name that still works. */
  | 'deprecated';

export interface PolicyCheck {
  /** No error. */
  readonly ok: boolean;
  /** Those that are there. */
  readonly files: readonly { readonly scope: PolicyFileScope; readonly file: string }[];
  /** How many there are, those of presets included. */
  readonly rules: number;
  readonly budgets: number;
  readonly presets: readonly string[];
  readonly problems: readonly PolicyProblem[];
}

export interface PolicyPreset {
  readonly name: string;
  readonly brief: string;
  /** Its rules, in the language of policies. */
  readonly text: string;
}

/** The smallest policy under which a session would have run. Leaves the program as JSON (docs/JSON.md). */
export interface PolicySuggestion {
  /** The host's own id. */
  readonly session: string;
  /** Where its calls were read. */
  readonly from: 'transcripts' | 'audit';
  readonly calls: number;
  readonly rules: number;
  /** A whole policy. */
  readonly yaml: string;
  /** What could not be turned into a rule; calls that are the same once. */
  readonly left: readonly CallLeft[];
}

export interface CallLeft {
  readonly agent: string;
  readonly tool: string;
  /** Without secrets, and cut. */
  readonly what: string;
  readonly reason: string;
}

/** What is used of a budget, by whom. Leaves the program as JSON (docs/JSON.md). */
export interface BudgetReport {
  readonly id: string;
  readonly name: string;
  readonly scope: PolicyFileScope;
  readonly file: string;
  readonly line: number;
  readonly per: 'agent' | 'subtree' | 'session' | 'project' | 'day';
  /** Whom it is for, as JSON; null: all agents. */
  readonly agents: string | null;
  /** Null: all projects. */
  readonly project: string | null;
  /** Which tokens count. */
  readonly count: readonly string[];
  /** From which share on people are warned: 0.8. */
  readonly warn: number;
  readonly onLimit: 'ask' | 'deny';
  readonly grace: number;
  /** A person has raised it. */
  readonly isRaised: boolean;
  /** Of a day; null: never. */
  readonly resetsAt: string | null;
  readonly timeZone: string;
  /** Whose usage is held against it: agents, sessions, projects, or today. Those nearest to a limit first. */
  readonly holders: readonly BudgetHolder[];
  /** How many holders are not listed. */
  readonly more: number;
}

export interface BudgetHolder {
  readonly label: string;
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly isAtWork: boolean;
  /** Of the limit that is nearest. */
  readonly share: number;
  readonly state: 'ok' | 'warned' | 'reached' | 'unknown';
  readonly uses: readonly BudgetUse[];
  /** Who used most of it. */
  readonly by: readonly {
    readonly label: string;
    readonly agentId: string;
    readonly sessionId: string;
    readonly tokens: number;
    readonly usd: number;
  }[];
}

export interface BudgetUse {
  readonly limit: 'tokens' | 'usd' | 'turns' | 'tool_calls' | 'minutes' | 'spawns' | 'agents_at_once' | 'depth';
  readonly max: number;
  /** Null: it is not counted (`depth`). */
  readonly used: number | null;
  readonly share: number | null;
  /** Why it cannot be computed, or is too low. */
  readonly problem: string | null;
  /** `312,400 of 300,000 tokens (input, output)`. */
  readonly text: string;
}
