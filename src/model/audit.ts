/** What was decided about a call. `observed`: nobody was asked. */
export type AuditDecision = 'observed' | 'none' | 'allow' | 'ask' | 'deny';

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
  /** How long the call was held. */
  readonly ms: number | null;
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
