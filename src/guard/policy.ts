// A compiled policy (plain JSON, which the hook reads), and the call that it is asked about. No YAML here: the hook loads this.

import type { AgentKind, ExplainedAgent, ExplainedTrial, PolicyFileScope } from '../core/index.ts';
import { groupBy } from '../lib/group.ts';
import type { CallUses } from './shell/index.ts';
import type { ToolMappings } from './tool-inputs.ts';

export const DECISIONS = ['allow', 'ask', 'deny', 'none'] as const;

export type Decision = (typeof DECISIONS)[number];

/** An allowed call is not even asked about by the host; one without an opinion may be. */
export const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, none: 1, ask: 2, deny: 3 };

/** Outcomes for what cannot be understood before it runs. */
export const OPAQUE = ['ask', 'deny', 'none'] as const satisfies readonly Decision[];

export type Opaque = (typeof OPAQUE)[number];

export interface Policy {
  readonly version: 1;
  /** Where nothing else decides, by who makes the call. */
  readonly defaults: Readonly<Record<'main' | 'subagent' | 'unknown', Decision>>;
  /** Where something goes wrong inside. */
  readonly onError: Decision;
  /** What becomes of opaque parts that a deny or an ask could be about, where the rule itself does not say. */
  readonly opaque: Opaque;
  /** What the inputs of tools do that troupe has no table for. Left out: their names decide. */
  readonly tools?: ToolMappings;
  readonly rules: readonly Rule[];
  /** More rules, in the order of the files: `rulesAbout` gives those that a call needs. */
  readonly repeats?: readonly RepeatedRule[];
  /** Left out: none. */
  readonly budgets?: readonly Budget[];
  /** Left out: `DEFAULT_MCP`. */
  readonly mcp?: McpPolicy;
}

/** From the least to the most. */
export const MCP_SEES = ['nothing', 'project', 'everything'] as const;

export const MCP_ACTS = ['stop', 'send'] as const;

/** What agents may do through `troupe mcp`. */
export interface McpPolicy {
  /** `project`: sessions of the caller's own project. */
  readonly sees: (typeof MCP_SEES)[number];
  /** To agents below the caller. */
  readonly may: readonly (typeof MCP_ACTS)[number][];
}

export const DEFAULT_MCP: McpPolicy = { sees: 'project', may: [] };

/** A rule that is like another in all but the command of its only tool. Both are for the same agents, tools and times. */
export interface RepeatedRule {
  readonly number: number;
  readonly line: number;
  /** Its only tool, and the command that it is about, in small letters. */
  readonly tool: string;
  readonly word: string;
  readonly like: Rule;
  /** The last of the policy's rules before it. */
  readonly after: Rule;
}

export const BUDGET_SCOPES = ['agent', 'subtree', 'session', 'project', 'day'] as const;

/** In the order in which they are shown. */
export const BUDGET_LIMITS = [
  'tokens',
  'usd',
  'turns',
  'tool_calls',
  'minutes',
  'spawns',
  'agents_at_once',
  'depth',
] as const;

export type BudgetLimit = (typeof BUDGET_LIMITS)[number];

export const TOKEN_KINDS = ['input', 'output', 'cache_write', 'cache_read'] as const;

/** What counts if a budget does not say: a cache read repeats tokens that were counted before. */
export const COUNTED_TOKENS = ['input', 'output', 'cache_write'] as const;

export type TokenKind = (typeof TOKEN_KINDS)[number];

/** How much agents may use. Each budget holds by itself, so a further one can only tighten. */
export interface Budget {
  /** `user:budget:2`: the second of its file. Unique. */
  readonly id: string;
  readonly scope: PolicyFileScope;
  readonly name: string;
  readonly place: { readonly file: string; readonly line: number };
  /** Whose usage counts, and whose calls it limits. Null: all agents. */
  readonly agents: AgentSelector | null;
  readonly per: (typeof BUDGET_SCOPES)[number];
  /** At least one. */
  readonly limits: Readonly<Partial<Record<BudgetLimit, number>>>;
  /** Which tokens count. */
  readonly count: readonly TokenKind[];
  /** Sessions of these folders only; null: all. */
  readonly project: readonly string[] | null;
  /** The share of a limit from which on agent and person are warned: 0.8. */
  readonly warn: number;
  readonly onLimit: 'ask' | 'deny';
  /** How many calls that hand in a result each agent may still make at the limit. */
  readonly grace: number;
}

/** `preset` and `user` are the person's own; those of a project, and of the person in that project, can only tighten. */
export type RuleScope = 'preset' | PolicyFileScope;

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
  /** Of a `deny` or an `ask`: instead of the policy's. */
  readonly opaque?: Opaque;
  /** Sets `TROUPE_AGENT` and related variables in the environment of commands that it allows. */
  readonly injectsIdentity: boolean;
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

