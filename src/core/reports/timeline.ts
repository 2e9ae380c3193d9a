// The JSON of a session over time (docs/API.md), and its state at a moment in the past. The names are a contract.

import { groupBy } from '../../lib/group.ts';
import type { CallOutcome } from '../events.ts';
import { hostOf, nativeId } from '../ids.ts';
import { ledgerFor } from '../join-trees.ts';
import type { CallRecord, MessageRecord } from '../ledger.ts';
import { createOwnerOf, indexOf } from '../ledger-index.ts';
import type { OpenedSession } from '../ports.ts';
import { type AgentNode, isAtWork, selectAgents } from '../tree.ts';
import {
  addTo,
  addUsage,
  type Billed,
  contextOf,
  type ModelUsage,
  NO_USAGE,
  smallestUsage,
  type Usage,
  type UsageSum,
} from '../usage.ts';
import { countAgents, type SessionDetail } from './live.ts';
import { addCosts, computeCost, contextWindowOf, isLongRequest } from './prices.ts';
import type { AgentReport, SessionReport, UsageReport } from './shapes.ts';
import { isoTime, orNull } from './tree.ts';

/** What happened when, agent by agent: enough to draw a timeline, and to say how things stood at any moment. */
export interface TimelineReport {
  readonly sessionId: string;
  readonly host: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** In the order of the tree. */
  readonly agents: readonly TimelineAgent[];
}

export interface TimelineAgent {
  readonly id: string;
  /** In the order in which they began. */
  readonly calls: readonly TimelineCall[];
  /** One for each reply of the model. */
  readonly replies: readonly TimelineReply[];
  readonly compactions: readonly TimelineCompaction[];
}

export interface TimelineCall {
  readonly id: string;
  readonly tool: string;
  readonly summary: string | null;
  /** The file that it writes, where the host says so. */
  readonly writes: string | null;
  readonly startedAt: string | null;
  /** null: it has no result. */
  readonly endedAt: string | null;
  readonly outcome: CallOutcome | null;
  /** It asks for an agent, whether or not one can be named. */
  readonly asksForAgent: boolean;
  /** The agent that it made. */
  readonly spawned: string | null;
}

export interface TimelineReply {
  readonly at: string | null;
  readonly model: string | null;
  /** What the request filled of the context. */
  readonly contextTokens: number;
  readonly output: number;
  readonly usage: UsageReport;
  /** What the host says it cost, in billionths of a dollar; null if it says nothing. */
  readonly nanoUsd: number | null;
}

export interface TimelineCompaction {
  readonly at: string | null;
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
}

/** `/api/sessions/:id/timeline`. `since`, in epoch milliseconds, leaves out what was over before. */
export function computeTimeline(
  opened: Omit<OpenedSession, 'ignoredFiles' | 'problems'>,
  { since = 0 }: { readonly since?: number } = {},
): TimelineReport {
  const { tree } = opened;
  const spawnedBy = new Map(tree.agents.map((agent) => [agent.link.call, agent]));
  const owners = new Map([opened.ledger, ...(opened.joined?.values() ?? [])].map((one) => [one, createOwnerOf(one)]));
  return {
    sessionId: nativeId(tree.id),
    host: hostOf(tree.id),
    startedAt: isoTime(tree.startedAt),
    endedAt: isoTime(tree.lastActivityAt),
    agents: selectAgents(tree).map((agent) => {
      const ledger = ledgerFor(agent, opened);
      const { calls, messages } = indexOf(ledger).of(agent.id);
      const isOwn = (record: CallRecord | MessageRecord): boolean => owners.get(ledger)?.(record.agents) === agent.id;
      return {
        id: nativeId(agent.id),
        calls: calls
          // One that is still open has no end: it is never over.
          .filter((call) => isOwn(call) && (call.ended?.at ?? Number.POSITIVE_INFINITY) >= since)
          .sort((a, b) => timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1))
          .map((call) => computeCall(call, spawnedBy.get(call.id))),
        replies: messages
          .filter((message) => isOwn(message) && (message.at ?? 0) >= since)
          .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
          .flatMap(computeReply),
        compactions: [...(ledger.agents.get(agent.id)?.compactions.values() ?? [])].map((one) => ({
          at: isoTime(one.at),
          tokensBefore: orNull(one.tokensBefore),
          tokensAfter: orNull(one.tokensAfter),
        })),
      } satisfies TimelineAgent;
    }),
  };
}

