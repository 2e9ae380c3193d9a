// The JSON of a session over time (docs/API.md), and its state at a moment in the past. The names are a contract.

import type { CallOutcome } from '../events.ts';
import { hostOf, nativeId } from '../ids.ts';
import { ledgerFor } from '../join-trees.ts';
import type { CallRecord, MessageRecord } from '../ledger.ts';
import { createOwnerOf, indexOf } from '../ledger-index.ts';
import type { OpenedSession } from '../ports.ts';
import { type AgentNode, isOver, selectAgents } from '../tree.ts';
import { contextOf } from '../usage.ts';
import type { SessionDetail } from './live.ts';
import type { AgentReport } from './shapes.ts';
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

function computeReply({ at, model, usage }: MessageRecord): readonly TimelineReply[] {
  if (!usage) return [];
  return [{ at: isoTime(at), model: orNull(model?.value), contextTokens: contextOf(usage), output: usage.output }];
}

/**
 * How a session stood at a moment in its past: which agents there were, what each was doing, how full its context was.
 * For replay: UIs draw it as they draw the present. What nobody wrote down (a question that was open, a limit of
 * the provider) is not in it.
 */
export function computeAt(detail: SessionDetail, timeline: TimelineReport, instant: number): SessionDetail {
  // Times in the same notation compare as texts: parsing each of a hundred thousand calls would take a tenth of a second.
  const at = new Date(instant).toISOString();
  const over = new Map(timeline.agents.map((agent) => [agent.id, agent]));
  const main = agentAt(detail.main, over.get(detail.main.id), at);
  const begun = detail.subagents.filter(({ startedAt }) => startedAt !== null && startedAt <= at);
  const subagents = withWaits(begun.map((agent) => agentAt(agent, over.get(agent.id), at)));
  return {
    ...detail,
    status: subagents.some(({ status }) => status === 'running') ? 'running' : main.status,
    waitingOn: main.waitingOn,
    activity: main.activity,
    currentTool: main.currentTool,
    currentToolSummary: main.currentToolSummary,
    agents: subagents.length + 1,
    running: [main, ...subagents].filter(({ status }) => status === 'running' || status === 'waiting').length,
    lastActivityAt: detail.lastActivityAt !== null && detail.lastActivityAt < at ? detail.lastActivityAt : at,
    main,
    subagents,
  };
}

function agentAt(agent: AgentReport, over: TimelineAgent | undefined, at: string): AgentReport {
  const isPast = (time: string | null): boolean => time !== null && time <= at;
  const runs = agent.runs.filter(({ startedAt }) => startedAt === null || isPast(startedAt));
  const run = runs.at(-1) ?? agent.runs[0];
  const isEnded = run !== undefined && isPast(run.endedAt);
  const calls = (over?.calls ?? []).filter(({ startedAt }) => isPast(startedAt));
  const open = calls.filter(({ endedAt }) => !isPast(endedAt) && !isEnded);
  const replies = (over?.replies ?? []).filter((reply) => isPast(reply.at));
  const compactions = (over?.compactions ?? []).filter((compaction) => isPast(compaction.at));
  const last = replies.at(-1);
  const shrunk = compactions.findLast((one) => (one.at ?? '') > (last?.at ?? ''));
  const current = open.at(-1);
  // Its end is not known: after its last sign of life, neither is how it stood.
  const isLost = run?.status === 'unknown' && isPast(agent.lastActivityAt);
  const status = run && (isEnded || isLost) ? run.status : 'running';
  const isAtWork = !isOver(status) && status !== 'unknown';
  const lastTimes = [...calls.map((call) => call.startedAt), ...replies.map((reply) => reply.at), agent.startedAt];
  return {
    ...agent,
    status,
    waitingOn: null,
    stalled: false,
    activity: isAtWork ? (current ? 'tool_use' : 'thinking') : agent.activity,
    currentTool: isAtWork ? (current?.tool ?? null) : null,
    currentToolSummary: isAtWork ? (current?.summary ?? null) : null,
    toolCallCount: agent.toolCallCount === null ? null : calls.length,
    contextTokens: shrunk ? shrunk.tokensAfter : (last?.contextTokens ?? null),
    compactions: compactions.length,
    usage: agent.usage && { ...agent.usage, output: replies.reduce((sum, { output }) => sum + output, 0) },
    runs: runs.map((one) => (isPast(one.endedAt) ? one : { ...one, endedAt: null, status, reason: null })),
    lastActivityAt: lastTimes.reduce((a, b) => ((b ?? '') > (a ?? '') ? b : a), null),
    completedAt: isEnded ? run.endedAt : null,
  };
}

/** Who has an agent of its own at work waits for it. */
function withWaits(agents: readonly AgentReport[]): readonly AgentReport[] {
  const busy = new Set(agents.filter(({ status }) => status === 'running').map(({ toolUseId }) => toolUseId));
  const parents = new Set(agents.filter(({ toolUseId }) => busy.has(toolUseId)).map(({ parentId }) => parentId));
  return agents.map((agent) =>
    agent.status === 'running' && agent.activity === 'tool_use' && parents.has(agent.id)
      ? { ...agent, status: 'waiting', waitingOn: 'child', activity: 'waiting' }
      : agent,
  );
}
