import { mainAgentOf } from './ids.ts';
import type { AgentRecord, SessionLedger } from './ledger.ts';
import { EVIDENCE } from './link.ts';

/**
 * Agents that exist. A name alone makes none: a text that quotes an id, or a notice about a background command, must not
 * invent one. The main agent is always among them, even where its transcript is gone.
 */
export function realAgents(ledger: SessionLedger): readonly AgentRecord[] {
  const main = mainAgentOf(ledger.id);
  return [...ledger.agents.values()].filter((agent) => agent.id === main || isReal(agent, ledger));
}

function isReal(agent: AgentRecord, ledger: SessionLedger): boolean {
  if (agent.tails.size > 0) return true;
  return [...agent.links.values()].some(({ evidence, call }) => {
    // `/clear` copies sidecars into the new session's folder (2.1.325): without its call, a sidecar proves nothing here.
    if (evidence === 'sidecar') return call !== undefined && ledger.calls.has(call);
    return EVIDENCE[evidence].rank === 'exact' || evidence === 'progress';
  });
}
