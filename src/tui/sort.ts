import {
  type AgentReport,
  agentKey,
  agentsOf,
  isSessionBusy,
  type SessionDetail,
  type Sort,
  sessionKey,
} from '../core/index.ts';

/** Keys of the sessions as they should stand now: at work first, then the most recent; or by what was asked for. */
export function sortSessions(sessions: readonly SessionDetail[], sort: Sort): readonly string[] {
  const busy = new Set(sort === 'tree' ? sessions.filter(isSessionBusy) : []);
  const amountOf = (session: SessionDetail): number => {
    if (sort === 'tokens') return session.usage.output;
    return sort === 'time' ? lengthOf(session) : instant(session.lastActivityAt);
  };
  return [...sessions]
    .sort((a, b) => Number(busy.has(b)) - Number(busy.has(a)) || amountOf(b) - amountOf(a))
    .map(sessionKey);
}

/** The place of each agent among its siblings, most first. In the order of the tree nobody needs one. */
export function rankAgents(sessions: readonly SessionDetail[], sort: Sort): ReadonlyMap<string, number> {
  if (sort === 'tree') return new Map();
  const amountOf = (agent: AgentReport): number => {
    if (sort === 'tokens') return agent.subtreeUsage.output;
    return sort === 'time' ? lengthOf(agent) : instant(agent.lastActivityAt);
  };
  const sorted = sessions.flatMap(agentsOf).sort((a, b) => amountOf(b) - amountOf(a));
  return new Map(sorted.map((agent, rank) => [agentKey(agent), rank]));
}

/** One that is still at work has been so until its last word: how long ago that was says another column. */
function lengthOf(one: Pick<AgentReport, 'startedAt' | 'lastActivityAt'>): number {
  return one.startedAt === null ? 0 : instant(one.lastActivityAt) - instant(one.startedAt);
}

function instant(iso: string | null): number {
  return iso === null ? 0 : Date.parse(iso);
}
