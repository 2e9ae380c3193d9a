// What a policy says to a call. Pure: the server and the hook that stands alone ask the same function.
//
// Deny beats ask beats allow beats none; of all parts of a call (each command, each path) the strictest holds. An allow
// needs every part that matters, each by a rule that holds for certain; a deny needs one part that may be what it names.
// What is not known (who calls, since when, what a command comes to) is therefore enough to deny, and never to allow.

import { type Answer, isInWindow, type Judged, lineOf, selecting } from './match/agent.ts';
import { areForOthers, type Certainty, namesOf } from './match/command-pattern.ts';
import { holdsOneOf, isOpaqueTo, type JudgedPart, oneOf, partsOf, partText } from './match/tool-pattern.ts';
import {
  type Decision,
  defaultOf,
  type GuardedCall,
  labelOf,
  type Opaque,
  type Policy,
  type Rule,
  rulesAbout,
  STRICTNESS,
  type TriedRule,
  type Verdict,
} from './policy.ts';

interface PartVerdict extends AskedPart {
  readonly part: JudgedPart;
  readonly rule: Rule | null;
  /** The ancestor whose deny it is; null: the agent's own. */
  readonly ancestor: Judged | null;
  /** The rule is about it only if it comes to what nobody can say before it runs. */
  readonly isOpaque?: true;
}

/** The rules that are for this agent now, and the denies of those above it. */
interface Applicable {
  readonly own: readonly Rule[];
  readonly above: readonly { readonly rule: Rule; readonly ancestor: Judged }[];
}

interface Trial {
  readonly call: GuardedCall;
  readonly line: readonly Judged[];
  readonly isSelected: ReturnType<typeof selecting>;
  readonly tellsAll: boolean;
  readonly tried: TriedRule[];
  readonly opaque: Opaque;
}

/** As `decide`, and `tried` holds every rule that was looked at: for people who ask why. */
export function explain(policy: Policy, call: GuardedCall): Verdict {
  return decide(policy, call, true);
}

/** `tried` holds the rules that matched. */
export function decide(policy: Policy, asked: GuardedCall, tellsAll = false): Verdict {
  const trial = createTrial(policy, asked, tellsAll);
  const { call } = trial;
  const applicable = findApplicable(policy, trial);
  const fallback = defaultOf(policy, call);
  const all = partsOf(call).map((part) => judgePart(part, applicable, fallback, trial));
  const known = all.filter(({ part }) => part.part.kind !== 'unproven');
  const verdicts = strictestOf(known).decision === 'allow' ? all : known;
  const strictest = strictestOf(verdicts);
  return {
    decision: strictest.decision,
    rule: strictest.rule,
    reason: reasonOf(strictest, trial),
    ancestor: strictest.ancestor && agentText(strictest.ancestor),
    wait: strictest.decision === 'ask' ? waitOf(verdicts) : null,
    tried: trial.tried,
  };
}

function createTrial({ opaque, tools = {} }: Policy, asked: GuardedCall, tellsAll: boolean): Trial {
  const isMapped = asked.usesWith !== undefined && Object.hasOwn(tools, asked.tool);
  const call = isMapped ? { ...asked, uses: asked.usesWith(tools) } : asked;
  return { call, line: lineOf(call), isSelected: selecting(call), tellsAll, tried: [], opaque };
}

function strictestOf(verdicts: readonly PartVerdict[]): PartVerdict {
  return verdicts.reduce((worst, next) => (rankOf(next) > rankOf(worst) ? next : worst));
}

/**
 * What no allow gets past, and what only one gets past that says so in words: `own`, denies and asks for the agent itself, each
 * once; `inherited`, parts that an agent above may not do. For who wants to write that allow.
 */
export function findObstacles(policy: Policy, asked: GuardedCall) {
  const trial = createTrial(policy, asked, false);
  const { call } = trial;
  const { own, above } = findApplicable(policy, trial);
  const parts = partsOf(call);
  return {
    own: own.filter((rule) => isStrict(rule) && parts.some((part) => holdsSomeTool(rule, part, trial, 'may'))),
    inherited: parts.filter((part) => above.some(({ rule }) => holdsSomeTool(rule, part, trial, 'may'))),
  };
}

/** Of equals, the one that a rule decided is told. */
function rankOf({ decision, rule, part }: PartVerdict): number {
  return STRICTNESS[decision] * 4 + (part.needsAllow ? 2 : 0) + (rule === null ? 0 : 1);
}

/** Projects can only tighten: their allows and nones are not looked at. */
function findApplicable(policy: Policy, trial: Trial): Applicable {
  const own: Rule[] = [];
  const above: { rule: Rule; ancestor: Judged }[] = [];
  const [self, ...ancestors] = trial.line as [Judged, ...Judged[]];
  const names = trial.tellsAll ? null : namesOf(trial.call.uses);
  for (const rule of rulesAbout(policy, names)) {
    if (!isStrict(rule) && !isPersons(rule)) continue;
    if (!trial.tellsAll && trial.line.every((judged) => trial.isSelected(rule.agents, judged) === 'no')) continue;
    // A policy may have a thousand rules: those for other commands cost one look each.
    if (names !== null && areForOthers(rule.tools, names)) continue;
    if (!isEnough(isInWindow(rule.when, trial.call), rule)) {
      note(trial, rule, null, self, 'other time');
      continue;
    }
    if (isFor(rule, self, trial)) own.push(rule);
    // A rule for whoever calls is the agent's own already.
    if (rule.decision !== 'deny' || rule.agents === null || rule.ownCallsOnly) continue;
    for (const ancestor of ancestors) if (isFor(rule, ancestor, trial)) above.push({ rule, ancestor });
  }
  return { own, above };
}

