// What a policy says to a call. Pure: the server and the hook that stands alone ask the same function.
//
// Deny beats ask beats allow beats none; of all parts of a call (each command, each path) the strictest holds. An allow
// needs every part that matters, each by a rule that holds for certain; a deny needs one part that may be what it names.
// What is not known (who calls, since when, what a command comes to) is therefore enough to deny, and never to allow.
import type { GuardedCall, TriedRule, Verdict } from './call.ts';
import { type Answer, isSelected, type Judged, lineOf } from './match/agent.ts';
import { type JudgedPart, partsOf, partText } from './match/parts.ts';
import { isInWindow } from './match/time.ts';
import { holdsTool } from './match/tool-pattern.ts';
import type { Certainty } from './match/wildcard.ts';
import type { Decision, Policy, Rule } from './policy.ts';

/** From loose to strict: without an opinion the host decides, which is stricter than an allow. */
const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, none: 1, ask: 2, deny: 3 };

interface PartVerdict {
  readonly part: JudgedPart;
  readonly decision: Decision;
  readonly rule: Rule | null;
  /** The ancestor whose deny it is; null: the agent's own. */
  readonly ancestor: Judged | null;
}

interface Trial {
  readonly call: GuardedCall;
  readonly line: readonly Judged[];
  note(rule: Rule, part: JudgedPart | null, as: Judged, outcome: TriedRule['outcome']): void;
}

/** `tried` holds the rules that matched. */
export function decide(policy: Policy, call: GuardedCall): Verdict {
  return judge(policy, call, false);
}

/** As `decide`, and `tried` holds every rule that was looked at: for people who ask why. */
export function explain(policy: Policy, call: GuardedCall): Verdict {
  return judge(policy, call, true);
}

function judge(policy: Policy, call: GuardedCall, tellsAll: boolean): Verdict {
  const tried: TriedRule[] = [];
  const trial: Trial = {
    call,
    line: lineOf(call),
    note: (rule, part, as, outcome) => {
      if (!tellsAll && outcome !== 'matched') return;
      tried.push({
        rule: rule.id,
        part: part === null ? call.tool : partText(part.part, call),
        as: agentText(as),
        outcome,
      });
    },
  };
  const rules = policy.rules.filter((rule) => isInForce(rule, trial));
  const verdicts = partsOf(call).map((part) => judgePart(part, rules, defaultOf(policy, call), trial));
  const strictest = verdicts.reduce((worst, next) => (rankOf(next) > rankOf(worst) ? next : worst));
  return { decision: strictest.decision, rule: strictest.rule, reason: reasonOf(strictest, trial), tried };
}

/** Of equals, the one that a rule decided is told. */
function rankOf({ decision, rule, part }: PartVerdict): number {
  return STRICTNESS[decision] * 4 + (part.needsAllow ? 2 : 0) + (rule === null ? 0 : 1);
}

/** Rules that can say something here. Projects can only tighten: their allows and nones are not looked at. */
function isInForce(rule: Rule, trial: Trial): boolean {
  const tightens = rule.decision === 'deny' || rule.decision === 'ask';
  if (!tightens && !isPersons(rule)) return false;
  const isNow = isEnough(isInWindow(rule.when, trial.call), rule);
  if (!isNow) trial.note(rule, null, trial.line[0] as Judged, 'other time');
  return isNow;
}

function judgePart(part: JudgedPart, rules: readonly Rule[], fallback: Decision, trial: Trial): PartVerdict {
  const own = trial.line[0] as Judged;
  const matched = rules.filter((rule) => holdsFor(rule, own, part, trial));
  const firstOf = (decision: Decision, hasScope: (rule: Rule) => boolean) =>
    matched.find((rule) => rule.decision === decision && hasScope(rule));
  const deny = firstOf('deny', () => true);
  if (deny !== undefined) return { part, decision: 'deny', rule: deny, ancestor: null };
  // Only what surely is meant may go beyond an ancestor.
  const despite = matched.some(
    (rule) => rule.despiteAncestors && isPersons(rule) && holdsForSure(rule, own, part, trial),
  );
  const above = despite ? null : deniedAbove(part, rules, trial);
  if (above !== null) return { part, decision: 'deny', ...above };

  const decisive = (['ask', 'allow', 'none'] as const)
    .filter((decision) => decision === 'ask' || part.needsAllow)
    .map((decision) => firstOf(decision, isPersons))
    .find((rule) => rule !== undefined);
  const decision = decisive?.decision ?? (part.needsAllow ? fallback : 'allow');
  // A project may ask where the person would not: never where the person denies.
  const asked = firstOf('ask', (rule) => !isPersons(rule));
  if (asked !== undefined && STRICTNESS[decision] < STRICTNESS.ask)
    return { part, decision: 'ask', rule: asked, ancestor: null };
  return { part, decision, rule: decisive ?? null, ancestor: null };
}

