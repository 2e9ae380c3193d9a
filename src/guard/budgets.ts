// What follows for a call from the budgets of a policy and what agents used (`measured-usage.ts`). Pure: the server, the hook without a
// server and `troupe budget` ask the same functions.

import {
  type AgentId,
  type BudgetHolder,
  type BudgetReport,
  type BudgetUse,
  hostOf,
  nativeId,
  plural,
  type SessionTree,
  type ToolCallId,
  toAgentId,
  toSessionId,
} from '../core/index.ts';
import { isSelected, type Judged } from './match/agent.ts';
import {
  isBelow,
  type MeasuredAgent,
  type MeasuredSession,
  measureSession,
  nextMidnight,
  Sum,
  startOf,
  UNKNOWN,
} from './measured-usage.ts';
import {
  BUDGET_LIMITS,
  type Budget,
  type BudgetLimit,
  COUNTED_TOKENS as COUNTED,
  type GuardedAgent,
  labelOf,
} from './policy.ts';

/** What is known of a call, and of what was decided before. */
export interface BudgetCall {
  readonly agent: GuardedAgent | null;
  /** Undefined if the caller is unknown. */
  readonly id: AgentId | undefined;
  /** Main first. */
  readonly ancestors: readonly { readonly id: AgentId; readonly agent: GuardedAgent }[];
  readonly host: string;
  readonly project: string | null;
  readonly spawns: boolean;
  readonly call: ToolCallId | undefined;
  readonly tool: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface BudgetFacts {
  /** Of the call: undefined if it has only begun. */
  readonly session: MeasuredSession | undefined;
  /** Why its session cannot be measured. */
  readonly problem?: string | undefined;
  /** All of today, or all that there are; that of the call as well. */
  readonly sessions: (budget: Budget) => readonly MeasuredSession[];
  /** Sub-agents that were let start, and are not in the tree yet. */
  readonly pending?: readonly { readonly by: AgentId; readonly call: ToolCallId }[];
  /** The call is in the transcript already. */
  readonly isCounted?: boolean;
  /** How many calls the agent has made after the limit. */
  readonly graceUsed?: (budget: Budget, agent: AgentId) => number;
  readonly raised?: Raised;
}

/** Limits that a person raised, by the id of the budget. */
export type Raised = ReadonlyMap<string, Readonly<Partial<Record<BudgetLimit, number>>>>;

export interface BudgetVerdict {
  readonly decision: 'none' | 'ask' | 'deny';
  /** The id of the budget that decided; null: none did. */
  readonly budget: string | null;
  readonly reason: string;
  /** For the agent, if the call may run. */
  readonly notes: readonly BudgetNote[];
}

export interface BudgetNote {
  readonly budget: string;
  /** Whose budget it is. */
  readonly holder: string;
  readonly state: 'warned' | 'reached' | 'grace';
  readonly text: string;
}

export const NO_BUDGET: BudgetVerdict = { decision: 'none', budget: null, reason: '', notes: [] };

/** The strictest of all budgets holds. `onError`: what holds if usage is not known. */
export function judgeBudgets(
  budgets: readonly Budget[],
  call: BudgetCall,
  facts: BudgetFacts,
  onError: 'allow' | 'ask' | 'deny' | 'none',
): BudgetVerdict {
  const verdicts = budgets.flatMap((budget) =>
    holdersOf(budget, call, facts).map((holder) => judgeHolder(budget, holder, call, facts, onError)),
  );
  const rank = { none: 0, ask: 1, deny: 2 } as const;
  const strictest = verdicts.reduce((a, b) => (rank[b.decision] > rank[a.decision] ? b : a), NO_BUDGET);
  return { ...strictest, notes: verdicts.flatMap(({ notes }) => notes) };
}

/** Whose usage is held against the limits. */
interface Holder {
  readonly key: string;
  /** In a sentence: `of this session`. */
  readonly words: string;
  readonly used: () => Sum;
  /** Why it is not known. */
  readonly problem?: string | undefined;
}

function holdersOf(budget: Budget, call: BudgetCall, facts: BudgetFacts): readonly Holder[] {
  const around = { host: call.host, project: call.project };
  const isOfProject = isSelected(budget.project && { project: budget.project }, UNKNOWN, around);
  if (isOfProject === 'no') return [];
  const self: Judged = { agent: call.agent, ancestors: call.ancestors.map(({ agent }) => agent) };
  const { session, problem } = facts;
  const from = startOf(budget, call.at);
  const sumOf = (agents: Iterable<MeasuredAgent>): Sum => {
    const sum = new Sum(budget, from, call.at);
    for (const agent of agents) sum.add(agent);
    return sum;
  };
  if (budget.per === 'agent' || budget.per === 'subtree') {
    const line = [{ id: call.id, judged: self }, ...aboveOf(call)];
    const bound = budget.per === 'agent' ? line.slice(0, 1) : line;
    return bound.flatMap(({ id, judged }): readonly Holder[] => {
      if (isSelected(budget.agents, judged, around) === 'no') return [];
      const name = judged.agent === null ? 'unknown' : labelOf(judged.agent);
      const words = id === call.id ? 'of this agent' : `of the agent ${name}`;
      return [
        {
          key: id ?? '',
          words: budget.per === 'agent' ? words : `${words} and all below it`,
          used: () =>
            sumOf([...(session?.agents.values() ?? [])].filter((one) => isBelow(one, id, budget.per === 'agent'))),
          problem: id === undefined ? 'nobody knows which agent calls' : problem,
        },
      ];
    });
  }
  if (isSelected(budget.agents, self, around) === 'no') return [];
  if (budget.per === 'session') {
    const used = (): Sum => {
      const sum = new Sum(budget, from, call.at);
      if (session) sum.addSession(session);
      return sum;
    };
    return [{ key: session?.id ?? 'new', words: 'of this session', used, problem }];
  }
  const isCounted = (one: MeasuredSession): boolean => budget.per === 'day' || one.project === session?.project;
  const used = (): Sum => {
    const sum = new Sum(budget, from, call.at);
    for (const one of facts.sessions(budget)) if (isCounted(one)) sum.addSession(one);
    return sum;
  };
  const words = budget.per === 'day' ? 'of today' : 'of this project';
  return [{ key: budget.per === 'day' ? `day ${from}` : (session?.project ?? ''), words, used, problem }];
}

function aboveOf({ ancestors }: BudgetCall): readonly { readonly id: AgentId; readonly judged: Judged }[] {
  return ancestors
    .map(({ id, agent }, index) => ({
      id,
      judged: { agent, ancestors: ancestors.slice(0, index).map((one) => one.agent) },
    }))
    .reverse();
}

/** Limits on starting sub-agents. */
const OF_SPAWNS: ReadonlySet<BudgetLimit> = new Set(['spawns', 'agents_at_once', 'depth']);

/** Calls that hand in a result, or write it down. */
const HANDS_IN = new Set([
  'Write',
  'Edit',
  'MultiEdit',
  'NotebookEdit',
  'SendMessage',
  'StructuredOutput',
  'TodoWrite',
]);

function judgeHolder(
  budget: Budget,
  holder: Holder,
  call: BudgetCall,
  facts: BudgetFacts,
  onError: 'allow' | 'ask' | 'deny' | 'none',
): BudgetVerdict {
  const limits = limitsOf(budget, facts.raised).filter(([limit]) => call.spawns || !OF_SPAWNS.has(limit));
  if (limits.length === 0) return NO_BUDGET;
  const sum = holder.problem === undefined ? holder.used() : undefined;
  const notes: BudgetNote[] = [];
  const note = (state: BudgetNote['state'], text: string): void =>
    void notes.push({ budget: budget.id, holder: holder.key, state, text });
  let unknown: BudgetVerdict | undefined;
  for (const [limit, max] of limits) {
    const problem = holder.problem ?? sum?.problemOf(limit) ?? depthProblem(limit, call);
    const used = sum ? usedFor(limit, sum, call, facts) : 0;
    // What is known may be enough to tell that it is too much.
    if (problem !== undefined && used < max) {
      const reason = `Budget "${budget.name}" cannot be computed (${limitWords(limit)}): ${problem}.`;
      const decision = onError === 'deny' || onError === 'ask' ? onError : 'none';
      if (!unknown || decision === 'deny') unknown = { decision, budget: budget.id, reason, notes: [] };
      continue;
    }
    if (used >= max) {
      const words = usedUpWords(budget, holder, limit, used, max, call);
      const isSpawn = OF_SPAWNS.has(limit);
      const left = budget.grace - (call.id === undefined ? 0 : (facts.graceUsed?.(budget, call.id) ?? 0));
      if (!isSpawn && left > 0 && HANDS_IN.has(call.tool)) {
        note('grace', `${words} This call may still hand in your result; ${plural(left - 1, 'such call')} left.`);
        continue;
      }
      note('reached', words);
      const advice = isSpawn ? spawnAdvice(limit) : FINISH;
      const person = budget.onLimit === 'ask' ? ' A person has to allow it.' : '';
      return { decision: budget.onLimit, budget: budget.id, reason: `${words}${person} ${advice}`, notes };
    }
    if (!OF_SPAWNS.has(limit) && used >= budget.warn * max)
      note('warned', warningWords(budget, holder, limit, used, max));
  }
  return unknown ? { ...unknown, notes } : { ...NO_BUDGET, notes };
}

function depthProblem(limit: BudgetLimit, { agent }: BudgetCall): string | undefined {
  return limit === 'depth' && (agent === null || agent.depth === null) ? 'its depth is not known' : undefined;
}

function limitsOf(budget: Budget, raised: Raised | undefined): readonly (readonly [BudgetLimit, number])[] {
  const more = raised?.get(budget.id);
  return BUDGET_LIMITS.flatMap((limit) => {
    const own = budget.limits[limit];
    return own === undefined ? [] : [[limit, Math.max(own, more?.[limit] ?? 0)] as const];
  });
}

/** With what this call would add, of limits on sub-agents. */
function usedFor(limit: BudgetLimit, sum: Sum, call: BudgetCall, { pending = [], isCounted }: BudgetFacts): number {
  if (limit === 'depth') return call.agent?.depth ?? 0;
  if (limit === 'tool_calls') return sum.used('tool_calls') - (isCounted ? 1 : 0);
  if (!OF_SPAWNS.has(limit)) return sum.used(limit);
  const awaited = pending.filter((one) => one.call !== call.call && sum.agents.has(one.by) && !sum.calls.has(one.call));
  // The call itself may stand in the transcript already.
  const isThere = call.call !== undefined && sum.calls.has(call.call) ? 1 : 0;
  return sum.used(limit) + awaited.length - isThere;
}

const FINISH = 'Call no further tools: answer now with what you have, and say what is missing.';

function spawnAdvice(limit: BudgetLimit): string {
  if (limit === 'agents_at_once') return 'Wait until one of them has ended, then try again.';
  return 'Start no further agents: do the work yourself, or say what is missing.';
}

function usedUpWords(
  budget: Budget,
  { words }: Holder,
  limit: BudgetLimit,
  used: number,
  max: number,
  { agent }: BudgetCall,
): string {
  const name = `Budget "${budget.name}" ${words}`;
  switch (limit) {
    case 'spawns':
      return `${name} allows ${plural(max, 'sub-agent')}, and ${used} were started.`;
    case 'agents_at_once':
      return `${name} allows ${plural(max, 'sub-agent')} at once, and ${used} are at work.`;
    case 'depth':
      return `${name} allows sub-agents down to depth ${max}, and this one would be at ${(agent?.depth ?? 0) + 1}.`;
    default:
      return `${name} is used up: ${amountText(limit, used)} of ${limitText(budget, limit, max)}.`;
  }
}

function warningWords(budget: Budget, { words }: Holder, limit: BudgetLimit, used: number, max: number): string {
  const share = Math.floor((100 * used) / max);
  const left = limitText(budget, limit, max - used);
  return `Budget "${budget.name}" ${words}: ${share} % of ${amountText(limit, max)} used, ${left} left. Finish soon, and hand in your result before it is used up.`;
}

function limitText({ count }: Budget, limit: BudgetLimit, amount: number): string {
  const text = amountText(limit, amount);
  if (limit === 'usd') return text;
  return limit === 'tokens'
    ? `${text} tokens (${count.join(', ').replaceAll('_', ' ')})`
    : `${text} ${limitWords(limit)}`;
}

function limitWords(limit: BudgetLimit): string {
  return limit === 'usd' ? 'US dollars' : limit.replaceAll('_', ' ');
}

function amountText(limit: BudgetLimit, amount: number): string {
  if (limit === 'usd') return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`;
  if (limit === 'minutes') return String(Math.floor(10 * amount) / 10);
  return Math.ceil(amount).toLocaleString('en-US');
}

/** How many holders of one budget are listed: those that used most. */
const SHOWN_HOLDERS = 20;
const SHOWN_USERS = 5;

/** What is used of each budget, by whom. `sessions`: all that may count. */
export function reportBudgets(
  budgets: readonly Budget[],
  sessions: readonly MeasuredSession[],
  now: number,
  raised?: Raised,
): readonly BudgetReport[] {
  return budgets.map((budget) => {
    const holders = findHolders(budget, sessions, now).map(({ sum, ...holder }): BudgetHolder => {
      const uses = limitsOf(budget, raised).map(([limit, max]) => toUse(budget, limit, max, sum));
      const shares = uses.map(({ share }) => share ?? 0);
      return {
        ...holder,
        share: Math.max(0, ...shares),
        state: stateOf(budget, uses),
        uses,
        by: sum.largest(SHOWN_USERS),
      };
    });
    const { id, name, scope, per, place, warn, onLimit, grace, agents, project, count } = budget;
    return {
      ...{ id, name, scope, per, file: place.file, line: place.line, warn, onLimit, grace, count },
      agents: agents && JSON.stringify(agents),
      project: project?.[0] ?? null,
      isRaised: raised?.has(id) ?? false,
      resetsAt: per === 'day' ? new Date(nextMidnight(now)).toISOString() : null,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      holders: holders.sort((a, b) => b.share - a.share).slice(0, SHOWN_HOLDERS),
      more: Math.max(0, holders.length - SHOWN_HOLDERS),
    };
  });
}

function toUse(budget: Budget, limit: BudgetLimit, max: number, sum: Sum): BudgetUse {
  const used = limit === 'depth' ? null : sum.used(limit);
  const problem = limit === 'depth' ? null : (sum.problemOf(limit) ?? null);
  const text =
    used === null ? amountText(limit, max) : `${amountText(limit, used)} of ${limitText(budget, limit, max)}`;
  return { limit, max, used, share: used === null || max === 0 ? null : used / max, problem, text };
}

function stateOf(budget: Budget, uses: readonly BudgetUse[]): BudgetHolder['state'] {
  if (uses.some(({ share }) => share !== null && share >= 1)) return 'reached';
  if (uses.some(({ problem }) => problem !== null)) return 'unknown';
  return uses.some(({ share }) => share !== null && share >= budget.warn) ? 'warned' : 'ok';
}

interface FoundHolder extends Pick<BudgetHolder, 'label' | 'sessionId' | 'agentId' | 'isAtWork'> {
  readonly sum: Sum;
}

function findHolders(budget: Budget, sessions: readonly MeasuredSession[], now: number): readonly FoundHolder[] {
  const { per, agents: selector, project: folders } = budget;
  const from = startOf(budget, now);
  const counted = sessions.filter(
    ({ id, project }) => isSelected(folders && { project: folders }, UNKNOWN, { host: hostOf(id), project }) === 'yes',
  );
  const sumOf = (some: readonly MeasuredSession[]): Sum => {
    const sum = new Sum(budget, from, now);
    for (const one of some) sum.addSession(one);
    return sum;
  };
  const busy = (some: readonly MeasuredSession[]): boolean =>
    some.some(({ agents }) => [...agents.values()].some((agent) => agent.isAtWork));
  const whole = { sessionId: null, agentId: null };
  if (per === 'day') return [{ ...whole, label: 'today', isAtWork: busy(counted), sum: sumOf(counted) }];
  if (per === 'project') {
    const projects = [...new Set(counted.map(({ project }) => project))];
    return projects.map((project) => {
      const own = counted.filter((one) => one.project === project);
      return { ...whole, label: project ?? 'unknown', isAtWork: busy(own), sum: sumOf(own) };
    });
  }
  if (per === 'session')
    return counted.map((one) => {
      const sessionId = nativeId(one.id);
      const label = one.title ?? sessionId.slice(0, 8);
      return { label, sessionId, agentId: null, isAtWork: busy([one]), sum: sumOf([one]) };
    });
  return counted.flatMap((one) => {
    const all = [...one.agents.values()];
    return all
      .filter(({ id, judged }) => isSelected(selector, judged, { host: hostOf(id), project: one.project }) !== 'no')
      .map((top) => {
        const sum = new Sum(budget, from, now);
        for (const agent of all) if (isBelow(agent, top.id, per === 'agent')) sum.add(agent);
        const ids = { sessionId: nativeId(one.id), agentId: nativeId(top.id) };
        return { ...ids, label: top.label, isAtWork: top.isAtWork, sum };
      });
  });
}

/** What a whole session used of limits that no policy has. */
export function measureRun(tree: SessionTree, limits: Budget['limits'], now: number): readonly BudgetUse[] {
  const place = { file: '', line: 0 };
  const about = { id: 'run', scope: 'user', name: 'run', place, agents: null, project: null, warn: 1 } as const;
  const budget: Budget = { ...about, per: 'session', limits, count: COUNTED, onLimit: 'deny', grace: 0 };
  const sum = new Sum(budget, 0, now);
  sum.addSession(measureSession(tree));
  return limitsOf(budget, undefined).map(([limit, max]) => toUse(budget, limit, max, sum));
}

/** What a table of tests says that was used, as a session of one agent. */
export function imagineUsage(used: Budget['limits'], call: BudgetCall): MeasuredSession {
  const session = toSessionId(call.host, 'imagined');
  const id = call.id ?? toAgentId(call.host, 'imagined');
  const { tokens = 0, usd = 0, turns = 0, tool_calls = 0, minutes = 0, spawns = 0, agents_at_once = 0 } = used;
  const none = { slots: [], toolCalls: 0, runs: [], isSubAgent: true, startedAt: call.at, call: undefined };
  const own: MeasuredAgent = {
    ...{ ...none, id, session, hasNoNumbers: false, parent: undefined, line: [id], label: 'imagined' },
    judged: { agent: call.agent, ancestors: call.ancestors.map(({ agent }) => agent) },
    // All of one kind, which counts whatever a budget counts.
    slots: [
      { at: call.at, tokens: { input: 0, output: tokens, cache_write: 0, cache_read: 0 }, turns, usd, unpriced: [] },
    ],
    ...{ toolCalls: tool_calls, runs: [{ from: call.at - minutes * 60_000, until: call.at }] },
    ...{ isSubAgent: false, isAtWork: true },
  };
  const started = Array.from({ length: Math.max(spawns, agents_at_once) }, (_, index): MeasuredAgent => {
    const child = toAgentId(call.host, `imagined-${index}`);
    return { ...own, ...none, id: child, parent: id, line: [child, id], isAtWork: index < agents_at_once };
  });
  const agents = new Map([own, ...started].map((agent) => [agent.id, agent]));
  return { id: session, title: null, project: call.project, agents, unattributed: [] };
}
