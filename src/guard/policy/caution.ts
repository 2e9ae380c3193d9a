// No YAML here: the hook loads this.
import type { Decision, Policy, Rule } from '../policy.ts';
import { stricterOf } from './strictness.ts';

/** Where there is no file at all: nobody asked for an opinion. */
export const NO_POLICY: Policy = {
  version: 1,
  hash: '',
  defaults: { main: 'none', subagent: 'none', unknown: 'none' },
  onError: 'none',
  rules: [],
};

export interface Caution extends Pick<Rule, 'id' | 'place'> {
  readonly reason: string;
}

/**
 * A policy of which a part cannot be used: what it denies it still denies, and everything else is asked about, or denied
 * where `on_error` says so. Whatever the part says, it would not be stricter than a person who was asked.
 */
export function withCaution(policy: Policy, { id, place, reason }: Caution): Policy {
  const decision: Decision = policy.onError === 'deny' ? 'deny' : 'ask';
  const { main, subagent, unknown } = policy.defaults;
  const rule: Rule = {
    id,
    // Whoever wrote the file: such a rule can only tighten, and a default that denies still denies.
    scope: 'local',
    name: null,
    place,
    agents: null,
    tools: [],
    decision,
    reason,
    when: null,
    wait: null,
    despiteAncestors: false,
    tellsIdentity: false,
  };
  return {
    ...policy,
    defaults: {
      main: stricterOf(main, decision),
      subagent: stricterOf(subagent, decision),
      unknown: stricterOf(unknown, decision),
    },
    onError: stricterOf(policy.onError, decision),
    rules: [rule, ...policy.rules],
  };
}
