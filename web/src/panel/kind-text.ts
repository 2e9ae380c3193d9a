import { type AgentReport, typeText } from '../../../src/core/index.ts';

/** What kind of agent it is. The terminal has room for a sign only where here stand words. */
export function kindText(agent: AgentReport): string {
  const type = typeText({ ...agent, background: null });
  return agent.background && type !== '' ? `${type}, in the background` : type;
}
