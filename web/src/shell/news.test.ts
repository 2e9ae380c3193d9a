import { describe, expect, it } from 'vitest';
import type { AgentReport } from '../../../src/core/index.ts';
import { makeSession } from '../testing/make.ts';
import { findNews, newsText } from './announcer.tsx';

const asks = { status: 'waiting', waitingOn: 'permission' } as const;
const session = (...agents: readonly Partial<AgentReport>[]) => [makeSession({}, agents)];

function told(before: readonly Partial<AgentReport>[], now: readonly Partial<AgentReport>[]): string {
  return newsText(findNews(session(...before), session(...now)));
}

describe('what is told without being asked', () => {
  it('who begins to need the person, and who fails', () => {
    expect(told([{ label: 'Fix the tests' }], [{ label: 'Fix the tests', ...asks }])).toBe(
      '«Fix the tests» needs you.',
    );
    expect(
      told(
        [{}, {}],
        [
          { label: 'A', ...asks },
          { label: 'B', status: 'failed' },
        ],
      ),
    ).toBe('«A» needs you. «B» failed.');
  });

  it('who has used up a budget, or nearly', () => {
    const alert = (state: 'warned' | 'reached', id: string) => ({ id, state, at: '', agentId: null, text: '' });
    const before = [makeSession({ budgetAlerts: [alert('warned', 'a')] }, [])];
    const now = [
      makeSession({ budgetAlerts: [alert('warned', 'a'), alert('reached', 'b'), alert('warned', 'c')] }, []),
    ];
    const { label } = now[0]?.main ?? { label: '' };
    expect(newsText(findNews(before, now))).toBe(
      `«${label}» has used up a budget. «${label}» has nearly used up a budget.`,
    );
    expect(findNews(now, now)).toEqual([]);
  });

  it('each once, and nothing of how it was when the page was opened', () => {
    const picture = session(asks);
    expect(findNews(picture, picture)).toEqual([]);
    expect(told([asks], [asks])).toBe('');
    expect(told([{}], [{ status: 'completed' }])).toBe('');
  });

  it('one that is new and asks is told; one that failed before anybody looked is not', () => {
    expect(told([], [{ label: 'N', ...asks }])).toBe('«N» needs you.');
    expect(told([], [{ status: 'failed' }])).toBe('');
  });

  it('many are counted, names are cleaned and cut', () => {
    expect(told([{}, {}, {}], [asks, asks, asks])).toBe('3 agents need you.');
    expect(told([{}], [{ label: `\u202e${'x'.repeat(100)}`, ...asks }])).toBe(`«${'x'.repeat(59)}…» needs you.`);
  });
});