function isFor(rule: Rule, judged: Judged, trial: Trial): boolean {
  const selected = trial.isSelected(rule.agents, judged);
  if (isEnough(selected, rule)) return true;
  note(trial, rule, null, judged, selected === 'no' ? 'other agent' : 'not known enough');
  return false;
}

function judgePart(part: JudgedPart, { own, above }: Applicable, fallback: Decision, trial: Trial): PartVerdict {
  const self = trial.line[0] as Judged;
  const held = own.filter((rule) => holdsFor(rule, self, part, trial));
  const matched = held.filter((rule) => !isOpaqueFor(rule, part, trial));
  const firstOf = (decision: Decision, isOne: (rule: Rule) => boolean) =>
    matched.find((rule) => rule.decision === decision && isOne(rule));
  const deny = firstOf('deny', () => true);
  if (deny !== undefined) return { part, decision: 'deny', rule: deny, ancestor: null, asking: [] };
  // Only what surely is meant may go beyond an ancestor.
  const despite = matched.some(
    (rule) =>
      rule.despiteAncestors &&
      isPersons(rule) &&
      trial.isSelected(rule.agents, self) === 'yes' &&
      holdsSomeTool(rule, part, trial, 'must'),
  );
  const inherited = despite ? [] : above.filter(({ rule, ancestor }) => holdsFor(rule, ancestor, part, trial));
  const denied = inherited.find(({ rule }) => !isOpaqueFor(rule, part, trial));
  if (denied !== undefined) return { part, decision: 'deny', ...denied, asking: [] };

  const decisive = (['ask', 'allow', 'none'] as const)
    .filter((decision) => decision === 'ask' || part.needsAllow)
    .map((decision) => firstOf(decision, isPersons))
    .find((rule) => rule !== undefined);
  const decision = decisive?.decision ?? (part.needsAllow ? fallback : 'allow');
  const rules = matched.filter((rule) => rule.decision === 'ask');
  const possible = [...held.map((rule) => ({ rule, ancestor: null })), ...inherited];
  const opaque = judgeOpaque(part, possible, trial);
  if (opaque !== null && STRICTNESS[decision] < STRICTNESS[opaque.decision])
    return { ...opaque, asking: [...opaque.asking, ...rules] };
  // A project may ask where the person would not: never where the person denies.
  const asked = firstOf('ask', (rule) => !isPersons(rule));
  if (asked !== undefined && STRICTNESS[decision] < STRICTNESS.ask)
    return { part, decision: 'ask', rule: asked, ancestor: null, asking: rules };
  const asking = decision !== 'ask' ? [] : decisive === undefined ? [null, ...rules] : rules;
  return { part, decision, rule: decisive ?? null, ancestor: null, asking };
}

function isOpaqueFor(rule: Rule, part: JudgedPart, { call }: Trial): boolean {
  return isStrict(rule) && isOpaqueTo(rule.tools, part.part, call);
}

/** The strictest outcome of rules that may be about an opaque part, none stricter than the rule itself. It can only tighten. */
function judgeOpaque(
  part: JudgedPart,
  possible: readonly { readonly rule: Rule; readonly ancestor: Judged | null }[],
  trial: Trial,
): PartVerdict | null {
  const outcomes = possible
    .filter(({ rule }) => isOpaqueFor(rule, part, trial))
    .map(({ rule, ancestor }): PartVerdict => {
      const wanted = rule.opaque ?? trial.opaque;
      const decision = STRICTNESS[wanted] > STRICTNESS[rule.decision] ? rule.decision : wanted;
      return { part, decision, rule, ancestor, asking: decision === 'ask' ? [rule] : [], isOpaque: true };
    });
  return outcomes.length === 0 ? null : strictestOf(outcomes);
}

function holdsFor(rule: Rule, judged: Judged, part: JudgedPart, trial: Trial): boolean {
  const holds = holdsSomeTool(rule, part, trial, certaintyOf(rule));
  if (holds) note(trial, rule, part, judged, 'matched');
  else if (trial.tellsAll) note(trial, rule, part, judged, whyNot(rule, part, trial));
  return holds;
}

function whyNot(rule: Rule, part: JudgedPart, trial: Trial): TriedRule['outcome'] {
  if (!isStrict(rule) && holdsSomeTool(rule, part, trial, 'may')) return 'not known enough';
  return rule.tools.some(({ tool }) => tool === trial.call.tool) ? 'other argument' : 'other tool';
}

