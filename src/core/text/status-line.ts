// The line that a host shows below its prompt: what the session costs, and how its sub-agents are doing.

import type { BudgetReport } from '../reports/guard.ts';
import type { CostReport } from '../reports/prices.ts';
import type { AgentReport } from '../reports/shapes.ts';
import { isBusy } from '../tree.ts';
import { cleanLine } from './clean-text.ts';
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
  /** The budget that is nearest to its limit; left out if there is none. */
  readonly budget?: { readonly name: string; readonly share: number };
}

export function statusLineFacts(
  cost: CostReport,
  subAgents: readonly Pick<AgentReport, 'cost' | 'kind' | 'status' | 'waitingOn' | 'runs'>[],
  approvals: number,
  budget?: StatusLineFacts['budget'],
): StatusLineFacts {
  return {
    cost,
    subAgentUsd: subAgents.reduce((sum, agent) => sum + (agent.cost?.usd ?? 0), 0),
    running: subAgents.filter(isBusy).length,
    subAgents: subAgents.length,
    approvals,
    ...(budget && { budget }),
  };
}

/** Of those that hold for a session, the nearest to its limit. */
export function nearestBudget(
  budgets: readonly Pick<BudgetReport, 'name' | 'per' | 'holders'>[],
  session: { readonly id: string; readonly cwd: string | null },
): StatusLineFacts['budget'] {
  const all = budgets.flatMap(({ name, per, holders }) =>
    holders
      .filter(({ sessionId, label }) =>
        sessionId === null ? per === 'day' || label === session.cwd : sessionId === session.id,
      )
      .map(({ share }) => ({ name, share })),
  );
  return all.length === 0 ? undefined : all.reduce((a, b) => (b.share > a.share ? b : a));
}

/** What is needed most stands first: a narrow terminal cuts the end. `width` in columns; left out: not known. */
export function formatStatusLine(facts: StatusLineFacts, paint: Paint, width = Number.POSITIVE_INFINITY): string {
  const { cost, subAgentUsd, running, subAgents, approvals, budget } = facts;
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
    ...(budget ? [[leftText(budget), budget.share >= 0.8 ? paint.yellow : paint.dim] as const] : []),
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

/** Names are the person's own. */
function leftText({ name, share }: NonNullable<StatusLineFacts['budget']>): string {
  const short = cleanLine(name).slice(0, 24);
  return share >= 1 ? `budget ${short} used up` : `${Math.ceil(100 * (1 - share))} % left of ${short}`;
}

const SEPARATOR = ' · ';
