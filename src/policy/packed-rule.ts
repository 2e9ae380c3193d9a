// Rules as they lie on the disk: without what goes without saying, and without what others have said. A hook reads a
// thousand of them in front of every call.
import type { AgentSelector, Decision, Rule, RuleScope } from '../guard/policy.ts';
import { toToolPattern } from './tool-text.ts';

export interface PackedRules {
  /** Each once. Rules that are about the same agents get the very same object: who is asked once need not be asked again. */
  readonly selectors: readonly AgentSelector[];
  readonly rules: readonly PackedRule[];
}

/** Whatever a rule has that is neither null nor false; with its tools as they were written, and the line of its place. */
export interface PackedRule
  extends Pick<Rule, 'id' | 'decision'>,
    Partial<Omit<Rule, 'id' | 'decision' | 'scope' | 'agents' | 'tools' | 'place'>> {
  /** Which of the selectors. */
  readonly agents?: number;
  readonly tools?: readonly string[];
  readonly line?: number;
}

export function packRules(rules: readonly Rule[]): PackedRules {
  const numbers = new Map<string, number>();
  const numberOf = (selector: AgentSelector): number => {
    const text = JSON.stringify(selector);
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const packed = rules.map(({ scope: _scope, agents, tools, place, ...rule }): PackedRule => {
    const said = Object.entries(rule).filter(([, value]) => value !== null && value !== false);
    return {
      ...(Object.fromEntries(said) as Pick<Rule, 'id' | 'decision'>),
      ...(agents && { agents: numberOf(agents) }),
      ...(tools.length > 0 && { tools: tools.map(({ text }) => text) }),
      ...(place && { line: place.line }),
    };
  });
  return { selectors: [...numbers.keys()].map((text) => JSON.parse(text)), rules: packed };
}

const DECISIONS: ReadonlySet<Decision> = new Set(['allow', 'ask', 'deny', 'none']);

/** `files`: of each scope that has one. Throws where it is not what `packRules` made. */
export function unpackRules(
  { selectors, rules }: PackedRules,
  files: Readonly<Partial<Record<string, string>>>,
): readonly Rule[] {
  return rules.map((packed) => unpackRule(packed, selectors, files));
}

/** Field by field: what copies the rest of an object takes ten times as long. */
function unpackRule(
  packed: PackedRule,
  selectors: readonly AgentSelector[],
  files: Readonly<Partial<Record<string, string>>>,
): Rule {
  const { id, line, tools, agents, decision } = packed;
  const selector = agents === undefined ? null : selectors[agents];
  if (selector === undefined || !DECISIONS.has(decision)) throw new Error(`no rule: ${id}`);
  const scope = id.slice(0, id.indexOf(':')) as RuleScope;
  const rule: Rule = {
    id,
    scope,
    name: packed.name ?? null,
    place: line === undefined ? null : { file: files[scope] ?? '', line },
    agents: selector,
    tools: tools ? tools.map(toToolPattern) : [],
    decision,
    reason: packed.reason ?? null,
    when: packed.when ?? null,
    wait: packed.wait ?? null,
    despiteAncestors: packed.despiteAncestors ?? false,
    tellsIdentity: packed.tellsIdentity ?? false,
  };
  return packed.ownCallsOnly ? { ...rule, ownCallsOnly: true } : rule;
}
