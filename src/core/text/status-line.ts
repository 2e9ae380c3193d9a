// The line that a host shows below its prompt: what the session costs, and how its sub-agents are doing.

import type { CostReport } from '../reports/prices.ts';
import type { AgentReport } from '../reports/shapes.ts';
import { isBusy } from '../tree.ts';
import { costText } from './format.ts';
import type { Paint } from './layout.ts';

export interface StatusLineFacts {
  readonly cost: CostReport;
  /** Of that, what sub-agents cost. */
  readonly subAgentUsd: number;
  /** Sub-agents at work, and all that there were. */
  readonly running: number;
  readonly subAgents: number;
  /** Tool calls that wait for the person's approval. */
  readonly approvals: number;
}

export function statusLineFacts(
  cost: CostReport,
  subAgents: readonly Pick<AgentReport, 'cost' | 'kind' | 'status' | 'waitingOn' | 'runs'>[],
  approvals: number,
): StatusLineFacts {
  return {
    cost,
    subAgentUsd: subAgents.reduce((sum, agent) => sum + (agent.cost?.usd ?? 0), 0),
    running: subAgents.filter(isBusy).length,
    subAgents: subAgents.length,
    approvals,
  };
}

/** What is needed most stands first: a narrow terminal cuts the end. `width` in columns; left out: not known. */
export function formatStatusLine(facts: StatusLineFacts, paint: Paint, width = Number.POSITIVE_INFINITY): string {
  const { cost, subAgentUsd, running, subAgents, approvals } = facts;
  const share = cost.usd > 0 ? Math.round((100 * subAgentUsd) / cost.usd) : 0;
  const parts: readonly (readonly [text: string, paint: (text: string) => string])[] = [
    ...(approvals > 0
      ? [
          [
            approvals === 1 ? '◐ 1 approval' : `◐ ${approvals} approvals`,
            (text: string) => paint.bold(paint.yellow(text)),
          ] as const,
        ]
      : []),
    ...(running > 0
      ? [[subAgents === 1 ? '● 1 sub-agent' : `● ${running} of ${subAgents} sub-agents`, paint.green] as const]
      : []),
    [costText(cost), paint.bold],
    ...(running === 0 && subAgents > 0
      ? [[subAgents === 1 ? '1 sub-agent' : `${subAgents} sub-agents`, paint.dim] as const]
      : []),
    ...(share > 0 ? [[`${share} % by sub-agents`, paint.dim] as const] : []),
  ];
  let used = 0;
  const shown = parts.filter(([text], index) => {
    used += text.length + (index === 0 ? 0 : SEPARATOR.length);
    return index === 0 || used <= width;
  });
  return shown.map(([text, painted]) => painted(text)).join(paint.dim(SEPARATOR));
}

const SEPARATOR = ' · ';
