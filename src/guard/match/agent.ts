// Is this the agent that a rule is about? Where something is not known, the answer is `maybe`: enough to deny, not to allow.

import {
  type AgentSelector,
  type GuardedAgent,
  type GuardedCall,
  SUB_AGENT_KINDS,
  type TimeWindow,
} from '../policy.ts';

export type Answer = 'yes' | 'no' | 'maybe';

/** One for whom rules are asked: the agent, or an ancestor of it. Null: there is one, and nobody knows who. */
export interface Judged {
  readonly agent: GuardedAgent | null;
  readonly ancestors: readonly (GuardedAgent | null)[];
}

type Surroundings = Pick<GuardedCall, 'host' | 'project'>;

export function isSelected(selector: AgentSelector | null, judged: Judged, around: Surroundings): Answer {
  if (selector === null) return 'yes';
  const { agent } = judged;
  const answers: Answer[] = [];
  if (selector.host) answers.push(oneOf(selector.host, around.host));
  if (selector.project) answers.push(around.project === null ? 'maybe' : oneOf(selector.project, around.project));
  if (selector.kind) answers.push(agent === null ? 'maybe' : ofKind(selector.kind, agent.kind));
  if (selector.type) answers.push(ofType(selector.type, agent));
  if (selector.name)
    answers.push(agent === null ? 'maybe' : agent.name === null ? 'no' : oneOf(selector.name, agent.name));
  if (selector.depth) answers.push(atDepth(selector.depth, agent));
  if (selector.under) answers.push(isUnder(selector.under, judged, around));
  return all(answers);
}

/** The same, and each selector is asked once for each of them: in a policy many rules are about the same agents. */
export function selecting(around: Surroundings): (selector: AgentSelector | null, judged: Judged) => Answer {
  const known = new Map<Judged, Map<AgentSelector, Answer>>();
  return (selector, judged) => {
    if (selector === null) return 'yes';
    const answers = known.get(judged) ?? new Map<AgentSelector, Answer>();
    const answer = answers.get(selector) ?? isSelected(selector, judged, around);
    known.set(judged, answers.set(selector, answer));
    return answer;
  };
}

function ofKind(kinds: readonly string[], kind: string): Answer {
  if (kind !== 'main' && kinds.includes('subagent')) return 'yes';
  // The main agent of a session that an agent started: a rule for every sub-agent, as policies are compiled, is for it as well.
  if (kind === 'session' && SUB_AGENT_KINDS.every((one) => kinds.includes(one))) return 'yes';
  return oneOf(kinds, kind);
}

function ofType(types: readonly string[], agent: GuardedAgent | null): Answer {
  if (agent === null) return 'maybe';
  // Main is of no type, nor is that of a session that a command started; of a sub-agent without one it is only not known.
  if (agent.type === null) return agent.kind === 'main' || agent.kind === 'session' ? 'no' : 'maybe';
  return oneOf(types, agent.type);
}

function atDepth({ min, max }: NonNullable<AgentSelector['depth']>, agent: GuardedAgent | null): Answer {
  if (agent === null || agent.depth === null) return 'maybe';
  return agent.depth >= min && (max === null || agent.depth <= max) ? 'yes' : 'no';
}

function isUnder(selector: AgentSelector, { agent, ancestors }: Judged, around: Surroundings): Answer {
  if (agent === null) return 'maybe';
  const answers = ancestors.map((ancestor, index) =>
    isSelected(selector, { agent: ancestor, ancestors: ancestors.slice(0, index) }, around),
  );
  return (['yes', 'maybe'] as const).find((answer) => answers.includes(answer)) ?? 'no';
}

function all(answers: readonly Answer[]): Answer {
  return answers.includes('no') ? 'no' : answers.includes('maybe') ? 'maybe' : 'yes';
}

function oneOf(patterns: readonly string[], text: string): Answer {
  return patterns.some((pattern) => fits(pattern, text)) ? 'yes' : 'no';
}

/** `*` stands for anything; `folder/**` for the folder too. */
function fits(pattern: string, text: string): boolean {
  if (pattern === text || (pattern.endsWith('/**') && text === pattern.slice(0, -3))) return true;
  const parts = pattern.split(/\*+/);
  const [head = ''] = parts;
  if (parts.length === 1 || !text.startsWith(head)) return false;
  let at = head.length;
  const last = parts.at(-1) ?? '';
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** The agent first, then all above it, those that must be there but are not known as null. */
export function lineOf(call: Pick<GuardedCall, 'agent' | 'ancestors' | 'lacksAncestors'>): readonly Judged[] {
  const { agent, ancestors } = call;
  if (agent === null) return [{ agent, ancestors: [] }];
  const above: (GuardedAgent | null)[] = [...ancestors];
  if (agent.kind !== 'main') {
    // Every other agent has main above it; that there is more is told by its depth.
    if (above[0]?.kind !== 'main') above.unshift(MAIN);
    const isWhole = agent.depth === null ? ancestors.length > 0 : above.length >= agent.depth;
    if (!isWhole && !call.lacksAncestors) above.push(null);
  }
  if (call.lacksAncestors) above.push(null);
  return [agent, ...above].map((judged, index) => ({
    agent: judged,
    ancestors: index === 0 ? above : above.slice(0, index - 1),
  }));
}

const MAIN: GuardedAgent = { kind: 'main', type: null, name: null, depth: 0 };

const DAY_MINUTES = 1440;

export function isInWindow(
  window: TimeWindow | null,
  { at, offsetMinutes }: Pick<GuardedCall, 'at' | 'offsetMinutes'>,
): Answer {
  if (window === null) return 'yes';
  // A clock that says nothing: denies hold, allows do not.
  if (!Number.isFinite(at) || !Number.isFinite(offsetMinutes)) return 'maybe';
  if (window.from !== null && at < window.from) return 'no';
  if (window.until !== null && at >= window.until) return 'no';
  const minutes = Math.floor(at / 60_000 + offsetMinutes);
  const ofDay = ((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  // The first of January 1970 was a Thursday.
  const day = (((Math.floor(minutes / DAY_MINUTES) + 4) % 7) + 7) % 7;
  const isDay = (one: number): boolean => window.days?.includes(one) ?? true;
  const [start, end] = window.minutes ?? [0, DAY_MINUTES];
  if (start <= end) return isDay(day) && ofDay >= start && ofDay < end ? 'yes' : 'no';
  // Over midnight the hours after it belong to the day before.
  if (ofDay >= start) return isDay(day) ? 'yes' : 'no';
  return ofDay < end && isDay((day + 6) % 7) ? 'yes' : 'no';
}
