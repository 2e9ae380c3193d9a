import { agentKey, type SessionDetail, sessionKey } from '../../../../src/core/index.ts';
import { type Memory, remember } from './memory.ts';

/** What was seen of every agent that is still there. */
export interface Memories {
  /** `all`: who is not among them is forgotten, even if only a part of them is shown. */
  take(sessions: readonly SessionDetail[], now: number, all?: readonly SessionDetail[]): void;
  of(key: string): Memory | undefined;
}

export function createMemories(): Memories {
  const known = new Map<string, Memory>();
  let taken: readonly SessionDetail[] = [];

  const takeSession = (session: SessionDetail, before: SessionDetail | undefined, now: number): void => {
    const { main, subagents } = session;
    const mainKey = agentKey(main);
    const isWatched = known.has(mainKey);
    known.set(mainKey, remember(known.get(mainKey), main, now));
    for (const [at, agent] of subagents.entries()) {
      // Most are the same as last time, in the same place.
      if (before?.subagents[at] === agent) continue;
      const key = agentKey(agent);
      const memory = known.get(key);
      // Who was there before we looked was asked for at a point that nobody saw.
      const parent = !memory && isWatched && agent.parentId !== null ? agentKey({ ...agent, id: agent.parentId }) : '';
      known.set(key, remember(memory, agent, now, known.get(parent)?.agent.contextTokens));
    }
  };

  const forget = (sessions: readonly SessionDetail[]): void => {
    const count = sessions.reduce((sum, { subagents }) => sum + 1 + subagents.length, 0);
    if (count === known.size) return;
    const keys = new Set(sessions.flatMap(({ main, subagents }) => [main, ...subagents]).map(agentKey));
    for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
  };

  return {
    take(sessions, now, all = sessions) {
      if (sessions === taken) return;
      const before = new Map(taken.map((session) => [sessionKey(session), session]));
      for (const session of sessions) {
        const old = before.get(sessionKey(session));
        if (old !== session) takeSession(session, old, now);
      }
      forget(all);
      taken = sessions;
    },
    of: (key) => known.get(key),
  };
}
