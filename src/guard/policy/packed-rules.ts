// Rules as they lie on the disk: without what goes without saying, and without what others have said. A hook reads a
// thousand of them in front of every call.

import { onlyCommandOf } from '../match/command-pattern.ts';
import { type AgentSelector, DECISIONS, type Rule, type RuleScope, toToolPattern } from '../policy.ts';

/** The rules about the same agents, and the same command where they are about one: others need not have them read. */
export interface PackedGroup extends RuleGroup {
  readonly rules: readonly PackedRule[];
}

export interface RuleGroup {
  /** Null: all. */
  readonly agents: AgentSelector | null;
  /** The name of the only command that they can be about, at any time (`onlyCommandOf`). Null: about more, or other calls. */
  readonly command: string | null;
}

/** Whatever a rule has that is neither null nor false; with its tools as they were written, and the line of its place. */
interface PackedRule
  extends Pick<Rule, 'id' | 'decision'>,
    Partial<Omit<Rule, 'id' | 'decision' | 'scope' | 'agents' | 'tools' | 'place'>> {
  /** Which of all rules it is: of equals, the first decides. */
  readonly at: number;
  readonly tools?: readonly string[];
  readonly line?: number;
}

/**
 * In the order of all rules. Those of a group get the very same selector: who is asked once need not be asked again. `files`:
 * of each scope that has one. Throws where it is not what `packRules` made.
 */
export function unpackRules(
  groups: readonly PackedGroup[],
  files: Readonly<Partial<Record<string, string>>>,
): readonly Rule[] {
  const placed = groups.flatMap(({ agents, rules }) =>
    rules.map((packed) => ({ at: packed.at, rule: unpackRule(packed, agents, files) })),
  );
  if (groups.length > 1) placed.sort((one, other) => one.at - other.at);
  return placed.map(({ rule }) => rule);
}

/** Field by field: what copies the rest of an object takes ten times as long. */
function unpackRule(
  packed: PackedRule,
  agents: AgentSelector | null,
  files: Readonly<Partial<Record<string, string>>>,
): Rule {
  const { id, line, tools, decision } = packed;
  if (typeof agents !== 'object' || !DECISIONS.includes(decision)) throw new Error(`no rule: ${id}`);
  const scope = id.slice(0, id.indexOf(':')) as RuleScope;
  const rule: Rule = {
    id,
    scope,
    name: packed.name ?? null,
    place: line === undefined ? null : { file: files[scope] ?? '', line },
    agents,
    tools: tools ? tools.map(toToolPattern) : [],
    decision,
    reason: packed.reason ?? null,
    when: packed.when ?? null,
    wait: packed.wait ?? null,
    despiteAncestors: packed.despiteAncestors ?? false,
    injectsIdentity: packed.injectsIdentity ?? false,
  };
  return packed.ownCallsOnly ? { ...rule, ownCallsOnly: true } : rule;
}

export function packRules(rules: readonly Rule[]): readonly PackedGroup[] {
  const groups = new Map<string, PackedRule[]>();
  for (const [at, rule] of rules.entries()) {
    // What holds at some times only must be looked at to know whether it holds now.
    const command = rule.when === null ? onlyCommandOf(rule.tools) : null;
    const key = JSON.stringify([rule.agents, command]);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(packRule(rule, at));
  }
  return [...groups].map(([key, packed]) => {
    const [agents, command] = JSON.parse(key);
    return { agents, command, rules: packed };
  });
}

function packRule({ scope: _scope, agents: _agents, tools, place, ...rule }: Rule, at: number): PackedRule {
  const said = Object.entries(rule).filter(([, value]) => value !== null && value !== false);
  return {
    at,
    ...(Object.fromEntries(said) as Pick<Rule, 'id' | 'decision'>),
    ...(tools.length > 0 && { tools: tools.map(({ text }) => text) }),
    ...(place && { line: place.line }),
  };
}
