import {
  type AgentReport,
  agentKey,
  agentsOf,
  type SessionDetail,
  type Standing,
  standingOf,
  watchedDoing,
} from '../../../src/core/index.ts';

/** Somebody who needs the person, or of whom nothing has been heard for long. */
export interface Alarm {
  readonly key: string;
  readonly agent: AgentReport;
  readonly session: SessionDetail;
  /** Its last sign of life, in epoch milliseconds. */
  readonly since: number | undefined;
  /** What it waits for. */
  readonly on: string;
}

/** The longest first: their order does not change while they stay silent. */
export function findAlarms(sessions: readonly SessionDetail[], standing: Standing): readonly Alarm[] {
  return sessions
    .flatMap((session) =>
      agentsOf(session)
        .filter((agent) => agent.kind !== 'internal' && standingOf(agent) === standing)
        .map((agent) => toAlarm(agent, session)),
    )
    .sort((a, b) => (a.since ?? Number.MAX_VALUE) - (b.since ?? Number.MAX_VALUE) || (a.key < b.key ? -1 : 1));
}

function toAlarm(agent: AgentReport, session: SessionDetail): Alarm {
  const since = agent.lastActivityAt === null ? undefined : Date.parse(agent.lastActivityAt);
  return { key: agentKey(agent), agent, session, since, on: waitsFor(agent) };
}

function waitsFor(agent: AgentReport): string {
  if (standingOf(agent) === 'needs you') return watchedDoing(agent);
  if (agent.currentTool !== null) return [agent.currentTool, agent.currentToolSummary].filter(Boolean).join(' ');
  return agent.status === 'spawning' ? 'its first word' : 'the model’s reply';
}
