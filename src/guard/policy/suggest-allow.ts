// The rule under which a call that is denied or asked about would run: exactly this one.

import type { RuleSuggestion } from '../../core/index.ts';
import { decide, findObstacles } from '../decide.ts';
import type { GuardedAgent, GuardedCall } from '../guarded-call.ts';
import type { AgentSelector, Policy, Rule } from '../policy.ts';
import { suggestRule, whyNoRule } from '../suggest-rule.ts';
import { toExplainedRule } from './explained-rule.ts';
import { toToolPattern } from './tool-text.ts';
import { type AllowRule, canBeWritten, selectorFor, UNNAMEABLE, writeRules } from './write-rules.ts';

/** `file`: the person's own policy, where the rule goes: those of a project can only tighten. */
export function suggestAllow(policy: Policy, call: GuardedCall, file: string | null): RuleSuggestion {
  const none = (reason: string, stands: readonly Rule[] = []): RuleSuggestion => ({
    yaml: null,
    reason,
    file: null,
    note: null,
    stands: stands.map(toExplainedRule),
  });
  const { own, inherited } = findObstacles(policy, call);
  const ofProject = own.filter(({ scope }) => scope === 'project' || scope === 'local');
  if (ofProject.length > 0)
    return none(
      "A project's policy stands in the way. No rule of yours loosens it: it has to be changed there.",
      ofProject,
    );
  const agents = exactSelector(call);
  if (typeof agents === 'string') return none(agents);
  const suggested = suggestRule(call, inherited);
  if (suggested === null) return none(`No pattern can allow exactly this: ${whyNoRule(call, inherited)}.`);
  // A deny of an agent above is passed by in words only.
  const despite = inherited.length > 0 ? { despiteAncestors: true } : {};
  const rule: AllowRule = { agents, tools: suggested.patterns, ...despite };
  if (!canBeWritten(rule)) return none(`No pattern can allow exactly this: ${UNNAMEABLE}.`);
  const others = policy.rules.filter((one) => !own.includes(one));
  // Nobody is to copy a rule of which nothing would come.
  if (decide({ ...policy, rules: [...others, toRule(rule)] }, call).decision !== 'allow')
    return none('No rule can allow exactly this.', own);
  return {
    yaml: writeRules([rule]),
    reason: null,
    file,
    note: suggested.fitsOthers ? FITS_OTHERS : null,
    stands: own.map(toExplainedRule),
  };
}

const FITS_OTHERS =
  'Other calls fit it, too: it names a tool, a host, a folder or a command with `*`, and no pattern says more.';

/** Or why there is none. */
function exactSelector({ agent, project }: GuardedCall): AgentSelector | string {
  if (agent === null) return 'Nobody knows who makes the call: a rule could only allow it to everybody.';
  const named = selectorOf(agent);
  if (named === undefined)
    return 'Its type is not known, or cannot be named: a rule could only allow it to others, too.';
  if (project === null) return 'Its project is not known: a rule could only allow it in every project.';
  if (project.includes('*')) return "Its project's folder has a `*` in its name, which a rule reads as any text.";
  return { ...named, project: [project] };
}

function selectorOf(agent: GuardedAgent): AgentSelector | undefined {
  if (agent.kind !== 'task' || agent.type !== null) return selectorFor(agent);
  return agent.name === null || agent.name.includes('*') ? undefined : { kind: [agent.kind], name: [agent.name] };
}

export function toRule({ agents, tools, despiteAncestors = false, name = '' }: AllowRule, id = 'suggested'): Rule {
  return {
    id,
    scope: 'user',
    name: name || null,
    place: null,
    agents,
    tools: tools.map(toToolPattern),
    decision: 'allow',
    reason: null,
    when: null,
    wait: null,
    despiteAncestors,
    tellsIdentity: false,
  };
}
