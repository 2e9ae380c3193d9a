import { type AgentReport, isAtWork, type SessionDetail } from '../../../../src/core/index.ts';
import type { Block } from './block.ts';
import { factsOf } from './facts.ts';

/** The usual change: some agents went on, and nobody's standing is another. Then the lanes are where they were. */
export function refill(before: Block, session: SessionDetail): Block | undefined {
  const old = before.session;
  if (old.title !== session.title || old.project !== session.project) return undefined;
  if (old.subagents.length !== session.subagents.length) return undefined;
  const changed = new Map<AgentReport, AgentReport>();
  for (let at = -1; at < session.subagents.length; at++) {
    const [was, is] = at < 0 ? [old.main, session.main] : [old.subagents[at], session.subagents[at]];
    if (was === is) continue;
    if (!was || !is || !standsAlike(was, is)) return undefined;
    changed.set(was, is);
  }
  const lanes = before.lanes.map((lane) => {
    const agent = changed.get(lane.agent);
    return agent ? { ...lane, agent } : lane;
  });
  return { ...before, session, lanes };
}

function standsAlike(a: AgentReport, b: AgentReport): boolean {
  return (
    a.id === b.id &&
    a.host === b.host &&
    a.parentId === b.parentId &&
    a.label === b.label &&
    isAtWork(a.status) &&
    isAtWork(b.status) &&
    factsOf(a).standing === factsOf(b).standing
  );
}
