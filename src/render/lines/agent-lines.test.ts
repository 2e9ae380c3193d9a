import { describe, expect, it } from 'vitest';
import { recordedLive } from '../../faces/server/testing/recorded-live.ts';
import type { AgentReport, RunReport } from '../../reports/shapes.ts';
import { endLines, spawnLines, startedLines } from './agent-lines.ts';

async function recorded(): Promise<AgentReport> {
  const [agent] = (await recordedLive('2.1.325-single')).snapshot().sessions[0]?.subagents ?? [];
  if (!agent) throw new Error('nothing recorded');
  return { ...agent, label: 'api-refactor' };
}

const ended = (agent: AgentReport, over: Partial<RunReport>): string =>
  endLines(agent, { ...(agent.runs[0] as RunReport), ...over }, 'Modified 4 files: auth.py, tokens.py\nand more').text;

describe('the lines of an agent', () => {
  it('asked for, begun, done', async () => {
    const agent = await recorded();
    expect(spawnLines(agent, 'Refactor auth endpoints to use JWT\n\nIn detail: …').text).toBe(
      '📎 Subagent [api-refactor]\n  › Task: Refactor auth endpoints to use JWT',
    );
    expect(startedLines(agent).text).toBe('▶️ Subagent [api-refactor] started');
    expect(ended(agent, {})).toBe('✅ Subagent [api-refactor] completed\n  › Modified 4 files: auth.py, tokens.py');
  });

  it('failed, with the cause where it is known', async () => {
    const agent = await recorded();
    const failed = (over: Partial<RunReport>): string =>
      ended(agent, over).replace('❌ Subagent [api-refactor] failed — ', '');
    expect(failed({ status: 'unknown', signal: 'process', reason: 'its process is gone, and no end was seen' })).toBe(
      'no output returned',
    );
    expect(failed({ status: 'failed', reason: 'API Error: 529 overloaded' })).toBe('API Error: 529 overloaded');
    expect(failed({ status: 'failed', reason: null })).toBe('no reason given');
    expect(failed({ status: 'stopped', signal: 'stop-call', reason: null })).toBe('stopped by its caller');
    expect(failed({ status: 'stopped', signal: 'transcript', reason: 'interrupted' })).toBe('interrupted');
  });

  it('a name that rests on a guess says so', async () => {
    const agent = await recorded();
    const guessed = {
      ...agent,
      evidence: { rank: 'guess', source: 'near-start', text: '', candidates: [] },
    } as unknown as AgentReport;
    expect(spawnLines(guessed, 'x').text).toBe('📎 Subagent [api-refactor] (a guess)\n  › Task: x');
  });
});
