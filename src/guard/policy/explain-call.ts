import type {
  ExplainedPath,
  ExplainedRule,
  ExplainedUses,
  GuardExplanation,
  RuleSuggestion,
} from '../../core/index.ts';
import { decide, explain, findObstacles } from '../decide.ts';
import {
  type AgentSelector,
  type GuardedAgent,
  type GuardedCall,
  PLAIN_RULE,
  type Policy,
  type Rule,
  toToolPattern,
} from '../policy.ts';
import type { CallUses, UsedPath } from '../shell/index.ts';
import { type AllowRule, canBeWritten, selectorFor, suggestPatterns, UNNAMEABLE, writeRules } from '../suggest-rule.ts';

/** What the guard says to a call, and how it comes to it. `ownFile`: the person's own policy. */
export function explainCall(policy: Policy, call: GuardedCall, ownFile: string | null = null): GuardExplanation {
  const { decision, rule, reason, ancestor, tried } = explain(policy, call);
  const rules = new Map(policy.rules.map((one) => [one.id, toExplainedRule(one)]));
  return {
    ...unjudged(call),
    decision,
    rule: rule && toExplainedRule(rule),
    reason,
    ancestor,
    uses: toExplainedUses(call.uses),
    tried: tried.flatMap(({ rule: id, ...trial }) => {
      const told = rules.get(id);
      return told ? [{ rule: told, ...trial }] : [];
    }),
    suggestion: decision === 'deny' || decision === 'ask' ? suggestAllow(policy, call, ownFile) : null,
  };
}

/** For a call of which too little is known. */
export function unjudged({ agent, ancestors, host, project, cwd, tool, input, at }: GuardedCall): GuardExplanation {
  return {
    call: { agent, ancestors, host, project, cwd, tool, input, at: new Date(at).toISOString() },
    decision: null,
    rule: null,
    reason: null,
    ancestor: null,
    recorded: null,
    caveats: [],
    uses: null,
    tried: [],
    suggestion: null,
  };
}

function toExplainedUses({ commands, reads, writes, hosts, unknown, unproven }: CallUses): ExplainedUses {
  return {
    commands: commands.map(({ text, isDynamic, wrappers }) => ({ text, isDynamic, wrappers })),
    reads: reads.map(toExplainedPath),
    writes: writes.map(toExplainedPath),
    hosts,
    unknown: unknown ?? unproven,
  };
}

/** What is meant below a path is kept with marks that nobody can read. */
function toExplainedPath({ path, below, via }: UsedPath): ExplainedPath {
  return { path, isFolder: below !== null, via };
}

/** What tells people which rule is meant. */
function toExplainedRule({ id, name, decision, place }: Rule): ExplainedRule {
  return { id, name, decision, place };
}

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
  const suggested = suggestPatterns(call, inherited);
  if (typeof suggested === 'string') return none(`No pattern can allow exactly this: ${suggested}.`);
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
  const patterns = tools.map(toToolPattern);
  return { ...PLAIN_RULE, id, name: name || null, agents, tools: patterns, decision: 'allow', despiteAncestors };
}
