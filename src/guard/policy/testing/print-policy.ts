import { stringify } from 'yaml';
import type { AgentSelector, Policy, Rule, TimeWindow } from '../../policy.ts';
import { DAYS } from '../read-rule.ts';

/** A policy of one file in the language that it was written in. */
export function printPolicy(policy: Policy, presets: readonly string[], options: { readonly flow: boolean }): string {
  const rules = policy.rules.filter(({ scope }) => scope !== 'preset').map(ruleToFile);
  const file = {
    version: 1,
    ...(presets.length > 0 ? { presets } : {}),
    defaults: policy.defaults,
    on_error: policy.onError,
    opaque: policy.opaque,
    ...(rules.length > 0 ? { rules } : {}),
  };
  return stringify(file, {
    collectionStyle: options.flow ? 'flow' : 'block',
    aliasDuplicateObjects: false,
    lineWidth: 60,
  });
}

export function ruleToFile(rule: Omit<Rule, 'id' | 'scope' | 'place'>): object {
  return {
    ...(rule.name === null ? {} : { name: rule.name }),
    ...(rule.agents ? { agents: agentsToFile(rule.agents) } : {}),
    ...(rule.tools.length > 0 ? { tools: rule.tools.map(({ text }) => text) } : {}),
    decision: rule.decision,
    ...(rule.reason === null ? {} : { reason: rule.reason }),
    ...(rule.when ? { when: windowToFile(rule.when) } : {}),
    ...(rule.wait ? { wait: `${rule.wait.ms / 1_000}s`, on_timeout: rule.wait.otherwise } : {}),
    ...(rule.despiteAncestors ? { despite_ancestors: true } : {}),
    ...(rule.opaque ? { opaque: rule.opaque } : {}),
    ...(rule.ownCallsOnly ? { own_calls_only: true } : {}),
    ...(rule.injectsIdentity ? { inject_identity: true } : {}),
  };
}

function agentsToFile({ depth, under, ...texts }: AgentSelector): object {
  return {
    ...texts,
    ...(depth ? { depth: depth.max === null ? `>=${depth.min}` : `${depth.min}-${depth.max}` } : {}),
    ...(under ? { under: agentsToFile(under) } : {}),
  };
}

function windowToFile({ days, minutes, from, until }: TimeWindow): object {
  return {
    ...(days ? { days: days.map((day) => DAYS[day]) } : {}),
    ...(minutes ? { hours: minutes.map(clockText).join('-') } : {}),
    ...(from === null ? {} : { from: new Date(from).toISOString() }),
    ...(until === null ? {} : { until: new Date(until).toISOString() }),
  };
}

function clockText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
