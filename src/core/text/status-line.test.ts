import { expect, it } from 'vitest';
import { PLAIN } from './layout.ts';
import { formatStatusLine, nearestBudget, type StatusLineFacts } from './status-line.ts';

const facts = (more: Partial<StatusLineFacts> = {}): StatusLineFacts => ({
  cost: { usd: 1.5, isLowerBound: false, unpricedModels: [] },
  subAgentUsd: 0,
  running: 0,
  subAgents: 0,
  approvals: 0,
  ...more,
});

it.each([
  [facts(), '$1.50'],
  [facts({ subAgents: 1, subAgentUsd: 0.75 }), '$1.50 · 1 sub-agent · 50 % by sub-agents'],
  [facts({ subAgents: 6, running: 2, subAgentUsd: 1.2 }), '● 2 of 6 sub-agents · $1.50 · 80 % by sub-agents'],
  [facts({ approvals: 1, subAgents: 1, running: 1 }), '◐ 1 approval · ● 1 sub-agent · $1.50'],
  [facts({ budget: { name: 'today', share: 0.62 } }), '$1.50 · 38 % left of today'],
  [facts({ budget: { name: 'today', share: 1.2 } }), '$1.50 · budget today used up'],
  [facts({ cost: { usd: 0, isLowerBound: true, unpricedModels: ['new'] } }), 'no price for new'],
])('says what is needed most first', (given, line) => {
  expect(formatStatusLine(given, PLAIN)).toBe(line);
});

it('fits into a narrow terminal', () => {
  const all = facts({ approvals: 2, running: 3, subAgents: 6, subAgentUsd: 1 });
  for (const width of [10, 20, 40, 60, 80])
    expect(formatStatusLine(all, PLAIN, width).length).toBeLessThanOrEqual(Math.max(width, '◐ 2 approvals'.length));
  expect(formatStatusLine(all, PLAIN, 20)).toBe('◐ 2 approvals');
});

it('shows the budget that is nearest to its limit of those that hold for the session', () => {
  const holder = (share: number, sessionId: string | null, label = '') => ({ share, sessionId, label }) as never;
  const budgets = [
    { name: 'a session', per: 'session', holders: [holder(0.9, 'other'), holder(0.3, 's')] },
    { name: 'today', per: 'day', holders: [holder(0.5, null)] },
    { name: 'project', per: 'project', holders: [holder(0.8, null, '/home/dev/elsewhere')] },
  ] as const;
  expect(nearestBudget(budgets, { id: 's', cwd: '/home/dev/shop' })).toEqual({ name: 'today', share: 0.5 });
  expect(nearestBudget(budgets, { id: 's', cwd: '/home/dev/elsewhere' })).toEqual({ name: 'project', share: 0.8 });
  expect(nearestBudget([], { id: 's', cwd: null })).toBeUndefined();
});
