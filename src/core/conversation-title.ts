import type { AgentNode, SessionTree } from './tree.ts';

/** What stands above a conversation. */
export function titleOfConversation({ title }: SessionTree, agent: AgentNode): string | undefined {
  return agent.kind === 'main' ? title : (agent.description ?? agent.promptHead);
}