function timeOf(call: CallRecord): number {
  return call.started?.at ?? call.ended?.at ?? 0;
}

function computeCall(call: CallRecord, made: AgentNode | undefined): TimelineCall {
  const { tool, summary, writes } = call.started?.value ?? { tool: 'unknown' };
  return {
    id: call.id,
    tool,
    summary: orNull(summary),
    writes: orNull(writes),
    startedAt: isoTime(call.started?.at),
    endedAt: isoTime(call.ended?.at),
    outcome: orNull(call.ended?.value.outcome),
    asksForAgent: call.spawn !== undefined,
    spawned: made ? nativeId(made.id) : null,
  };
}

function computeReply({ at, model, usage, nanoUsd }: MessageRecord): readonly TimelineReply[] {
  if (!usage) return [];
  const reply = { at: isoTime(at), model: orNull(model?.value), usage, nanoUsd: orNull(nanoUsd) };
  return [{ ...reply, contextTokens: contextOf(usage), output: usage.output }];
}

/**
 * How a session stood at a moment in its past: which agents there were, what each was doing, what it had used by then.
 * For replay: UIs draw it as they draw the present. What has no time in the files (a question that was open, a limit of
 * the provider, the number of messages) is left out, and sums that may lack such things are lower bounds.
 */
export function computeAt(detail: SessionDetail, timeline: TimelineReport, instant: number): SessionDetail {
  // Times in the same notation compare as texts: parsing each of a hundred thousand calls would take a tenth of a second.
  const at = new Date(instant).toISOString();
  const over = new Map(timeline.agents.map((agent) => [agent.id, agent]));
  const present = [detail.main, ...detail.subagents];
  const begun = present.filter(({ kind, startedAt }) => kind === 'main' || isPast(startedAt, at));
  const past = begun.map((agent) => agentAt(agent, over.get(agent.id), at));
  const isAll = past.length === present.length && past.every((agent, index) => agent === present[index]);
  if (isAll) return detail;
  const [main = detail.main, ...subagents] = withSubtrees(withWaits(past));
  return {
    ...detail,
    ...totalsAt(detail, [main, ...subagents]),
    ...countAgents([main, ...subagents]),
    status: subagents.some(({ status }) => status === 'running') ? 'running' : main.status,
    waitingOn: main.waitingOn,
    activity: main.activity,
    currentTool: main.currentTool,
    currentToolSummary: main.currentToolSummary,
    lastActivityAt: [main, ...subagents].map((agent) => agent.lastActivityAt).reduce(later, null) ?? at,
    main,
    subagents,
  };
}

function isPast(time: string | null, at: string): boolean {
  return time !== null && time <= at;
}

function later(a: string | null, b: string | null): string | null {
  return (b ?? '') > (a ?? '') ? b : a;
}

/** Without what belongs to none of the agents shown, and so has no time: the host's own agents and requests. */
function totalsAt(
  { usageIsLowerBound, inheritedUsage, usage: whole, main, subagents }: SessionDetail,
  agents: readonly AgentReport[],
): Pick<SessionReport, 'usage' | 'usageIsLowerBound' | 'unattributedUsage' | 'cost' | 'inheritedUsage'> {
  const ofAgents = [main, ...subagents].reduce((sum, agent) => sum + (agent.usage?.output ?? 0), 0);
  const isLowerBound = usageIsLowerBound || ofAgents < whole.output;
  const usage = agents.map((agent) => agent.usage ?? NO_USAGE).reduce(addUsage, NO_USAGE);
  const cost = addCosts(agents.flatMap((agent) => agent.cost ?? []));
  return {
    usage,
    usageIsLowerBound: isLowerBound,
    unattributedUsage: null,
    cost: { ...cost, isLowerBound: cost.isLowerBound || isLowerBound },
    inheritedUsage: inheritedAt(inheritedUsage, usage),
  };
}

