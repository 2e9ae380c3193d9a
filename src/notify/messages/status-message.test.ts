import { describe, expect, it } from 'vitest';
import type { AgentReport, SessionDetail } from '../../core/index.ts';
import { recordedLive } from '../../server/http/testing/recorded-live.ts';
import { statusMessage } from './status-message.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');

async function recorded(name: string): Promise<SessionDetail> {
  const [session] = (await recordedLive(name)).snapshot().sessions;
  if (!session) throw new Error('nothing recorded');
  return session;
}

function atWork(agent: AgentReport, more: Partial<AgentReport> = {}): AgentReport {
  return { ...agent, status: 'running', startedAt: '2026-01-01T00:09:18Z', ...more };
}

describe('the status message', () => {
  it('shows what the main agent does when there are no sub-agents', async () => {
    const plain = await recorded('2.1.325-plain');
    const main = atWork(plain.main, { currentTool: 'Bash', currentToolSummary: 'running tests' });
    expect(statusMessage({ ...plain, main }, NOW).text).toBe('⚙️ running tests…');
    expect(statusMessage({ ...plain, main: atWork(plain.main) }, NOW).text).toBe('⚙️ working…');
    expect(statusMessage(plain, NOW).text).toBe('✅ done');
  });

  it('shows one sub-agent by its name and activity', async () => {
    const session = await recorded('2.1.325-single');
    const subagents = session.subagents.map((agent) =>
      atWork(agent, { label: 'api-refactor', currentToolSummary: 'running tests' }),
    );
    expect(statusMessage({ ...session, subagents }, NOW)).toEqual({
      text: '⚙️ subagent [api-refactor]: running tests…',
      marks: [
        { kind: 'code', from: 13, length: 12 },
        { kind: 'code', from: 28, length: 13 },
      ],
    });
  });

  it('shows when an agent is silent or waits for a person', async () => {
    const session = await recorded('2.1.325-single');
    const said = (more: Partial<AgentReport>): string => {
      const subagents = session.subagents.map((agent) =>
        atWork(agent, { label: 'a', currentToolSummary: 'x', ...more }),
      );
      return statusMessage({ ...session, subagents }, NOW).text;
    };
    expect(said({ stalled: true })).toBe('⚙️ subagent [a]: x… · ⚠️ silent');
    expect(said({ status: 'waiting', waitingOn: 'permission' })).toBe('⚙️ subagent [a]: x… · ⏳ waits for your yes');
  });

  it('lists several by name, then a line each, nested ones indented', async () => {
    const session = await recorded('2.1.325-nested');
    const [outer, first, second] = session.subagents;
    if (!outer || !first || !second) throw new Error('recorded otherwise');
    const subagents = [
      atWork(outer, { status: 'waiting', waitingOn: 'child', currentTool: 'Agent', currentToolSummary: null }),
      atWork(first, { currentTool: 'Bash', currentToolSummary: 'npm test', stalled: true }),
      atWork(second, { status: 'waiting', waitingOn: 'permission', usage: null }),
    ];
    expect(statusMessage({ ...session, subagents }, NOW).text.split('\n')).toEqual([
      '⚙️ 3 subagents running: [Audit the repo], [Check app.js], [Check util.js]',
      '  [Audit the repo] Agent · 40 s · 177 tokens written · ⏳ waits for a sub-agent',
      '    [Check app.js] Bash npm test · 40 s · 53 tokens written · ⚠️ silent',
      '    [Check util.js] working… · 40 s · ⏳ waits for your yes',
    ]);
  });

  it('shortens a long list, and says how many are missing', async () => {
    const session = await recorded('2.1.325-single');
    const [one] = session.subagents;
    if (!one) throw new Error('recorded otherwise');
    const subagents = Array.from({ length: 200 }, (_, index) =>
      atWork(one, { id: `a${index}`, label: `job ${index}` }),
    );
    const lines = statusMessage({ ...session, subagents }, NOW).text.split('\n');
    expect(lines[0]).toMatch(/^⚙️ 200 subagents running: \[job 0\], .*\[job 6\] and 193 more$/);
    expect(lines).toHaveLength(17);
    expect(lines.at(-1)).toBe('  … 185 more');
    expect(lines.join('\n').length).toBeLessThan(4096);
  });
});
