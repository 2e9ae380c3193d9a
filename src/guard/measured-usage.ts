// What agents used, by the trees of their sessions: measured once for each tree, and added up for a budget.

import {
  type AgentId,
  type AgentNode,
  type BudgetHolder,
  computeCost,
  hostOf,
  isAtWork,
  labelOf as nameOf,
  nativeId,
  type SessionId,
  type SessionTree,
  selectMain,
  type TimedUsage,
  type ToolCallId,
} from '../core/index.ts';
import { getOrAdd } from '../lib/group.ts';
import { isSelected, type Judged } from './match/agent.ts';
import { BUDGET_LIMITS, type Budget, type BudgetLimit, type GuardedAgent, type TokenKind } from './policy.ts';

/** What the agents of a session used, with those of sessions that they started. */
export interface MeasuredSession {
  readonly id: SessionId;
  readonly title: string | null;
  readonly project: string | null;
  readonly agents: ReadonlyMap<AgentId, MeasuredAgent>;
  /** Requests of the host that belong to no agent. */
  readonly unattributed: readonly MeasuredSlot[];
}

export interface MeasuredAgent {
  readonly id: AgentId;
  readonly session: SessionId;
  readonly judged: Judged;
  readonly parent: AgentId | undefined;
  /** The agent itself first, main last. */
  readonly line: readonly AgentId[];
  readonly label: string;
  readonly slots: readonly MeasuredSlot[];
  /** It replied, and its host wrote no numbers. */
  readonly hasNoNumbers: boolean;
  readonly toolCalls: number;
  /** Epoch milliseconds; without an end as long as it is at work. */
  readonly runs: readonly { readonly from: number; readonly until: number | undefined }[];
  readonly isSubAgent: boolean;
  readonly isAtWork: boolean;
  readonly startedAt: number;
  /** That made it. */
  readonly call: ToolCallId | undefined;
}

/** In a quarter of an hour. */
interface MeasuredSlot {
  readonly at: number;
  readonly tokens: Readonly<Record<TokenKind, number>>;
  readonly turns: number;
  readonly usd: number;
  readonly unpriced: readonly string[];
}

/** It may be asked again for the same tree at each call: only what changed is measured again. */
export function measureSession(tree: SessionTree): MeasuredSession {
  const nodes = new Map(tree.agents.map((node) => [node.id, node]));
  const agents = new Map(tree.agents.map((node) => [node.id, measureAgent(node, tree, nodes)]));
  return {
    id: tree.id,
    title: tree.title ?? null,
    project: tree.cwd ?? selectMain(tree)?.cwd ?? null,
    agents,
    unattributed: (tree.unattributed ?? []).map(toSlot),
  };
}

/** Replies without numbers: the first ones may be on their way. */
const MANY_MESSAGES = 4;

function measureAgent(node: AgentNode, tree: SessionTree, nodes: ReadonlyMap<AgentId, AgentNode>): MeasuredAgent {
  const line: AgentNode[] = [];
  for (let at: AgentNode | undefined = node; at && !line.includes(at); at = at.link.parent && nodes.get(at.link.parent))
    line.push(at);
  const slots = node.usageByTime.map(toSlot);
  const { usageByTime, messageCount = 0, toolCallCount = 0 } = node;
  const runs = node.runs.flatMap(({ startedAt, endedAt, status }) => {
    const until = endedAt ?? (isAtWork(status) ? undefined : node.lastActivityAt);
    return startedAt === undefined ? [] : [{ from: startedAt, until }];
  });
  return {
    id: node.id,
    session: tree.id,
    judged: { agent: toGuarded(node), ancestors: line.slice(1).reverse().map(toGuarded) },
    parent: node.link.parent,
    line: line.map(({ id }) => id),
    label: node.kind === 'main' ? 'main' : nameOf(node),
    slots,
    hasNoNumbers: usageByTime.length === 0 && messageCount >= MANY_MESSAGES && toolCallCount > 1,
    toolCalls: toolCallCount,
    runs: runs.length > 0 ? runs : timesOf(node),
    isSubAgent: node.kind !== 'main' && node.kind !== 'internal',
    isAtWork: isAtWork(node.status) && node.waitingOn !== 'input',
    startedAt: node.startedAt ?? 0,
    call: node.link.call,
  };
}

/** A main agent has no runs of its own. */
function timesOf({ startedAt, lastActivityAt, status, waitingOn }: AgentNode): MeasuredAgent['runs'] {
  if (startedAt === undefined) return [];
  return [{ from: startedAt, until: isAtWork(status) && waitingOn !== 'input' ? undefined : lastActivityAt }];
}

function toGuarded({ kind, type, name, depth }: AgentNode): GuardedAgent {
  return { kind, type: type ?? null, name: name ?? null, depth: depth ?? null };
}

function toSlot(timed: TimedUsage): MeasuredSlot {
  const { input, output, cacheRead, cacheWrite } = timed.usage;
  const { usd, unpricedModels } = computeCost([timed], false);
  const tokens = { input, output, cache_read: cacheRead, cache_write: cacheWrite };
  return { at: timed.at, tokens, turns: timed.requests ?? 0, usd, unpriced: unpricedModels };
}
/** No agent: what concerns folders alone is asked of it. */
export const UNKNOWN: Judged = { agent: null, ancestors: [] };

export function isBelow({ line, id }: MeasuredAgent, top: AgentId | undefined, isAlone: boolean): boolean {
  return id === top || (!isAlone && top !== undefined && line.includes(top));
}
/** Of a day: the midnight before, by the local clock. */
export function startOf({ per }: Pick<Budget, 'per'>, at: number): number {
  return per === 'day' ? midnightBefore(at) : 0;
}