export interface GuardedCall {
  /** Who makes it; null: nobody knows. */
  readonly agent: GuardedAgent | null;
  /** Main first; without the agent itself. Empty for main, and where they are not known. */
  readonly ancestors: readonly GuardedAgent[];
  /** Not all of them are known: rules that may be about one of them hold. */
  readonly lacksAncestors?: true;
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
  /** The same under the mapping that a policy has for its tool. */
  readonly usesWith?: (mappings: ToolMappings) => CallUses;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The local clock is so many minutes before UTC's: 120 in Berlin in summer. */
  readonly offsetMinutes: number;
}

/** As in the tree. */
export const SUB_AGENT_KINDS = ['task', 'fork', 'teammate', 'workflow', 'internal'] as const satisfies AgentKind[];

export type GuardedAgent = ExplainedAgent;

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

/** With the rule's id. */
export interface TriedRule extends Omit<ExplainedTrial, 'rule'> {
  readonly rule: string;
}

/** Rules of the preset by which agents must not approve, or of a file with an error, which may name it. */
export const HANDS_OFF = /^preset:hands-off-the-guard:|^\w+:(?:error|stale|bad)$/;

/** Where there is no file at all: nobody asked for an opinion. */
export const NO_POLICY: Policy = {
  version: 1,
  defaults: { main: 'none', subagent: 'none', unknown: 'none' },
  onError: 'none',
  opaque: 'ask',
  rules: [],
};

/** A rule about every call of every agent, without an opinion. */
export const PLAIN_RULE: Rule = {
  id: '',
  scope: 'user',
  name: null,
  place: null,
  agents: null,
  tools: [],
  decision: 'none',
  reason: null,
  when: null,
  wait: null,
  despiteAncestors: false,
  injectsIdentity: false,
};

/**
 * A policy of which a part cannot be used: what it denies it still denies, and everything else is asked about, or denied
 * where `on_error` says so. Whatever the part says, it would not be stricter than a person who was asked.
 */
export function withCaution(policy: Policy, caution: Pick<Rule, 'id' | 'place' | 'reason'>): Policy {
  const decision: Decision = policy.onError === 'deny' ? 'deny' : 'ask';
  // Whoever wrote the file: such a rule can only tighten, and a default that denies still denies.
  const rule: Rule = { ...PLAIN_RULE, ...caution, scope: 'local', decision };
  return {
    ...policy,
    defaults: toDefaults((who) => stricterOf(policy.defaults[who], decision)),
    onError: stricterOf(policy.onError, decision),
    rules: [rule, ...policy.rules],
  };
}

export function toDefaults(decisionFor: (who: keyof Policy['defaults']) => Decision): Policy['defaults'] {
  return { main: decisionFor('main'), subagent: decisionFor('subagent'), unknown: decisionFor('unknown') };
}

export function isLooser(decision: Decision, than: Decision): boolean {
  return STRICTNESS[decision] < STRICTNESS[than];
}

export function stricterOf(a: Decision, b: Decision): Decision {
  return isLooser(a, b) ? b : a;
}

/** Of a text that is known to be a pattern. */
export function toToolPattern(text: string): ToolPattern {
  const bracket = text.indexOf('(');
  const name = bracket === -1 ? text : text.slice(0, bracket);
  const argument = bracket === -1 ? '*' : text.slice(bracket + 1, -1);
  return { text, tool: name, argument: argument === '*' ? null : argument };
}

/** In their order, the rules that may be about commands that go by these names; null: all rules. */
export function rulesAbout({ rules, repeats = [] }: Policy, names: ReadonlySet<string> | null): readonly Rule[] {
  const chosen = names === null ? repeats : repeats.filter(({ word }) => names.has(word));
  if (chosen.length === 0) return rules;
  const behind = groupBy(chosen, ({ after }) => after);
  return rules.flatMap((rule) => [rule, ...(behind.get(rule) ?? []).map(readRepeated)]);
}

function readRepeated({ number, line, tool, like }: RepeatedRule): Rule {
  const place = like.place && { ...like.place, line };
  return { ...like, id: `${like.scope}:${number}`, place, tools: [toToolPattern(tool)] };
}

/** Where no rule decides. */
export function defaultOf(policy: Policy, { agent }: Pick<GuardedCall, 'agent'>): Decision {
  if (agent === null) return policy.defaults.unknown;
  return agent.kind === 'main' ? policy.defaults.main : policy.defaults.subagent;
}

export function labelOf({ kind, name, type }: Pick<GuardedAgent, 'kind' | 'name' | 'type'>): string {
  return kind === 'main' ? 'main' : (name ?? type ?? kind);
}