function deniedAbove(part: JudgedPart, rules: readonly Rule[], trial: Trial): { rule: Rule; ancestor: Judged } | null {
  for (const ancestor of trial.line.slice(1)) {
    for (const rule of rules) {
      // A rule for whoever calls was the agent's own already.
      if (rule.decision !== 'deny' || rule.agents === null || rule.ownCallsOnly) continue;
      if (holdsFor(rule, ancestor, part, trial)) return { rule, ancestor };
    }
  }
  return null;
}

function holdsFor(rule: Rule, judged: Judged, part: JudgedPart, trial: Trial): boolean {
  const selected = isSelected(rule.agents, judged, trial.call);
  const outcome = outcomeOf(rule, selected, part, trial, certaintyOf(rule));
  trial.note(rule, part, judged, outcome);
  return outcome === 'matched';
}

function holdsForSure(rule: Rule, judged: Judged, part: JudgedPart, trial: Trial): boolean {
  return isSelected(rule.agents, judged, trial.call) === 'yes' && holdsSomeTool(rule, part, trial, 'must');
}

function outcomeOf(
  rule: Rule,
  selected: Answer,
  part: JudgedPart,
  trial: Trial,
  certainty: Certainty,
): TriedRule['outcome'] {
  if (!isEnough(selected, rule)) return selected === 'no' ? 'other agent' : 'not known enough';
  if (holdsSomeTool(rule, part, trial, certainty)) return 'matched';
  if (certainty === 'must' && holdsSomeTool(rule, part, trial, 'may')) return 'not known enough';
  return rule.tools.some(({ tool }) => tool === trial.call.tool) ? 'other argument' : 'other tool';
}

function holdsSomeTool(rule: Rule, part: JudgedPart, trial: Trial, certainty: Certainty): boolean {
  return rule.tools.length === 0 || rule.tools.some((pattern) => holdsTool(pattern, part.part, trial.call, certainty));
}

function certaintyOf(rule: Rule): Certainty {
  return rule.decision === 'deny' || rule.decision === 'ask' ? 'may' : 'must';
}

function isEnough(answer: Answer, rule: Rule): boolean {
  return answer === 'yes' || (answer === 'maybe' && certaintyOf(rule) === 'may');
}

function isPersons({ scope }: Rule): boolean {
  return scope === 'user' || scope === 'preset';
}

function defaultOf(policy: Policy, { agent }: GuardedCall): Decision {
  if (agent === null) return policy.defaults.unknown;
  return agent.kind === 'main' ? policy.defaults.main : policy.defaults.subagent;
}

const SAID: Readonly<Record<Decision, string>> = {
  allow: 'is allowed',
  ask: 'must be asked about',
  deny: 'is denied',
  none: 'is left to the host',
};

function reasonOf({ part, decision, rule, ancestor }: PartVerdict, { call, line }: Trial): string {
  const unsure =
    part.part.kind === 'command' && part.part.command.isDynamic ? ', which is only known when it runs' : '';
  const subject =
    part.part.kind === 'call' ? call.tool : `${call.tool} (${shortened(partText(part.part, call))}${unsure})`;
  if (rule === null) return `${subject} ${SAID[decision]}: no rule says otherwise for ${agentText(line[0] as Judged)}.`;
  const who = ancestor === null ? '' : `, which binds ${agentText(ancestor)} and all below it`;
  const why = rule.reason === null ? '' : `: ${rule.reason.replace(/[.\s]+$/, '')}`;
  return `${subject} ${SAID[decision]} by ${rule.name ?? rule.id}${who}${why}.`;
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

function agentText({ agent }: Judged): string {
  if (agent === null) return 'an agent that is not known';
  return agent.kind === 'main' ? 'main' : (agent.name ?? agent.type ?? agent.kind);
}
