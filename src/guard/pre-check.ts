// The pre-check: the answer to calls that no rule can be about, by agent, time and tool alone. Analysing what a call does takes
// longer, and the host waits.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { CallerChain, CallerReading, CallingAgent, HookEvent, HooksCapability } from '../hosts/index.ts';
import { isEqual } from '../lib/json.ts';
import type { BudgetVerdict } from './budgets.ts';
import type { AgentsAbove } from './callers.ts';
import { isInWindow, lineOf, selecting } from './match/agent.ts';
import { canBeAbout } from './match/tool-pattern.ts';
import { projectRoot } from './policy/sources.ts';
import {
  type AgentSelector,
  type Decision,
  defaultOf,
  type GuardedAgent,
  type GuardedCall,
  labelOf,
  type Policy,
  type Rule,
} from './policy.ts';

export interface JudgeOptions {
  readonly host: Pick<HooksCapability, 'formatAnswer' | 'cannotAsk' | 'cannotChangeInput'>;
  readonly caller: CallerChain;
  /** Which policy holds in a project. Whatever goes wrong there is in the policy: it never throws. */
  readonly policyFor: (folder: string) => Policy;
  /** Agents of other sessions, of any host, that started this one (callers.ts). */
  readonly above?: Pick<AgentsAbove, 'agents' | 'isPartial'>;
  /** Other folders whose policies hold, too: `foldersFor` says which of them matter. */
  readonly alsoIn?: readonly string[];
  readonly home: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** What budgets say to the call; left out: there are none, or nothing is left to say. */
  readonly budget?: BudgetVerdict | undefined;
}

export interface Judgement {
  /** What the hook is to print. */
  readonly printed: string;
  readonly decision: Decision;
  /** The rule that won. */
  readonly rule: string | null;
  readonly reason: string;
  /** Of an ask: troupe itself waits for an answer (`answerRequest`). Left out: the host asks. */
  readonly wait?: NonNullable<Rule['wait']> & {
    /** For the person: what the rule says of itself. */
    readonly why: string;
  };
  /** Whoever answers later hands it on, where the call may go on. */
  readonly given?: GivenInput;
  /** What budgets say to the agent. */
  readonly note?: string;
}

/** What a call is given in place of what it was to be given, and how that is said. */
export interface GivenInput {
  readonly input: unknown;
  readonly words: string;
}

/** Undefined: what the call does has to be analysed. */
export function preCheck(event: HookEvent, trials: readonly Trial[]): Judgement | undefined {
  // A question is judged already, as the call that it is about: now a person is asked.
  if (!event.call || event.question !== undefined) return NO_OPINION;
  const hasNone = trials.every(
    ({ policy, call }) => isSilent(policy) || (defaultOf(policy, call) === 'none' && !hasRuleFor(policy, call)),
  );
  return hasNone ? NO_OPINION : undefined;
}

/** One way to judge a call: who may have made it, in which project. Of all, the strictest outcome holds. */
export interface Trial {
  readonly policy: Policy;
  readonly call: UnreadCall;
  /** Why the call is judged in this way as well, for people. Left out: it is the way that the strongest sources name. */
  readonly because?: string;
}

export function trialsFor(event: HookEvent, options: JudgeOptions): readonly Trial[] {
  const { caller, above, policyFor } = options;
  const readings: readonly CallerReading[] = [caller, ...(caller.otherwise ?? [])];
  const [base = '/', ...more] = foldersFor(event, options);
  const own = policyFor(base);
  const policies = more.flatMap((folder) => {
    const policy = policyFor(folder);
    return isEqual(policy, own) && !namesProjects(policy) ? [] : [{ folder, policy, also: folder }];
  });
  return [{ folder: caller.project, policy: own, also: undefined }, ...policies].flatMap(({ folder, policy, also }) =>
    readings.flatMap((reading, index): readonly Trial[] => {
      const call = toUnreadCall(event, {
        ...options,
        caller: { ...reading, ...(folder !== undefined && { project: folder }) },
      });
      const because = [
        ...(index > 0 ? [`sources disagree about who calls (${caller.contradictions?.join('; ')})`] : []),
        ...(also === undefined ? [] : [`the policy of ${also} holds, too`]),
      ].join(', and ');
      const trial = { policy, call, ...(because !== '' && { because }) };
      return [trial, ...startedTrials(trial, above)];
    }),
  );
}

