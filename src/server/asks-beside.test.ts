import { expect, it, vi } from 'vitest';
import { type ApprovalRequest, applyEvent, type LiveSnapshot } from '../core/index.ts';
import { makeAsk } from '../tui/testing/make-ask.ts';
import { recordedLive } from './http/testing/recorded-live.ts';
import { ownFeed, withApprovals } from './served-feed.ts';

it('reports each change of an approval at a server once, and none when the server is followed itself', async () => {
  const live = await recordedLive('2.1.325-nested');
  const [session] = live.snapshot().sessions;
  if (!session) throw new Error('nothing recorded');
  let asks: readonly ApprovalRequest[] | undefined;
  let isOwn = true;
  let looks = 0;
  const feed = withApprovals(
    {
      ...ownFeed(live, 'a test'),
      isOwn() {
        looks++;
        return isOwn;
      },
    },
    {
      async list() {
        if (asks === undefined) throw new Error('it is starting');
        return asks;
      },
    },
    5,
  );
  let picture: LiveSnapshot | undefined;
  let heard = 0;
  feed.subscribe((event) => {
    picture = applyEvent(picture, event);
    if (event.type === 'ask') heard++;
  });
  asks = [makeAsk('a', session)];
  await vi.waitUntil(() => picture?.asks.length === 1, { timeout: 30_000 });
  const end = { at: '2030-01-01T00:00:00Z', decision: 'deny', by: 'telegram:7' } as const;
  asks = [makeAsk('a', session, { end })];
  await vi.waitUntil(() => picture?.asks[0]?.end?.by === 'telegram:7', { timeout: 30_000 });
  expect(heard).toBe(2);
  isOwn = false;
  asks = [...asks, makeAsk('b', session)];
  const before = looks;
  await vi.waitUntil(() => looks > before + 3, { timeout: 30_000 });
  expect(heard).toBe(2);
  feed.close();
});
