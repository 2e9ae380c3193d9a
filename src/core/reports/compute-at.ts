import { isOver } from '../tree.ts';
import type { LiveSessionReport, SessionDetail } from './live-shapes.ts';
import type { AgentReport, RunReport } from './shapes.ts';
import type { TimelineAgent, TimelineReport } from './timeline-shapes.ts';

/**
 * How a session stood at a moment in its past: which agents there were, what each was doing, how full its context was.
 * For replay: the faces draw it as they draw the present. What nobody wrote down (a question that was open, a limit of
 * the provider) is not in it.
 */
export function computeAt(detail: SessionDetail, timeline: TimelineReport, instant: number): SessionDetail {
  // Times in the same notation compare as texts: parsing each of a hundred thousand calls would take a tenth of a second.
  const at = new Date(instant).toISOString();
  const over = new Map(timeline.agents.map((agent) => [agent.id, agent]));
  const main = agentAt(detail.main, over.get(detail.main.id), at);
  const begun = detail.subagents.filter(({ startedAt }) => startedAt !== null && startedAt <= at);
  const subagents = withWaits(begun.map((agent) => agentAt(agent, over.get(agent.id), at)));
  const session: LiveSessionReport = {
    ...detail,
    status: subagents.some(({ status }) => status === 'running') ? 'running' : main.status,
    waitingOn: main.waitingOn,
    activity: main.activity,
    currentTool: main.currentTool,
    currentToolSummary: main.currentToolSummary,
    agents: subagents.length + 1,
    running: [main, ...subagents].filter(({ status }) => status === 'running' || status === 'waiting').length,
    lastActivityAt: detail.lastActivityAt !== null && detail.lastActivityAt < at ? detail.lastActivityAt : at,
  };
  return { ...detail, ...session, main, subagents };
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
  const status = isEnded ? run.status : run && isLost(run, agent, at) ? run.status : 'running';
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

/** Its end is not known: after its last sign of life, neither is how it stood. */
function isLost(run: RunReport, agent: AgentReport, at: string): boolean {
  return run.status === 'unknown' && agent.lastActivityAt !== null && agent.lastActivityAt <= at;
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
