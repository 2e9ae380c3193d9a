import type { AnsweredBy } from '../approval.ts';

/** What was decided about a call. `observed`: nobody was asked. */
export const DECISIONS = ['observed', 'none', 'allow', 'ask', 'deny'] as const;
export type AuditDecision = (typeof DECISIONS)[number];

/** One line of the audit. What is not known is null. */
export interface AuditEntry {
  readonly v: 1;
  /** 1, 2, 3 … over all files. */
  readonly n: number;
  /** Of the hook's call: one that is told twice is one line. */
  readonly id: string;
  /** When the hook was called, ISO 8601 UTC. */
  readonly at: string;
  readonly host: string;
  readonly event: string;
  readonly session: string | null;
  readonly agent: AuditAgent;
  readonly tool: string | null;
  /** The host's id of the call. */
  readonly call: string | null;
  readonly summary: string | null;
  /** Secrets masked, long texts cut. */
  readonly input: unknown;
  readonly cwd: string | null;
  readonly decision: AuditDecision;
  readonly rule: string | null;
  readonly reason: string | null;
  /** How long the call was held; with the time in which an answer was waited for. */
  readonly ms: number | null;
  /** Who settled a call that a person was asked about by troupe. Left out of all others. */
  readonly answeredBy?: AnsweredBy;
  /** `intercept`: reported by `troupe run --intercept`, not by a hook in the host's settings. Left out of all others. */
  readonly via?: 'intercept';
  /** The hash of the line before; the first line has 64 zeros. */
  readonly prev: string;
  /** SHA-256 over this line without its hash. */
  readonly hash: string;
}

export interface AuditAgent {
  readonly who: 'main' | 'subagent' | 'unknown';
  readonly id: string | null;
  readonly type: string | null;
  readonly name: string | null;
  readonly kind: string | null;
  readonly depth: number | null;
  /** From the main agent down to this one, by their labels. */
  readonly path: readonly string[];
  readonly evidence: 'exact' | 'strong' | 'guess' | 'none';
  /** Why it is unknown, or a guess. */
  readonly reason: string | null;
}

/** Which lines are wanted; what is left out filters nothing. */
export interface AuditFilter {
  /** The beginning of an agent's id, its name, its label, or `main`, `subagent`, `unknown`. */
  readonly agent?: string;
  readonly type?: string;
  readonly decision?: AuditDecision;
  readonly tool?: string;
  /** The beginning of the host's id. */
  readonly session?: string;
  /** Epoch milliseconds, both included. */
  readonly since?: number;
  readonly until?: number;
}

export interface AuditPage {
  /** Oldest first. */
  readonly entries: readonly AuditEntry[];
  /** There are older ones that match. */
  readonly hasMore: boolean;
  /** Lines on the way that could not be read. */
  readonly badLines: number;
}

export interface AuditCheck {
  readonly entries: number;
  readonly files: number;
  readonly firstN: number | null;
  readonly lastN: number | null;
  readonly problems: readonly { readonly file: string; readonly line: number; readonly what: string }[];
}
