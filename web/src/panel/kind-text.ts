import { typeText } from '../../../src/render/agent-texts.ts';
import type { AgentReport } from '../../../src/reports/shapes.ts';

/** What kind of agent it is. The terminal has room for a sign only where here stand words. */
export function kindText(agent: AgentReport): string {
  const type = typeText({ ...agent, background: null });
  return agent.background && type !== '' ? `${type}, in the background` : type;
}
