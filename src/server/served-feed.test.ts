import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { applyEvent, type LiveSnapshot } from '../core/index.ts';
import type { MemoryLive } from './http/testing/memory-live.ts';
import { recordedLive } from './http/testing/recorded-live.ts';
import { openServedFeed } from './served-feed.ts';
import type { ConnectionState } from './server-control.ts';

const SESSION = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';

/** What the server follows, and what we would find ourselves. */
let served: MemoryLive;
let own: MemoryLive;
beforeEach(async () => {
  served = await recordedLive('2.1.325-nested');
  own = await recordedLive('2.1.325-nested');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

/** A feed with a server on port 1 whose connection, and whose life, are in our hands. */
async function open() {
  let onState: (state: ConnectionState) => void = () => {};
  const is = { served: true, followable: true };
  const closed: string[] = [];
  const follows: number[] = [];
  const feed = await openServedFeed({
    connect: async (listener) => {
      onState = listener;
      return {
        port: 1,
        subscribe: served.subscribe,
        isServed: async () => is.served,
        transcript: served.transcript,
        timeline: served.timeline,
        close() {
          closed.push('remote');
          served.close();
        },
      };
    },
    async follow() {
      follows.push(Date.now());
      if (!is.followable) throw new Error('no such folder');
      return { ...own, close: () => void closed.push('own') };
    },
  });
  const sources: string[] = [];
  feed.onSource(({ text, isLost }) => sources.push(`${isLost ? 'lost: ' : ''}${text}`));
  let picture: LiveSnapshot | undefined;
  const types: string[] = [];
  feed.subscribe((event) => {
    types.push(event.type);
    picture = applyEvent(picture, event);
  });
  return {
    feed,
    is,
    sources,
    types,
    closed,
    follows,
    summary: () => picture?.sessions[0]?.main.currentToolSummary,
    lose: () => onState({ isLost: true, port: 1 }),
    regain: (port: number) => onState({ isLost: false, port }),
    wait: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  };
}

describe('a feed of a server', () => {
  it('reports at once that the server is gone, and when it is back', async () => {
    const { feed, lose, regain, sources, wait, follows } = await open();
    expect(feed.source()).toEqual({ text: 'server on port 1', isLost: false });
    lose();
    expect(feed.source()).toEqual({ text: 'server gone, looking again…', isLost: true });
    await expect(feed.transcript(SESSION, { from: 0, limit: 1 }, SESSION)).rejects.toThrow('The server is gone.');
    await wait(1000);
    regain(2);
    await wait(60_000);
    expect(sources).toEqual(['lost: server gone, looking again…', 'server on port 2']);
    expect(follows).toHaveLength(0);
  });

  it('continues by itself when no server comes back, with the same picture', async () => {
    const { feed, is, lose, sources, types, wait, summary, closed } = await open();
    served.work('served');
    own.work('found here');
    is.served = false;
    lose();
    await wait(4900);
    expect(summary()).toBe('served');
    await wait(200);
    expect(sources).toEqual(['lost: server gone, looking again…', 'this process']);
    expect(types).toEqual(['snapshot', 'change', 'snapshot']);
    own.work('and on');
    expect(summary()).toBe('and on');
    expect(closed).toEqual(['remote']);
    expect((await feed.transcript(SESSION, { from: 0, limit: 1 }, SESSION))?.messages).toHaveLength(1);
    feed.close();
    expect(closed).toContain('own');
  });

  it('shows the old picture until everything was read', async () => {
    const { is, lose, wait, types, feed, sources } = await open();
    const whole = own.snapshot();
    own.emit({ type: 'snapshot', data: { ...whole, sessions: [], isComplete: false } });
    is.served = false;
    lose();
    await wait(5100);
    own.emit({ type: 'snapshot', data: { ...whole, isComplete: false } });
    expect([types, feed.source().isLost]).toEqual([['snapshot'], true]);
    const { older, olderTotal, emptySessions, ignoredFiles, notices } = whole;
    own.emit({ type: 'listing', data: { older, olderTotal, emptySessions, ignoredFiles, notices, isComplete: true } });
    expect([types, sources.at(-1)]).toEqual([['snapshot', 'snapshot'], 'this process']);
  });

  it('stays with a server that comes back meanwhile', async () => {
    const { is, lose, regain, wait, closed, types, feed } = await open();
    own.emit({ type: 'snapshot', data: { ...own.snapshot(), isComplete: false } });
    is.served = false;
    lose();
    await wait(5100);
    regain(3);
    expect([closed, feed.source().text]).toEqual([['own'], 'server on port 3']);
    served.work('on');
    expect(types).toEqual(['snapshot', 'change']);
  });

  it('waits for a server that answers slowly, and looks again', async () => {
    const { is, lose, wait, follows, sources } = await open();
    lose();
    await wait(10_000);
    expect(follows).toHaveLength(0);
    is.served = false;
    await wait(5100);
    expect(sources.at(-1)).toBe('this process');
  });

  it('says why when it cannot continue by itself, and keeps trying', async () => {
    const { is, lose, wait, feed, sources } = await open();
    Object.assign(is, { served: false, followable: false });
    lose();
    await wait(5100);
    expect(feed.source()).toEqual({ text: 'server gone; here: no such folder', isLost: true });
    is.followable = true;
    await wait(5100);
    expect(sources.at(-1)).toBe('this process');
  });

  it('does nothing after it was closed', async () => {
    const { feed, is, lose, wait, follows } = await open();
    is.served = false;
    lose();
    feed.close();
    await wait(10_000);
    expect(follows).toHaveLength(0);
  });
});

it('follows sessions itself when there is no server', async () => {
  const feed = await openServedFeed({ connect: async () => undefined, follow: async () => own });
  const types: string[] = [];
  feed.subscribe(({ type }) => types.push(type));
  expect([feed.source(), types]).toEqual([{ text: 'this process', isLost: false }, ['snapshot']]);
});
