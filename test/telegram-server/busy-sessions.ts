// Many sessions with many agents, each of them busy: a recording of the real program, multiplied, with calls that come and go.

import type {
  AgentReport,
  LiveEvent,
  LiveSnapshot,
  SessionDetail,
  TimelineCall,
  TimelineReport,
} from '../../src/core/index.ts';
import type { NotificationFeed } from '../../src/notify/index.ts';

export interface BusySessions extends NotificationFeed {
  /** Every agent goes on to its next call, or comes to its end. */
  step(now: number): void;
  snapshot(): LiveSnapshot;
}

export interface BusyOptions {
  readonly from: SessionDetail;
  readonly sessions: number;
  readonly agents: number;
  readonly startedAt: number;
  /** So many calls each agent makes, one with each step. */
  readonly calls: number;
}

export function busySessions({ from, sessions, agents, startedAt, calls }: BusyOptions): BusySessions {
  const [model] = from.subagents;
  if (!model) throw new Error('this recording has no sub-agent');
  const iso = (at: number): string => new Date(at).toISOString();
  const listeners = new Set<(event: LiveEvent) => void>();
  let steps = 0;
  let now = startedAt;

  const agentAt = (session: number, index: number): AgentReport => {
    const isOver = steps >= calls;
    const run = {
      toolUseId: `call-${session}-${index}`,
      status: isOver ? ('completed' as const) : ('running' as const),
      signal: 'result' as const,
      reason: null,
      startedAt: iso(startedAt),
      endedAt: isOver ? iso(now) : null,
    };
    return {
      ...model,
      id: `agent-${session}-${index}`,
      sessionId: `session-${session}`,
      parentId: `session-${session}`,
      label: `job ${session}.${index}`,
      toolUseId: run.toolUseId,
      status: run.status,
      activity: 'tool_use',
      currentTool: isOver ? null : 'Bash',
      currentToolSummary: isOver ? null : `step ${steps} of ${session}.${index}`,
      tokensUsed: 1_000 * steps,
      startedAt: iso(startedAt),
      lastActivityAt: iso(now),
      completedAt: run.endedAt,
      runs: [run],
    };
  };
  const sessionAt = (session: number): SessionDetail => {
    const isOver = steps >= calls;
    const main: AgentReport = {
      ...from.main,
      id: `session-${session}`,
      sessionId: `session-${session}`,
      status: isOver ? 'completed' : 'waiting',
      waitingOn: isOver ? null : 'child',
      startedAt: iso(startedAt),
      lastActivityAt: iso(now),
    };
    const subagents = Array.from({ length: agents }, (_, index) => agentAt(session, index));
    return {
      ...from,
      id: `session-${session}`,
      project: `project ${session}`,
      title: `Work ${session}`,
      status: isOver ? 'completed' : 'running',
      main,
      subagents,
      startedAt: iso(startedAt),
      lastActivityAt: iso(now),
    };
  };
  const snapshot = (): LiveSnapshot => ({
    sessions: Array.from({ length: sessions }, (_, index) => sessionAt(index)),
    ...{
      older: [],
      olderTotal: 0,
      emptySessions: 0,
      ignoredFiles: 0,
      places: [],
      isComplete: true,
      notices: [],
      asks: [],
    },
  });
  const callsOf = (session: string, agent: number, since: number): readonly TimelineCall[] => {
    const made: TimelineCall[] = [];
    for (let step = Math.max(0, steps - 40); step < Math.min(steps, calls); step++) {
      const at = stepTimes[step] ?? startedAt;
      if (at < since) continue;
      made.push({
        id: `${session}-${agent}-${step}`,
        tool: 'Bash',
        summary: `step ${step} of ${agent}`,
        writes: null,
        startedAt: iso(at),
        endedAt: iso(at),
        outcome: 'ok',
        asksForAgent: false,
        spawned: null,
      });
    }
    return made;
  };
  const stepTimes: number[] = [];
  return {
    snapshot,
    subscribe(listener) {
      listeners.add(listener);
      listener({ type: 'snapshot', data: snapshot() });
      return { close: () => void listeners.delete(listener) };
    },
    step(at) {
      now = at;
      stepTimes[steps] = at;
      steps++;
      for (const { id, host, main, subagents, ...session } of snapshot().sessions) {
        const data = {
          sessionId: id,
          host,
          session: { id, host, ...session },
          agents: [main, ...subagents],
          removed: [],
          order: null,
          diagnostics: null,
          sources: [],
        };
        for (const listener of listeners) listener({ type: 'change', data });
      }
    },
    async timeline(id, since = 0): Promise<TimelineReport> {
      const list = Array.from({ length: agents }, (_, index) => ({
        id: id.replace('session', 'agent').concat(`-${index}`),
        calls: callsOf(id, index, since),
        replies: [],
        compactions: [],
      }));
      return { sessionId: id, host: from.host, startedAt: iso(startedAt), endedAt: null, agents: list };
    },
    transcript: async () => undefined,
  };
}
