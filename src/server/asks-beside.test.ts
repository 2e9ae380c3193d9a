import { expect, it, vi } from 'vitest';
import { type ApprovalRequest, applyEvent, type LiveSnapshot } from '../core/index.ts';
import { makeAsk } from '../tui/testing/make-ask.ts';
import { recordedLive } from './http/testing/recorded-live.ts';
import { ownFeed, withApprovals } from './served-feed.ts';

it('what waits at a server is heard of, also where we follow ourselves, once for each news of it', async () => {
  const live = await recordedLive('2.1.325-nested');
  const [session] = live.snapshot().sessions;
  if (!session) throw new Error('nothing recorded');
  let asks: readonly ApprovalRequest[] | undefined;
  let isOwn = true;
  const feed = withApprovals(
    { ...ownFeed(live, 'a test'), isOwn: () => isOwn },
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
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(heard).toBe(2);
  feed.close();
});
