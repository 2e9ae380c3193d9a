import type { AgentReport, TimelineReport } from '../../../src/core/index.ts';

/** When the call began that the agent is in the middle of; undefined where nobody wrote it down, or it is too new. */
export function currentCallSince(
  agent: AgentReport,
  timeline: TimelineReport | undefined,
  now: number,
): number | undefined {
  if (agent.currentTool === null) return undefined;
  const calls = timeline?.agents.find(({ id }) => id === agent.id)?.calls ?? [];
  const open = calls.findLast(
    ({ tool, summary, startedAt, endedAt }) =>
      tool === agent.currentTool &&
      summary === agent.currentToolSummary &&
      startedAt !== null &&
      Date.parse(startedAt) <= now &&
      (endedAt === null || Date.parse(endedAt) > now),
  );
  return open?.startedAt ? Date.parse(open.startedAt) : undefined;
}
