import { expect, it } from 'vitest';
import { makeSession } from '../testing/make.ts';
import { findAlarms } from './order.ts';

const at = (minutes: number): string => new Date(Date.parse('2026-11-15T12:00:00Z') - minutes * 60_000).toISOString();

const sessions = [
  makeSession({ id: 's1' }, [
    { id: 'short', stalled: true, lastActivityAt: at(4) },
    { id: 'long', stalled: true, lastActivityAt: at(14), currentTool: 'Bash', currentToolSummary: 'npm test' },
    {
      id: 'asks',
      status: 'waiting',
      waitingOn: 'permission',
      currentTool: 'Bash',
      lastActivityAt: at(1),
    },
    { id: 'over', status: 'completed', stalled: true },
    { id: 'own', kind: 'internal', stalled: true },
  ]),
  makeSession({ id: 's2' }, [{ id: 'born', status: 'spawning', stalled: true, lastActivityAt: null }]),
];

it('says who is silent, on what, the longest first', () => {
  expect(findAlarms(sessions, 'silent').map(({ agent, on }) => [agent.id, on])).toEqual([
    ['long', 'Bash npm test'],
    ['short', 'the model’s reply'],
    ['born', 'its first word'],
  ]);
});

it('says who needs the person, and for what', () => {
  expect(findAlarms(sessions, 'needs you').map(({ agent, on }) => [agent.id, on])).toEqual([
    ['asks', 'waits for your yes: Bash'],
  ]);
});
