import { describe, expect, it } from 'vitest';
import type { AgentReport, RunReport } from '../../core/index.ts';
import { recordedLive } from '../../server/http/testing/recorded-live.ts';
import { endLines, namesIn, spawnLines, startedLines, toolLines } from './notification-lines.ts';

async function recorded(): Promise<AgentReport> {
  const [agent] = (await recordedLive('2.1.325-single')).snapshot().sessions[0]?.subagents ?? [];
  if (!agent) throw new Error('nothing recorded');
  return { ...agent, label: 'api-refactor' };
}

const NAMES = namesIn([]);

const ended = (agent: AgentReport, over: Partial<RunReport>): string =>
  endLines(
    { agent, run: { ...(agent.runs[0] as RunReport), ...over }, isUnclear: false },
    NAMES,
    'Modified 4 files: auth.py, tokens.py\nand more',
  ).text;

describe('the lines about an agent', () => {
  it('show that it was spawned, started and completed', async () => {
    const agent = await recorded();
    expect(spawnLines(agent, NAMES, 'Refactor auth endpoints to use JWT\n\nIn detail: …').text).toBe(
      '📎 Subagent [api-refactor]\n  › Task: Refactor auth endpoints to use JWT',
    );
    expect(startedLines(agent, NAMES).text).toBe('▶️ Subagent [api-refactor] started');
    expect(ended(agent, {})).toBe('✅ Subagent [api-refactor] completed\n  › Modified 4 files: auth.py, tokens.py');
  });

  it('name the cause of a failure when it is known', async () => {
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

  it('show a call with its whole command and address as code', async () => {
    const agent = await recorded();
    const said = (summary: string): string =>
      toolLines(agent, NAMES, { tool: 'Bash', summary } as Parameters<typeof toolLines>[2]).text;
    expect(said('ls src/**/*.ts `pwd` > [a](b)')).toBe('🔧 [api-refactor] Bash\n  › ls src/**/*.ts `pwd` > [a](b)');
    expect(said('\u001b[31mcurl https://x.example/\u202ey\nsecond')).toBe(
      '🔧 [api-refactor] Bash\n  › curl https://x.example/y',
    );
    expect(said('.')).toBe('🔧 [api-refactor] Bash\n  › .');
  });

  it('number agents with the same name, and the first keeps its name', async () => {
    const agent = await recorded();
    const twin = (id: string, at: string): AgentReport => ({
      ...agent,
      id,
      runs: [{ ...(agent.runs[0] as RunReport), startedAt: `2026-01-01T00:00:0${at}Z` }],
    });
    const first = twin('b', '1');
    const second = twin('a', '2');
    const other = { ...twin('c', '0'), label: 'another' };
    for (const all of [
      [first, second, other],
      [other, second, first],
    ]) {
      const nameOf = namesIn(all);
      expect(spawnLines(first, nameOf, 'x').text).toBe('📎 Subagent [api-refactor]\n  › Task: x');
      expect(spawnLines(second, nameOf, 'x').text).toBe('📎 Subagent [api-refactor] #2\n  › Task: x');
      expect(spawnLines(other, nameOf, 'x').text).toBe('📎 Subagent [another]\n  › Task: x');
    }
  });

  it('mark a name that is a guess', async () => {
    const agent = await recorded();
    const guessed = {
      ...agent,
      evidence: { rank: 'guess', source: 'near-start', text: '', candidates: [] },
    } as unknown as AgentReport;
    expect(spawnLines(guessed, NAMES, 'x').text).toBe('📎 Subagent [api-refactor] (a guess)\n  › Task: x');
  });
});
