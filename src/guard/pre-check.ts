// The pre-check: the answer to calls that no rule can be about, by agent, time and tool alone. Analysing what a call does takes
// most of the time that a host waits, so the standalone hook starts with this, without the shell grammar, and loads the rest only
// if a rule may be about the call.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { CallerChain, CallingAgent, HookEvent, HooksCapability } from '../hosts/index.ts';
import { isInWindow, lineOf, selecting } from './match/agent.ts';
import { canBeAbout } from './match/tool-pattern.ts';
import {
  type AgentSelector,
  type Decision,
  defaultOf,
  type GuardedAgent,
  type GuardedCall,
  type Policy,
  type Rule,
} from './policy.ts';

export interface JudgeOptions {
  readonly host: Pick<HooksCapability, 'formatAnswer' | 'cannotAsk' | 'cannotChangeInput'>;
  readonly caller: CallerChain;
  /** Which policy holds in a project. Whatever goes wrong there is in the policy: it never throws. */
  readonly policyFor: (folder: string) => Policy;
  /** Agents of other sessions, of any host, above this one, main first, by its environment (identity.ts). */
  readonly above?: readonly CallingAgent[];
  readonly home: string;
  /** Epoch milliseconds. */
  readonly at: number;
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
}

/** What a call is given in place of what it was to be given, and how that is said. */
export interface GivenInput {
  readonly input: unknown;
  readonly words: string;
}

/** Undefined: what the call does has to be analysed. */
export function preCheck(event: HookEvent, options: JudgeOptions): Judgement | undefined {
  // A question is judged already, as the call that it is about: now a person is asked.
  if (!event.call || event.question !== undefined) return NO_OPINION;
  const policy = options.policyFor(options.caller.project ?? event.cwd ?? '/');
  if (isSilent(policy)) return NO_OPINION;
  const call = withAbove(toUnreadCall(event, options), options.above);
  return defaultOf(policy, call) === 'none' && !hasRuleFor(policy, call) ? NO_OPINION : undefined;
}

const NO_OPINION: Judgement = { printed: '', decision: 'none', rule: null, reason: 'no rule is about it' };

/** Whoever makes a call and whatever it does. */
export function isSilent({ rules, defaults }: Policy): boolean {
  return rules.length === 0 && Object.values(defaults).every((decision) => decision === 'none');
}

export function toUnreadCall(
  { call, cwd, host }: HookEvent,
  { caller: { agent, ancestors, project }, home, at }: Pick<JudgeOptions, 'caller' | 'home' | 'at'>,
): UnreadCall {
  const folder = project ?? cwd;
  return {
    agent: agent && toAgent(agent),
    ancestors: ancestors.map(toAgent),
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
export function withAbove<C extends UnreadCall>(call: C, above: readonly CallingAgent[] = []): C {
  return above.length === 0 ? call : { ...call, ancestors: [...above.map(toAgent), ...call.ancestors] };
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
type UnreadCall = Omit<GuardedCall, 'uses'>;

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
  call: Pick<UnreadCall, 'agent' | 'ancestors' | 'host' | 'project'>,
): (agents: AgentSelector | null) => boolean {
  const line = lineOf(call);
  const isSelected = selecting(call);
  return (agents) => line.some((judged) => isSelected(agents, judged) !== 'no');
}

function isAboutTool({ tools }: Rule, tool: string): boolean {
  return tools.length === 0 || tools.some((pattern) => canBeAbout(pattern, tool));
}