/** What was copied is older than everything else: until all of it was used, nothing else was. */
function inheritedAt(inherited: UsageReport | null, used: UsageReport): UsageReport | null {
  return inherited && smallestUsage(inherited, used);
}

function agentAt(agent: AgentReport, over: TimelineAgent | undefined, at: string): AgentReport {
  if (!hasMore(agent, over, at)) return agent;
  const runs = agent.runs.filter(({ startedAt }) => startedAt === null || isPast(startedAt, at));
  const run = runs.at(-1) ?? agent.runs[0];
  const isEnded = run !== undefined && isPast(run.endedAt, at);
  const calls = (over?.calls ?? []).filter(({ startedAt }) => isPast(startedAt, at));
  const current = isEnded ? undefined : calls.findLast(({ endedAt }) => !isPast(endedAt, at));
  const replies = (over?.replies ?? []).filter((reply) => isPast(reply.at, at));
  const last = replies.at(-1);
  const compactions = (over?.compactions ?? []).filter((compaction) => isPast(compaction.at, at));
  const shrunk = compactions.findLast((one) => (one.at ?? '') > (last?.at ?? ''));
  const contextTokens = shrunk ? shrunk.tokensAfter : (last?.contextTokens ?? null);
  // Its end is not known: after its last sign of life, neither is how it stood.
  const isLost = run?.status === 'unknown' && isPast(agent.lastActivityAt, at);
  const status = run && (isEnded || isLost) ? run.status : 'running';
  const isWorking = isAtWork(status);
  const model = last?.model ?? agent.model;
  const lastTimes = [...calls.map((call) => call.startedAt), ...replies.map((reply) => reply.at), agent.startedAt];
  return {
    ...agent,
    ...usageAt(agent, over?.replies ?? [], replies),
    status,
    waitingOn: null,
    stalled: false,
    activity: isWorking ? (current ? 'tool_use' : 'thinking') : agent.activity,
    currentTool: isWorking ? (current?.tool ?? null) : null,
    currentToolSummary: isWorking ? (current?.summary ?? null) : null,
    toolCallCount: agent.toolCallCount === null ? null : calls.length,
    messageCount: null,
    model,
    tokensUsed: last ? last.contextTokens + last.output : null,
    contextTokens,
    contextWindow:
      model === agent.model ? agent.contextWindow : contextWindowOf(model ?? undefined, contextTokens ?? undefined),
    compactions: compactions.length,
    runs: runs.map((one) => (isPast(one.endedAt, at) ? one : { ...one, endedAt: null, status, reason: null })),
    changes: agent.changes.filter((change) => isPast(change.at, at)),
    lastActivityAt: lastTimes.reduce(later, null),
    completedAt: isEnded ? run.endedAt : null,
  };
}

/** Something about it came after the moment. */
function hasMore(agent: AgentReport, over: TimelineAgent | undefined, at: string): boolean {
  const isLater = (time: string | null): boolean => time !== null && time > at;
  return (
    isLater(agent.lastActivityAt) ||
    isLater(agent.completedAt) ||
    agent.runs.some(({ startedAt, endedAt }) => isLater(startedAt) || isLater(endedAt)) ||
    agent.changes.some((change) => isLater(change.at)) ||
    (over?.calls ?? []).some(({ startedAt, endedAt }) => isLater(startedAt) || isLater(endedAt)) ||
    (over?.replies ?? []).some((reply) => isLater(reply.at))
  );
}

