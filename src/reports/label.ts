import { nativeId } from '../model/ids.ts';
import type { AgentNode } from '../model/tree.ts';

/** What an agent is called everywhere: its name, else what it was asked to do, else its type, else a short id. */
export function labelOf(agent: AgentNode): string {
  return (
    agent.name ?? agent.description ?? (agent.promptHead || undefined) ?? agent.type ?? nativeId(agent.id).slice(0, 8)
  );
}
