import type { AgentReport, SessionDetail } from '../../../../src/core/index.ts';

/** Copies of a recorded agent, each below the parent that `parentOf` names: −1 is main, undefined nobody. */
export function multiply(
  { main, subagents, ...session }: SessionDetail,
  count: number,
  parentOf: (index: number) => number | undefined,
  change: (index: number) => Partial<AgentReport> = () => ({}),
): SessionDetail {
  const model = subagents[0] ?? main;
  const idOf = (index: number | undefined): string | null =>
    index === undefined ? null : index < 0 ? main.id : `agent-${index}`;
  const agents = Array.from({ length: count }, (_, index) => ({
    ...model,
    id: `agent-${index}`,
    parentId: idOf(parentOf(index)),
    label: `Job ${index}`,
    ...change(index),
  }));
  return { ...session, main, subagents: agents };
}