function holdsSomeTool(rule: Rule, part: JudgedPart, trial: Trial, certainty: Certainty): boolean {
  if (rule.tools.length === 0) return true;
  return holdsOneOf(rule.tools, part.part, trial.call, certainty);
}

function note(
  { call, line, tellsAll, tried }: Trial,
  rule: Rule,
  part: JudgedPart | null,
  as: Judged,
  outcome: TriedRule['outcome'],
): void {
  if (!tellsAll && outcome !== 'matched') return;
  tried.push({
    rule: rule.id,
    part: part === null ? call.tool : partText(part.part, call),
    as: agentText(as),
    isAncestors: as !== line[0],
    outcome,
  });
}

function isStrict({ decision }: Rule): boolean {
  return decision === 'deny' || decision === 'ask';
}

function certaintyOf(rule: Rule): Certainty {
  return isStrict(rule) ? 'may' : 'must';
}

function isEnough(answer: Answer, rule: Rule): boolean {
  return answer === 'yes' || (answer === 'maybe' && certaintyOf(rule) === 'may');
}

function isPersons({ scope }: Rule): boolean {
  return scope === 'user' || scope === 'preset';
}

const SAID: Readonly<Record<Decision, string>> = {
  allow: 'is allowed',
  ask: 'must be asked about',
  deny: 'is denied',
  none: 'is left to the host',
};

function reasonOf({ part, decision, rule, ancestor, isOpaque }: PartVerdict, { call, line }: Trial): string {
  const unsure =
    part.part.kind === 'command' && part.part.command.isDynamic ? ', which is only known when it runs' : '';
  const subject =
    part.part.kind === 'call'
      ? call.tool
      : `${call.tool} (${reasonText(namedPart(part.part, rule, call), call)}${unsure})`;
  if (rule === null) return `${subject} ${SAID[decision]}: no rule says otherwise for ${agentText(line[0] as Judged)}.`;
  const isGuess = ancestor === null && line[0]?.agent === null && rule.agents !== null;
  const who =
    ancestor !== null
      ? `, which binds ${agentText(ancestor)} and all below it`
      : isGuess
        ? ', which may be about this agent: nobody knows which one calls'
        : '';
  const why = rule.reason === null ? '' : `: ${rule.reason.replace(/[.\s]+$/, '')}`;
  const may = isOpaque ? ', which may be about it' : '';
  return `${subject} ${SAID[decision]} by rule "${rule.name ?? rule.id}"${may}${who}${why}.`;
}

/** Of many files, the one that the rule is about. */
function namedPart(part: JudgedPart['part'], rule: Rule | null, call: GuardedCall): JudgedPart['part'] {
  if ((part.kind !== 'read' && part.kind !== 'write') || part.used.among === undefined || rule === null) return part;
  const parts = part.used.among.map((path) => ({ ...part, used: oneOf(part.used, path) }));
  return parts.find((one) => holdsOneOf(rule.tools, one, call, 'may')) ?? part;
}

/** The exact text that triggered the rule, and what runs or names it: `env -S runs "git push"`. */
function reasonText(part: JudgedPart['part'], call: GuardedCall): string {
  // What is opaque is said at the end.
  if (part.kind === 'unknown' && part.text !== null) return `${shortened(part.text, 80)}: ${part.why}`;
  const text = shortened(partText(part, call));
  if (part.kind === 'command') {
    const { wrappers, isSuspected } = part.command;
    const wrapper = wrappers.at(-1);
    if (wrapper === undefined) return text;
    if (isSuspected && text === 'troupe server stop') return `${shortened(wrapper)} may end the server of troupe`;
    return `${shortened(wrapper)} ${isSuspected ? 'may run' : 'runs'} "${text}"`;
  }
  if ((part.kind !== 'read' && part.kind !== 'write') || call.tool !== 'Bash' || text.includes(part.used.via))
    return text;
  return `${shortened(part.used.via)}: ${text}`;
}

function shortened(text: string, most = 120): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

function agentText({ agent }: Judged): string {
  if (agent === null) return 'an agent that is not known';
  return labelOf(agent);
}

/** What became of one part of a call that is asked about as a whole. */
interface AskedPart {
  readonly decision: Decision;
  /** Whoever asks about it, where it is asked about; null: the default does. */
  readonly asking: readonly (Pick<Rule, 'wait'> | null)[];
}

/**
 * How long a call waits for an answer. Only where every rule that asks waits, and as long as the most impatient one: the
 * question of a rule without `wait`, or of a default, is the host's to ask (null). Without an answer it is allowed only where
 * all of them say so and nothing else in the call is left to the host.
 */
export function waitOf(parts: readonly AskedPart[]): Rule['wait'] {
  const asking = parts.flatMap((part) => part.asking);
  const waits = asking.flatMap((rule) => rule?.wait ?? []);
  if (waits.length === 0 || waits.length < asking.length) return null;
  const mayAllow =
    waits.every(({ otherwise }) => otherwise === 'allow') && parts.every(({ decision }) => decision !== 'none');
  return { ms: Math.min(...waits.map(({ ms }) => ms)), otherwise: mayAllow ? 'allow' : 'deny' };
}
