import { describe, expect, it } from 'vitest';
import { mainAgentOf, toAgentId, toSessionId } from '../ids.ts';
import { parseQuery } from '../query.ts';
import type { AgentNode, SessionTree } from '../tree.ts';
import { NO_USAGE, slotOf, sumByModel, type TimedUsage } from '../usage.ts';
import { computeSpend, type SpendRequest } from './spend.ts';

const NOW = Date.parse('2026-11-19T12:00:00');
const MODEL = 'claude-sonnet-4-5';

/** A million tokens of output cost 15 dollars. */
const used = (local: string, output: number, model = MODEL): TimedUsage => ({
  at: slotOf(Date.parse(local)),
  model,
  usage: { ...NO_USAGE, output },
});

const SESSION = toSessionId('test', 's');
const MAIN = mainAgentOf(SESSION);

function agent(name: string, fields: Partial<AgentNode> & Pick<AgentNode, 'usageByTime'>): AgentNode {
  return {
    id: name === 'main' ? MAIN : toAgentId('test', name),
    link: { rank: 'exact', candidates: [], ...(name !== 'main' && { parent: MAIN }) },
    kind: name === 'main' ? 'main' : 'task',
    status: 'completed',
    stalled: false,
    activity: 'done',
    changes: [],
    runs: [],
    usageIsLowerBound: false,
    subtreeUsage: NO_USAGE,
    subtreeIsLowerBound: false,
    usageByModel: sumByModel(fields.usageByTime),
    subtreeByModel: [],
    compactions: 0,
    sources: [],
    ...fields,
  };
}

const session = (...agents: readonly AgentNode[]): SessionTree => ({
  id: SESSION,
  title: 'A session',
  cwd: '/home/dev/shop',
  startedAt: Date.parse('2026-11-14T23:00:00'),
  lastActivityAt: Date.parse('2026-11-16T01:00:00'),
  agents,
  diagnostics: [],
});

const spend = (tree: SessionTree, request: Partial<SpendRequest> = {}) =>
  computeSpend([tree], { by: 'day', now: NOW, ...request });
const rowsOf = (report: ReturnType<typeof spend>) =>
  Object.fromEntries(report.rows.map(({ key, own, total }) => [key, [own.tokens, total.tokens]]));

