import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../hosts/claude-code/index.ts';
import { createSessions } from '../../sessions/index.ts';
import { computeDetail, type SessionDetail } from './live.ts';
import { computeAt, computeTimeline } from './timeline.ts';

const fixtures = fileURLToPath(new URL('../../hosts/claude-code/fixtures/', import.meta.url));

async function open(name: string) {
  const places = [{ adapter: claudeCode, root: path.join(fixtures, name), forced: false }];
  const opened = await createSessions(places, { clock: () => Date.parse('2030-01-01') }).open();
  return { detail: computeDetail(opened.tree, { internal: false }), timeline: computeTimeline(opened) };
}

describe('a session at a past moment', () => {
  it('equals the present at its end, for every agent', async () => {
    for (const name of ['2.1.325-nested', '2.1.325-failing', '2.1.325-parallel', '2.0.76-parallel']) {
      const { detail, timeline } = await open(name);
      const end = computeAt(detail, timeline, Date.parse('2030-01-01'));
      for (const [index, agent] of [end.main, ...end.subagents].entries()) {
        const now = [detail.main, ...detail.subagents][index];
        expect(agent, name).toMatchObject({
          id: now?.id,
          status: now?.status,
          toolCallCount: now?.toolCallCount,
          contextTokens: now?.contextTokens,
          usage: now?.usage,
          completedAt: now?.completedAt,
        });
      }
    }
  });

  it('has fewer agents earlier, running, with the tool they used', async () => {
    const { detail, timeline } = await open('2.1.325-nested');
    const audit = timeline.agents[1];
    const call = audit?.calls.find(({ tool }) => tool === 'Bash');
    const during = computeAt(detail, timeline, Date.parse(call?.startedAt ?? '') + 1);
    expect(during.subagents).toHaveLength(1);
    expect(during.subagents[0]).toMatchObject({ status: 'running', currentTool: 'Bash', currentToolSummary: 'ls' });
    expect(during.running).toBe(2);
    const first = computeAt(detail, timeline, Date.parse(detail.startedAt ?? ''));
    expect(first).toMatchObject({ agents: 1, subagents: [], main: { status: 'running', toolCallCount: 0 } });
  });

  it('only grows in calls and tokens, and ended agents stay ended', async () => {
    const { detail, timeline } = await open('2.1.325-parallel');
    const [from, to] = [Date.parse(detail.startedAt ?? ''), Date.parse(detail.lastActivityAt ?? '')];
    let before = computeAt(detail, timeline, from);
    for (let at = from; at <= to; at += 20) {
      const now = computeAt(detail, timeline, at);
      for (const agent of before.subagents) {
        const later = now.subagents.find(({ id }) => id === agent.id);
        expect(later?.toolCallCount).toBeGreaterThanOrEqual(agent.toolCallCount ?? 0);
        if (agent.status === 'completed') expect(later?.status).toBe('completed');
      }
      before = now;
    }
  });

  it('shows a parent as waiting for its child', async () => {
    const { detail, timeline } = await open('2.1.325-nested');
    const leaf = detail.subagents.find(({ depth }) => depth === 2);
    const during = computeAt(detail, timeline, Date.parse(leaf?.startedAt ?? '') + 50);
    expect(during.subagents[0]).toMatchObject({ status: 'waiting', waitingOn: 'child' });
  });
});

describe('numbers of the past', () => {
  const NUMBERS = [
    'usage',
    'cost',
    'usageIsLowerBound',
    'toolCallCount',
    'agents',
    'running',
    'inheritedUsage',
  ] as const;

  it('end as those of the present, and never exceed them, for every recording', async () => {
    for (const name of readdirSync(fixtures)) {
      if (name.endsWith('.md')) continue;
      const { detail, timeline } = await open(name);
      const [from, to] = [detail.startedAt, detail.lastActivityAt].map((time) => Date.parse(time ?? ''));
      if (from === undefined || to === undefined || Number.isNaN(from + to)) continue;
      expect(computeAt(detail, timeline, Date.parse('2030-01-01')), name).toEqual(detail);
      let before = computeAt(detail, timeline, from);
      for (let step = 1; step <= 20; step++) {
        const now = computeAt(detail, timeline, from + ((to - from) * step) / 20);
        expectGrowth(before, now, name);
        expectGrowth(now, detail, name);
        before = now;
      }
    }
  });

  it('add up: a session has the sum of its agents, an agent the sum of those below it', async () => {
    const { detail, timeline } = await open('2.1.325-nested');
    const at = Date.parse(detail.startedAt ?? '') + 1200;
    const past = computeAt(detail, timeline, at);
    const agents = [past.main, ...past.subagents];
    const output = agents.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0);
    expect(output).toBeGreaterThan(0);
    expect(output).toBeLessThan(detail.usage.output);
    expect(past.usage.output).toBe(output);
    expect(past.main.subtreeUsage.output).toBe(output);
    expect(past.cost.usd).toBeCloseTo(
      agents.reduce((sum, { cost }) => sum + (cost?.usd ?? 0), 0),
      12,
    );
    expect(past.cost.usd).toBeLessThan(detail.cost.usd);
    expect(past.main.changes.every((change) => Date.parse(change.at ?? '') <= at)).toBe(true);
    expect(NUMBERS.every((name) => name in past)).toBe(true);
  });

  function expectGrowth(a: SessionDetail, b: SessionDetail, name: string): void {
    expect(b.agents, name).toBeGreaterThanOrEqual(a.agents);
    expect(b.toolCallCount ?? 0, name).toBeGreaterThanOrEqual(a.toolCallCount ?? 0);
    expect(b.cost.usd, name).toBeGreaterThanOrEqual(a.cost.usd - 1e-12);
    for (const field of ['input', 'output', 'cacheRead', 'cacheWrite'] as const)
      expect(b.usage[field], `${name} ${field}`).toBeGreaterThanOrEqual(a.usage[field]);
  }
});