export function midnightBefore(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
/** By the calendar: days of 23 and 25 hours exist. */
export function nextMidnight(at: number): number {
  const date = new Date(midnightBefore(at));
  return date.setDate(date.getDate() + 1);
}

/** Sums of sessions that did not change since, for one budget each: today may have hundreds of them. */
const parts = new WeakMap<MeasuredSession, WeakMap<Budget, Sum>>();

/** Added to in place. */
export class Sum {
  readonly #budget: Budget;
  readonly #from: number;
  readonly #now: number;
  readonly #by = new Map<MeasuredAgent, { tokens: number; usd: number }>();
  /** Since when runs are under way that have not ended. */
  readonly #open: number[] = [];
  readonly #used: Record<BudgetLimit, number> = {
    ...{ tokens: 0, usd: 0, turns: 0, tool_calls: 0, minutes: 0, spawns: 0, agents_at_once: 0, depth: 0 },
  };
  readonly unpriced = new Set<string>();
  /** Agents whose host wrote no numbers. */
  readonly withoutNumbers = new Set<string>();
  readonly agents = new Set<AgentId>();
  /** Calls that made them. */
  readonly calls = new Set<ToolCallId>();

  constructor(budget: Budget, from: number, now: number) {
    this.#budget = budget;
    this.#from = from;
    this.#now = now;
  }

  used(limit: BudgetLimit): number {
    if (limit !== 'minutes') return this.#used[limit];
    return this.#open.reduce((sum, from) => sum + Math.max(0, this.#now - from) / 60_000, this.#used.minutes);
  }

  addSession(session: MeasuredSession): void {
    const known = getOrAdd(parts, session, () => new WeakMap<Budget, Sum>());
    let part = known.get(this.#budget);
    if (part === undefined || part.#from !== this.#from) {
      part = new Sum(this.#budget, this.#from, this.#now);
      part.#addWhole(session);
      known.set(this.#budget, part);
    }
    this.#absorb(part);
  }

  #addWhole({ agents, unattributed, project, id }: MeasuredSession): void {
    const { agents: selector, project: folders } = this.#budget;
    const around = { host: hostOf(id), project };
    if (isSelected(folders && { project: folders }, UNKNOWN, around) !== 'yes') return;
    for (const agent of agents.values())
      if (isSelected(selector, agent.judged, { host: hostOf(agent.id), project }) !== 'no') this.add(agent);
    if (selector === null) for (const slot of unattributed) this.#addSlot(slot);
  }

  #absorb(part: Sum): void {
    for (const limit of BUDGET_LIMITS) this.#used[limit] += part.#used[limit];
    for (const from of part.#open) this.#open.push(from);
    for (const model of part.unpriced) this.unpriced.add(model);
    for (const label of part.withoutNumbers) this.withoutNumbers.add(label);
    for (const id of part.agents) this.agents.add(id);
    for (const call of part.calls) this.calls.add(call);
    for (const [agent, amounts] of part.#by) this.#by.set(agent, amounts);
  }

  add(agent: MeasuredAgent): void {
    const used = this.#used;
    const before = { tokens: used.tokens, usd: used.usd };
    for (const slot of agent.slots) this.#addSlot(slot);
    this.#by.set(agent, { tokens: used.tokens - before.tokens, usd: used.usd - before.usd });
    const isNew = agent.startedAt >= this.#from;
    used.tool_calls += agent.toolCalls;
    for (const { from, until } of agent.runs) {
      const begin = Math.max(from, this.#from);
      if (until === undefined) this.#open.push(begin);
      else used.minutes += Math.max(0, until - begin) / 60_000;
    }
    if (agent.hasNoNumbers) this.withoutNumbers.add(agent.label);
    this.agents.add(agent.id);
    if (!agent.isSubAgent) return;
    if (agent.call !== undefined) this.calls.add(agent.call);
    if (isNew) used.spawns++;
    if (agent.isAtWork) used.agents_at_once++;
  }

  #addSlot({ at, tokens, turns, usd, unpriced }: MeasuredSlot): void {
    // A slot without a time may be of any day.
    if (at !== 0 && at < this.#from) return;
    const used = this.#used;
    for (const kind of this.#budget.count) used.tokens += tokens[kind];
    used.turns += turns;
    used.usd += usd;
    for (const model of unpriced) this.unpriced.add(model);
  }

  /** Who used most. */
  largest(limit: number): BudgetHolder['by'] {
    return [...this.#by]
      .filter(([, { tokens }]) => tokens > 0)
      .sort(([, a], [, b]) => b.usd - a.usd || b.tokens - a.tokens)
      .slice(0, limit)
      .map(([{ label, id, session }, { tokens, usd }]) => ({
        ...{ label, agentId: nativeId(id), sessionId: nativeId(session), tokens, usd },
      }));
  }

  /** Why a limit cannot be computed. */
  problemOf(limit: BudgetLimit): string | undefined {
    const isOfTokens = limit === 'tokens' || limit === 'usd' || limit === 'turns';
    if (isOfTokens && this.withoutNumbers.size > 0)
      return `the host writes no usage of ${[...this.withoutNumbers].join(', ')}`;
    if (limit !== 'usd' || this.unpriced.size === 0) return undefined;
    const names = [...this.unpriced].map((name) => name || 'an unnamed model');
    return `no price is known for ${names.join(', ')}`;
  }
}
