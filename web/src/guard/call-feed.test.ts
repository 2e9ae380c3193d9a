import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditFilter } from '../../../src/core/index.ts';
import { tellHeard, tellMissed } from '../store.ts';
import { type CallFeed, mergeCalls, openCallFeed } from './call-feed.ts';
import { type RecordedHeard, recordedHeard } from './testing/recorded-heard.mjs';

let recorded: RecordedHeard;
let feed: CallFeed | undefined;
beforeEach(() => {
  recorded = recordedHeard('2.1.197-nested');
});
afterEach(() => {
  feed?.close();
  recorded.remove();
});

const open = (filter: AuditFilter, limit: number): CallFeed => {
  feed = openCallFeed(recorded.backend, filter, limit);
  return feed;
};
const numbers = (): readonly number[] => feed?.calls.value.map(({ n }) => n) ?? [];

describe('the calls on the page', () => {
  it('are the newest; then each as it comes, once', async () => {
    await recorded.happen(3);
    const { state, hasOlder } = open({}, 2);
    expect(state.value).toBe('loading');
    await expect.poll(numbers).toEqual([2, 3]);
    expect([state.value, hasOlder.value]).toEqual(['ready', true]);
    const news = await recorded.happen(2);
    tellHeard(news);
    tellHeard(news.slice(1));
    expect(numbers()).toEqual([2, 3, 4, 5]);
  });

  it('are those that were asked for', async () => {
    await recorded.happen(1);
    open({ agent: 'subagent', tool: 'bash' }, 10);
    await expect.poll(() => feed?.state.value).toBe('ready');
    expect(numbers()).toEqual([]);
    tellHeard(await recorded.happen(recorded.total - 1));
    expect(feed?.calls.value.map(({ tool, agent }) => [tool, agent.who])).toEqual(
      Array.from({ length: 3 }, () => ['Bash', 'subagent']),
    );
  });

  it('are all there again after a lost connection, whether few were missed or many', async () => {
    await recorded.happen(2);
    const { hasOlder } = open({}, 2);
    await expect.poll(numbers).toEqual([1, 2]);
    await recorded.happen(1);
    tellMissed();
    await expect.poll(numbers).toEqual([1, 2, 3]);
    expect(hasOlder.value).toBe(false);
    await recorded.happen(3);
    tellMissed();
    // What is missing in between must not look as if there was nothing.
    await expect.poll(numbers).toEqual([5, 6]);
    expect(hasOlder.value).toBe(true);
  });

  it('go further back when asked, to the first', async () => {
    await recorded.happen(recorded.total);
    const { hasOlder, loadOlder } = open({}, 3);
    await expect.poll(numbers).toEqual([4, 5, 6]);
    for (let tries = 0; hasOlder.value && tries < 10; tries++) await loadOlder();
    expect(numbers()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(hasOlder.value).toBe(false);
  });

  it('are none where nobody listens, and say why where they cannot be had', async () => {
    const silent = openCallFeed({ heard: async () => undefined }, {}, 1);
    await expect.poll(() => silent.state.value).toBe('silent');
    const broken = openCallFeed({ heard: () => Promise.reject(new Error('The disk is full.')) }, {}, 1);
    await expect.poll(() => broken.state.value).toEqual({ trouble: 'The disk is full.' });
    silent.close();
    broken.close();
  });
});

it('calls are merged by their number, in any order', async () => {
  const all = await recorded.happen(5);
  const [a, b, c, d, e] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0], (typeof all)[0], (typeof all)[0]];
  expect(mergeCalls([a, b], [c, d])).toEqual([a, b, c, d]);
  expect(mergeCalls([c, d], [a, b, c])).toEqual([a, b, c, d]);
  expect(mergeCalls([], [e])).toEqual([e]);
  expect(mergeCalls([a, e], [b, d])).toEqual([a, b, d, e]);
});