/** Tokens and cost of the replies by then, of its own ones only: `withSubtrees` adds the others. */
function usageAt(
  { usage, inheritedUsage, usageIsLowerBound }: AgentReport,
  all: readonly TimelineReply[],
  replies: readonly TimelineReply[],
): Pick<AgentReport, 'usage' | 'inheritedUsage' | 'usageIsLowerBound' | 'cost'> {
  if (usage === null) return { usage, inheritedUsage, usageIsLowerBound, cost: null };
  const used = replies.reduce<UsageSum>((sum, reply) => addTo(sum, reply.usage, 1), { ...NO_USAGE });
  // Replies without a time, and what only the host's own sums have, may be from before.
  const output = all.reduce((sum, reply) => sum + (reply.at === null ? 0 : reply.output), 0);
  const isLowerBound = usageIsLowerBound || output < usage.output;
  return {
    usage: used,
    inheritedUsage: inheritedAt(inheritedUsage, used),
    usageIsLowerBound: isLowerBound,
    cost: computeCost(byModel(withoutInherited(replies, inheritedUsage)), isLowerBound),
  };
}

/** A copied session has the replies of the other one first; they were paid for there. */
function withoutInherited(replies: readonly TimelineReply[], inherited: UsageReport | null): readonly TimelineReply[] {
  if (!inherited) return replies;
  const inOrder = replies.toSorted((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? ''));
  const left: UsageSum = { ...inherited };
  const first = inOrder.findIndex(({ usage }) => {
    addTo(left, usage, -1);
    return left.input < 0 || left.output < 0 || left.cacheRead < 0 || left.cacheWrite < 0;
  });
  return first === -1 ? [] : inOrder.slice(first);
}

function byModel(replies: readonly TimelineReply[]): readonly ModelUsage[] {
  const named = groupBy(replies, ({ model }) => model);
  return [...named].flatMap(([model, list]): readonly ModelUsage[] => {
    if (model === null) return [];
    const sum = (some: readonly TimelineReply[]): Usage =>
      some.reduce<UsageSum>((total, reply) => addTo(total, reply.usage, 1), { ...NO_USAGE });
    const bills = list.filter(({ nanoUsd }) => nanoUsd !== null);
    const nanoUsd = bills.reduce((total, reply) => total + (reply.nanoUsd ?? 0), 0);
    const parts = (some: readonly TimelineReply[]): Omit<Billed, 'nanoUsd'> => {
      const long = some.filter(({ usage }) => isLongRequest(model, usage));
      return { usage: sum(some), ...(long.length > 0 && { long: sum(long) }) };
    };
    return [{ model, ...parts(list), ...(bills.length > 0 && { billed: { nanoUsd, ...parts(bills) } }) }];
  });
}

/** What those below an agent had used by then counts for it, too. */
function withSubtrees(agents: readonly AgentReport[]): readonly AgentReport[] {
  const below = groupBy(agents, ({ parentId }) => parentId);
  const totals = new Map<string, Pick<AgentReport, 'subtreeUsage' | 'subtreeIsLowerBound' | 'subtreeCost'>>();
  // Children stand behind their parents.
  for (const { id, usage, usageIsLowerBound, cost } of agents.toReversed()) {
    const children = (below.get(id) ?? []).flatMap((child) => totals.get(child.id) ?? []);
    totals.set(id, {
      subtreeUsage: children.map((child) => child.subtreeUsage).reduce(addUsage, usage ?? NO_USAGE),
      subtreeIsLowerBound: usageIsLowerBound || children.some((child) => child.subtreeIsLowerBound),
      subtreeCost: addCosts([...(cost ? [cost] : []), ...children.map((child) => child.subtreeCost)]),
    });
  }
  return agents.map((agent) => ({ ...agent, ...totals.get(agent.id) }));
}

/** Who has an agent of its own at work waits for it. */
function withWaits(agents: readonly AgentReport[]): readonly AgentReport[] {
  const busy = new Set(agents.filter(({ status }) => status === 'running').map(({ toolUseId }) => toolUseId));
  const parents = new Set(agents.filter(({ toolUseId }) => busy.has(toolUseId)).map(({ parentId }) => parentId));
  return agents.map((agent) =>
    agent.kind !== 'main' && agent.status === 'running' && agent.activity === 'tool_use' && parents.has(agent.id)
      ? { ...agent, status: 'waiting', waitingOn: 'child', activity: 'waiting' }
      : agent,
  );
}
