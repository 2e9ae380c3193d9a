import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../hosts/claude-code/index.ts';
import { createSessions } from '../../sessions/index.ts';
import { computeDetail } from './live.ts';
import { computeAt, computeTimeline } from './timeline.ts';

const fixtures = fileURLToPath(new URL('../../hosts/claude-code/fixtures/', import.meta.url));

async function open(name: string) {
  const places = [{ adapter: claudeCode, root: path.join(fixtures, name), forced: false }];
  const opened = await createSessions(places, { clock: () => Date.parse('2030-01-01') }).open();
  return { detail: computeDetail(opened.tree, { internal: false }), timeline: computeTimeline(opened) };
}

describe('a session at a moment in its past', () => {
  it('at the end is what it is, for every agent', async () => {
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

  it('before: fewer agents, at work, with the tool they used', async () => {
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

  it('never goes back: calls and tokens only grow, who ended stays so', async () => {
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

  it('knows that a parent waits for its child', async () => {
    const { detail, timeline } = await open('2.1.325-nested');
    const leaf = detail.subagents.find(({ depth }) => depth === 2);
    const during = computeAt(detail, timeline, Date.parse(leaf?.startedAt ?? '') + 50);
    expect(during.subagents[0]).toMatchObject({ status: 'waiting', waitingOn: 'child' });
  });
});
