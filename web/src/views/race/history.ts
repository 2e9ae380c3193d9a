import type { AgentReport, TimelineAgent, TimelineReport } from '../../../../src/core/index.ts';

// Where a timeline was fetched it knows better than our memory where things happened.

const indexed = new WeakMap<TimelineReport, ReadonlyMap<string, TimelineAgent>>();

function agentIn(timeline: TimelineReport, id: string): TimelineAgent | undefined {
  let byId = indexed.get(timeline);
  if (!byId) {
    byId = new Map(timeline.agents.map((agent) => [agent.id, agent]));
    indexed.set(timeline, byId);
  }
  return byId.get(id);
}

/** What filled the parent's context when it asked for this agent. */
export function spawnTokens(timeline: TimelineReport, { id, parentId, startedAt }: AgentReport): number | undefined {
  const parent = parentId === null ? undefined : agentIn(timeline, parentId);
  const at = parent?.calls.find(({ spawned }) => spawned === id)?.startedAt ?? startedAt;
  if (!parent || at === null) return undefined;
  return parent.replies.findLast((reply) => reply.at !== null && reply.at <= at)?.contextTokens;
}

/** Tokens from which compactions set it back, up to a moment. */
export function setBackTokens(timeline: TimelineReport, id: string, now: number): readonly number[] {
  const compactions = agentIn(timeline, id)?.compactions ?? [];
  return compactions.flatMap(({ at, tokensBefore }) =>
    tokensBefore !== null && (at === null || Date.parse(at) <= now) ? tokensBefore : [],
  );
}
