import { type AgentId, mainAgentOf } from './ids.ts';
import type { SessionLedger } from './ledger.ts';

/** Whose call or message it is, where copies of it stand in the sources of several agents. */
export type OwnerOf = (agents: ReadonlySet<AgentId>) => AgentId | undefined;

/**
 * A fork's file repeats the reply that made it; a compaction's may repeat the whole conversation. What is copied is
 * older than the copy's agent: the main agent's if it is among them, else that of the agent that began first.
 */
export function createOwnerOf(ledger: SessionLedger): OwnerOf {
  const main = mainAgentOf(ledger.id);
  const age = (id: AgentId): readonly [number, number, string] => {
    const agent = ledger.agents.get(id);
    return [agent?.internal ? 1 : 0, agent?.startedAt ?? Number.POSITIVE_INFINITY, id];
  };
  return (agents) => {
    if (agents.has(main)) return main;
    let oldest: AgentId | undefined;
    for (const id of agents) if (oldest === undefined || isLess(age(id), age(oldest))) oldest = id;
    return oldest;
  };
}

function isLess(a: readonly [number, number, string], b: readonly [number, number, string]): boolean {
  if (a[0] !== b[0]) return a[0] < b[0];
  if (a[1] !== b[1]) return a[1] < b[1];
  return a[2] < b[2];
}