/** Of a session that an agent started, the main agent is below that one, whatever its host says of it. */
function startedTrials({ policy, call, because }: Trial, above: JudgeOptions['above']): readonly Trial[] {
  if (!above || (above.agents.length === 0 && !above.isPartial)) return [];
  const below = withAbove(call, above);
  const line = [...above.agents.map(labelOf), ...(above.isPartial ? ['?'] : [])].join(' › ');
  const words = [`an agent started its session (${line})`, ...(because === undefined ? [] : [because])].join(', and ');
  const { agent } = below;
  const asStarted = agent?.kind === 'main' ? [{ ...below, agent: { ...agent, kind: 'session', depth: null } }] : [];
  return [below, ...asStarted].map((one) => ({ policy, call: one, because: words }));
}

/** That of the project first, then others whose policies may differ: those of other projects. */
export function foldersFor(
  event: Pick<HookEvent, 'cwd'>,
  { caller, alsoIn = [], home }: Pick<JudgeOptions, 'caller' | 'alsoIn' | 'home'>,
): readonly string[] {
  const base = caller.project ?? event.cwd ?? '/';
  if (alsoIn.every((folder) => folder === base)) return [base];
  const [own, real] = [projectRoot(base), resolveLinks(base)];
  const folders = new Set([base]);
  for (const folder of new Set(alsoIn.map(resolveLinks))) {
    const root = projectRoot(folder);
    // Without a project, all below the folder in which the session began is the same; nothing is below one that holds the home folder.
    const isSame =
      root === undefined ? own === undefined && isBelow(folder, real) && !isBelow(home, real) : root === own;
    if (folder !== real && !isSame) folders.add(root ?? folder);
  }
  return [...folders];
}

function isBelow(folder: string, above: string): boolean {
  return folder === above || folder.startsWith(`${above.replace(/\/$/, '')}/`);
}

function namesProjects({ rules }: Policy): boolean {
  const names = (selector: AgentSelector | null | undefined): boolean =>
    !!selector && (selector.project !== undefined || names(selector.under));
  return rules.some(({ agents }) => names(agents));
}

const NO_OPINION: Judgement = { printed: '', decision: 'none', rule: null, reason: 'no rule is about it' };

/** Whoever makes a call and whatever it does. */
export function isSilent({ rules, defaults, budgets = [] }: Policy): boolean {
  return rules.length === 0 && budgets.length === 0 && Object.values(defaults).every((decision) => decision === 'none');
}

export function toUnreadCall(
  { call, cwd, host }: HookEvent,
  { caller: { agent, ancestors, project, reason }, home, at }: Pick<JudgeOptions, 'caller' | 'home' | 'at'>,
): UnreadCall {
  const folder = project ?? cwd;
  return {
    agent: agent && toAgent(agent),
    ancestors: ancestors.map(toAgent),
    ...(agent !== null && agent.kind !== 'main' && reason !== undefined && { lacksAncestors: true }),
    host,
    project: folder === undefined ? null : resolveLinks(folder),
    cwd: cwd ?? null,
    home,
    tool: call?.tool ?? '',
    input: call?.input ?? null,
    at,
    offsetMinutes: -new Date(at).getTimezoneOffset(),
  };
}

/** The same call, with those above its whole session. */
function withAbove(call: UnreadCall, { agents, isPartial }: NonNullable<JudgeOptions['above']>): UnreadCall {
  const ancestors = [...agents.map(toAgent), ...call.ancestors];
  return { ...call, ancestors, ...((isPartial || call.lacksAncestors) && { lacksAncestors: true }) };
}

function toAgent({ kind, type, name, depth }: CallingAgent): GuardedAgent {
  return { kind, type, name, depth };
}

/** As far as it exists: a file that is about to be made lies where its folder really is. */
export function resolveLinks(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    const above = path.dirname(place);
    return above === place ? place : path.join(resolveLinks(above), path.basename(place));
  }
}

/** A call that has not been analysed yet. */
export type UnreadCall = Omit<GuardedCall, 'uses'>;

/** False only where `decide` would end in the default, whatever the call does. */
export function hasRuleFor(policy: Policy, call: UnreadCall): boolean {
  const isAboutCaller = aboutCaller(call);
  const isMapped = Object.hasOwn(policy.tools ?? {}, call.tool);
  return policy.rules.some(
    (rule) =>
      (isMapped || isAboutTool(rule, call.tool)) && isInWindow(rule.when, call) !== 'no' && isAboutCaller(rule.agents),
  );
}

/** Can rules about these agents be about the one who calls, or about one above it? Where not, `decide` passes over them. */
export function aboutCaller(
  call: Pick<UnreadCall, 'agent' | 'ancestors' | 'lacksAncestors' | 'host' | 'project'>,
): (agents: AgentSelector | null) => boolean {
  const line = lineOf(call);
  const isSelected = selecting(call);
  return (agents) => line.some((judged) => isSelected(agents, judged) !== 'no');
}

function isAboutTool({ tools }: Rule, tool: string): boolean {
  return tools.length === 0 || tools.some((pattern) => canBeAbout(pattern, tool));
}
