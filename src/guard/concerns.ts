// Has a policy anything to say to such a call? By who makes it, when, and with which tool: before anybody looks at what it
// does, which takes most of the time that a host waits.

import type { GuardedCall } from './guarded-call.ts';
import { lineOf, selecting } from './match/agent.ts';
import { isInWindow } from './match/time.ts';
import { canBeAbout } from './match/tool-name.ts';
import type { AgentSelector, Decision, Policy, Rule } from './policy.ts';

/** A call of which nobody has looked yet what it does. */
export type CallAtDoor = Omit<GuardedCall, 'uses'>;

/** False only where `decide` would end in the default, whatever the call does. */
export function concerns(policy: Policy, call: CallAtDoor): boolean {
  const isAboutCaller = aboutCaller(call);
  return policy.rules.some(
    (rule) => isAboutTool(rule, call.tool) && isInWindow(rule.when, call) !== 'no' && isAboutCaller(rule.agents),
  );
}

/** Can rules about these agents be about the one who calls, or about one above it? Where not, `decide` passes over them. */
export function aboutCaller(
  call: Pick<CallAtDoor, 'agent' | 'ancestors' | 'host' | 'project'>,
): (agents: AgentSelector | null) => boolean {
  const line = lineOf(call);
  const isSelected = selecting(call);
  return (agents) => line.some((judged) => isSelected(agents, judged) !== 'no');
}

function isAboutTool({ tools }: Rule, tool: string): boolean {
  return tools.length === 0 || tools.some((pattern) => canBeAbout(pattern, tool));
}

/** Where no rule decides. */
export function defaultOf(policy: Policy, { agent }: Pick<GuardedCall, 'agent'>): Decision {
  if (agent === null) return policy.defaults.unknown;
  return agent.kind === 'main' ? policy.defaults.main : policy.defaults.subagent;
}