describe('computeSpend', () => {
  const main = agent('main', { usageByTime: [used('2026-11-14T23:50', 100), used('2026-11-15T00:10', 200)] });
  const child = agent('child', { type: 'Explore', usageByTime: [used('2026-11-16T00:30', 1000)], status: 'failed' });
  const below = agent('below', {
    type: 'Explore',
    link: { rank: 'exact', candidates: [], parent: child.id },
    usageByTime: [used('2026-11-16T00:40', 3000)],
    status: 'unknown',
  });
  const tree = session(main, child, below);

  it('counts each message in the day on which it was sent', () => {
    expect(rowsOf(spend(tree))).toEqual({
      '2026-11-14': [100, 100],
      '2026-11-15': [200, 200],
      '2026-11-16': [0, 4000],
    });
    expect(rowsOf(spend(tree, { by: 'week' }))).toEqual({ '2026-11-09': [300, 300], '2026-11-16': [0, 4000] });
    expect(rowsOf(spend(tree, { by: 'month' }))).toEqual({ '2026-11': [300, 4300] });
  });

  it('leaves out what was used before and after', () => {
    const since = Date.parse('2026-11-15T00:00');
    const until = Date.parse('2026-11-15T23:59');
    expect(rowsOf(spend(tree, { since, until }))).toEqual({ '2026-11-15': [200, 200] });
    expect(spend(tree, { since: Date.parse('2026-11-17T00:00') })).toMatchObject({ sessions: 0, rows: [] });
  });

  it('adds what those below an agent used to its total, and to that of its type once', () => {
    const ids = { s: [300, 4300], child: [1000, 4000], below: [3000, 3000] };
    expect(rowsOf(spend(tree, { by: 'agent' }))).toEqual(ids);
    expect(rowsOf(spend(tree, { by: 'type' }))).toEqual({ main: [300, 4300], Explore: [4000, 4000] });
  });

  it('tells the share of sub-agents, and what failed and lost agents used', () => {
    const report = spend(tree);
    expect(report.subAgentShare.tokens).toBeCloseTo(4000 / 4300);
    expect(report.subAgentShare.usd).toBeCloseTo(4000 / 4300);
    expect(report.total.cost.usd).toBeCloseTo((4300 * 15) / 1e6);
    expect([report.failed.tokens, report.abandoned.tokens]).toEqual([1000, 3000]);
  });

  it('names models without a price, and gives no share of money then', () => {
    const unknown = agent('child', { usageByTime: [used('2026-11-16T00:30', 50, 'a-new-model')] });
    const report = spend(session(main, unknown));
    expect(report.unpriced).toEqual([{ model: 'a-new-model', tokens: 50 }]);
    expect(report.total.cost).toMatchObject({ isLowerBound: true, unpricedModels: ['a-new-model'] });
    expect(report.subAgentShare.usd).toBeNull();
    expect(report.subAgentShare.tokens).toBeCloseTo(50 / 350);
  });

  it('is a lower bound on the days of placeholders and cut off requests only', () => {
    const started = { ...used('2026-11-15T00:10', 1), isLowerBound: true as const };
    const usageByTime = [used('2026-11-14T23:50', 100), started];
    const lower = (tree: SessionTree) =>
      spend(tree).rows.map(({ key, total }) => [key.slice(-2), total.cost.isLowerBound]);
    expect(lower(session(agent('main', { usageByTime, usageIsLowerBound: true })))).toEqual([
      ['14', false],
      ['15', true],
    ]);
    const stopped = agent('main', {
      usageByTime: [used('2026-11-14T23:50', 100)],
      usageIsLowerBound: true,
      lastActivityAt: Date.parse('2026-11-16T00:50'),
    });
    expect(lower(session(stopped))).toEqual([
      ['14', false],
      ['16', true],
    ]);
  });

  it('counts only the agents and models that the filters name', () => {
    const query = (text: string) => ({ query: parseQuery(text).query ?? { words: [], filters: [] } });
    expect(spend(tree, query('type:Explore')).total.tokens).toBe(4000);
    expect(spend(tree, query('type:Explore status:failed')).total.tokens).toBe(1000);
    expect(spend(tree, query('-type:Explore')).total.tokens).toBe(300);
    expect(spend(tree, query('project:other')).total.tokens).toBe(0);
    const mixed = session(
      agent('main', { usageByTime: [used('2026-11-15T00:10', 5), used('2026-11-15T00:10', 7, 'gpt-5.5')] }),
    );
    expect(spend(mixed, query('model:gpt')).total.tokens).toBe(7);
    expect(spend(mixed, query('-model:gpt')).total.tokens).toBe(5);
  });

  it('shows what the host says, and reports a difference of more than 1 %', () => {
    const totals = (nanoUsd: number) => ({
      ...tree,
      hostTotals: [
        {
          model: MODEL,
          usage: { ...NO_USAGE, output: 1000 },
          billed: { nanoUsd, usage: { ...NO_USAGE, output: 1000 } },
        },
      ],
    });
    const costs = (nanoUsd: number) => spend(totals(nanoUsd), { by: 'session' });
    expect(costs(15_000_000).rows[0]?.hostCost).toEqual({ usd: 0.015, listUsd: 0.015, isDifferent: false });
    expect(costs(15_100_000).differences).toEqual([]);
    expect(costs(15_200_000).differences).toMatchObject([{ sessionId: 's', usd: 0.0152, listUsd: 0.015 }]);
  });

  it('survives agents that stand below themselves', () => {
    const one = agent('a', {
      link: { rank: 'exact', candidates: [], parent: toAgentId('test', 'b') },
      usageByTime: [used('2026-11-15T00:10', 1)],
    });
    const other = agent('b', {
      link: { rank: 'exact', candidates: [], parent: toAgentId('test', 'a') },
      usageByTime: [used('2026-11-15T00:10', 2)],
    });
    expect(rowsOf(spend(session(main, one, other), { by: 'agent' }))).toMatchObject({ a: [1, 3], b: [2, 3] });
  });
});
