// The rule under which a call that is denied or asked about would run: exactly this one.
import type { GuardedCall } from '../guard/call.ts';
import { decide } from '../guard/decide.ts';
import type { Policy, Rule } from '../guard/policy.ts';
import { suggestRule } from '../guard/suggest-rule.ts';
import type { RuleSuggestion } from '../model/guard-explanation.ts';
import { toExplainedRule } from './explained-rule.ts';
import { toToolPattern } from './tool-text.ts';
import { type AllowRule, canBeWritten, selectorFor, UNNAMEABLE, writeRules } from './write-rules.ts';

export function suggestAllow(policy: Policy, call: GuardedCall): RuleSuggestion {
  const agents = selectorFor(call.agent);
  if (agents === undefined) return none('Nobody knows who makes the call: a rule could only allow it to everybody.');
  const tools = suggestRule(call);
  if (tools === null) return none(`No pattern can allow it: ${call.uses.unknown ?? UNNAMEABLE}.`);
  const rule: AllowRule = { agents, tools };
  if (!canBeWritten(rule)) return none(`No pattern can allow it: ${UNNAMEABLE}.`);
  const first = decideWith(policy, rule, call);
  // A deny of an agent above is passed by in words only.
  const needsWords = first.decision === 'deny' && first.ancestor !== null;
  const asked: AllowRule = needsWords ? { ...rule, despiteAncestors: true } : rule;
  const { decision, rule: left } = needsWords ? decideWith(policy, asked, call) : first;
  const stands = decision === 'allow' || left === null ? null : toExplainedRule(left);
  return { yaml: writeRules([asked]), reason: null, stands };
}

function none(reason: string): RuleSuggestion {
  return { yaml: null, reason, stands: null };
}

function decideWith(policy: Policy, rule: AllowRule, call: GuardedCall) {
  return decide({ ...policy, rules: [...policy.rules, toRule(rule)] }, call);
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
