import {
  type AgentId,
  type AgentNode,
  ledgerFor,
  MESSAGE_DELIVERY,
  mainAgentOf,
  nativeId,
  type OpenedSession,
  type PlacedAgent,
  type SessionLedger,
  type SkippedAgent,
} from '../core/index.ts';

export interface PlacedAgents {
  readonly agents: readonly PlacedAgent[];
  readonly skipped: readonly SkippedAgent[];
}

/** Whose conversations are worth taking along, and where each stands; what is below one that is not moves up. */
export function placeAgents(opened: Omit<OpenedSession, 'ignoredFiles' | 'problems'>): PlacedAgents {
  const { tree } = opened;
  const main = mainAgentOf(tree.id);
  const depths = new Map<AgentId, number>();
  const agents: PlacedAgent[] = [];
  const skipped: SkippedAgent[] = [];
  // A parent stands before its children.
  for (const node of tree.agents) {
    const above = node.link.parent === undefined ? undefined : depths.get(node.link.parent);
    const skip = node.id === main ? undefined : whySkipped(node, ledgerFor(node, opened));
    const depth = node.id === main ? 0 : (above ?? 0) + 1;
    depths.set(node.id, skip ? depth - 1 : depth);
    if (skip) skipped.push({ agent_id: nativeId(node.id), ...skip });
    else agents.push({ node, depth });
  }
  return { agents, skipped };
}

function whySkipped(node: AgentNode, ledger: SessionLedger): Omit<SkippedAgent, 'agent_id'> | undefined {
  if (node.kind === 'internal' && node.internal !== MESSAGE_DELIVERY) {
    return { kind: 'internal', reason: `The host started it for itself: ${node.internal ?? 'it does not say why'}.` };
  }
  if (node.kind === 'internal' && standsElsewhere(node.id, ledger)) {
    return { kind: 'delivery', reason: 'It delivers a message; all that was said in it stands in other transcripts.' };
  }
  if ((node.messageCount ?? 0) === 0 && node.link.call === undefined) {
    return { kind: 'empty', reason: 'Nothing was said in it.' };
  }
  return undefined;
}

/** A teammate may have done its work in the file that the message made: then it is not only a delivery. */
function standsElsewhere(agent: AgentId, { messages }: SessionLedger): boolean {
  for (const { role, agents } of messages.values())
    if (role === 'assistant' && agents.has(agent) && agents.size === 1) return false;
  return true;
}
