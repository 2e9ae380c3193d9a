import { mainAgentOf, nativeId } from '../ids.ts';
import type { IdentifiedAgent, Identity } from '../ports.ts';
import { orNull } from './json-values.ts';
import type { IdentifiedReport, IdentityReport } from './shapes.ts';

/** `troupe identify`: the names of the hook contract, in snake case. */
export function computeIdentity({ who, agent, path, evidence, candidates, reason, session }: Identity): IdentityReport {
  return {
    agent_type: who,
    ...computeIdentified(who === 'main' && session !== undefined ? { id: mainAgentOf(session) } : agent),
    agent_path: path.map(nativeId),
    session_id: session === undefined ? null : nativeId(session),
    evidence: { rank: evidence.rank, source: evidence.rank === 'none' ? null : evidence.source },
    reason: orNull(reason),
    candidates: candidates.map(computeIdentified),
  };
}

function computeIdentified(agent: IdentifiedAgent | undefined): IdentifiedReport {
  return {
    subagent_name: orNull(agent?.type),
    subagent_description: orNull(agent?.description),
    tool_use_id: orNull(agent?.call),
    agent_id: agent?.id === undefined ? null : nativeId(agent.id),
  };
}
