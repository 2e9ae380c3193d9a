import { onlyCommandOf } from '../match/command-pattern.ts';
import type { Rule } from '../policy.ts';
import type { PackedGroup, PackedRule } from './packed-rule.ts';

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
