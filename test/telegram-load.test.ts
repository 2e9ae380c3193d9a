import { expect, it } from 'vitest';
import type { SessionDetail } from '../src/core/index.ts';
import { recordedLive } from '../src/server/http/testing/recorded-live.ts';
import { runLoad } from './telegram-server/load.ts';

async function recorded(): Promise<SessionDetail> {
  const [from] = (await recordedLive('2.1.325-single')).snapshot().sessions;
  if (!from) throw new Error('nothing recorded');
  return from;
}

it('many busy sessions in a chat each: within the limits, and never far behind', async () => {
  const report = await runLoad({ from: await recorded(), sessions: 6, agents: 10, minutes: 2, place: 'chats' });
  expect(report.refusals).toEqual([]);
  expect(report.behind).toBeLessThanOrEqual(5);
  expect([report.ended, report.doubled]).toEqual([60, 0]);
});

it('many sessions in one group: one board shows all, and nothing is sent twice', async () => {
  const report = await runLoad({ from: await recorded(), sessions: 20, agents: 4, minutes: 5, place: 'forum' });
  expect(report.refusals).toEqual([]);
  expect(report.behind).toBeLessThanOrEqual(5);
  expect([report.ended, report.doubled]).toEqual([80, 0]);
});
