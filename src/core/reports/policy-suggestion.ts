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
