// What a policy comes to when it is compiled: what the hook reads. Plain JSON, nothing to be parsed but that.

export type Decision = 'allow' | 'ask' | 'deny' | 'none';

export interface Policy {
  readonly version: 1;
  /** Of the texts that it was compiled from. */
  readonly hash: string;
  /** Where nothing else decides, by who makes the call. */
  readonly defaults: Readonly<Record<'main' | 'subagent' | 'unknown', Decision>>;
  /** Where something goes wrong inside. */
  readonly onError: Decision;
  readonly rules: readonly Rule[];
}

/** `preset` and `user` are the person's own; those of a project, and of the person in that project, can only tighten. */
export type RuleScope = 'preset' | 'user' | 'project' | 'local';

export interface Rule {
  /** `user:3`: the third of its file; `preset:no-network:1`. Unique. */
  readonly id: string;
  readonly scope: RuleScope;
  readonly name: string | null;
  /** Where it stands. Null for presets. */
  readonly place: { readonly file: string; readonly line: number } | null;
  /** Null: whoever makes the call. */
  readonly agents: AgentSelector | null;
  /** None: every tool. */
  readonly tools: readonly ToolPattern[];
  readonly decision: Decision;
  readonly reason: string | null;
  /** Null: always. */
  readonly when: TimeWindow | null;
  /** Of an `ask`: how long an answer is waited for, and what holds when none comes. Null: the host asks. */
  readonly wait: { readonly ms: number; readonly otherwise: 'allow' | 'deny' } | null;
  /** It holds although an ancestor of the agent may not do this. Of an `allow`. */
  readonly despiteAncestors: boolean;
  /** Of a `deny`: the agent's own calls only; what it hands to sub-agents is not held by it. */
  readonly ownCallsOnly?: true;
  /** Commands that it allows are told who runs them (`TROUPE_AGENT` …). */
  readonly tellsIdentity: boolean;
}

/** All that are there must hold; of a list, one must. Texts may hold `*`. */
export interface AgentSelector {
  readonly kind?: readonly string[];
  readonly type?: readonly string[];
  readonly name?: readonly string[];
  readonly depth?: { readonly min: number; readonly max: number | null };
  readonly host?: readonly string[];
  /** Folders, with `**`; resolved when compiled where they begin with ~ or are relative. */
  readonly project?: readonly string[];
  /** Some ancestor is such a one. */
  readonly under?: AgentSelector;
}

/** Claude Code's rule syntax, taken apart. `tool` may end in `*` for tools of MCP servers (`mcp__x__*`), or be `host:name`. */
export interface ToolPattern {
  /** As it was written. */
  readonly text: string;
  readonly tool: string;
  /** What stands in the brackets; null: every use of the tool. */
  readonly argument: string | null;
}

/** By the local clock. */
export interface TimeWindow {
  /** 0 is Sunday. Null: every day. */
  readonly days: readonly number[] | null;
  /** Minutes since midnight, the second not included; may go over midnight. Null: all day. */
  readonly minutes: readonly [number, number] | null;
  /** Epoch milliseconds: the first moment, and the first that is no longer in it. */
  readonly from: number | null;
  readonly until: number | null;
}
