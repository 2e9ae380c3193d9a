import { describe, expect, it } from 'vitest';
import { recordedLive } from '../server/http/testing/recorded-live.ts';
import { ALL_NEWS, nothingTold, withTold } from './notification.ts';
import { openNewsDesk } from './tracker.ts';

describe('the news desk', () => {
  it('a session stays warm until somebody has looked at what became of it, however late', async () => {
    let now = Date.parse('2030-01-01T00:00:00Z');
    const live = await recordedLive('2.1.325-single');
    const desk = openNewsDesk({ feed: live, wishes: ALL_NEWS, clock: () => now });
    // Nobody could be told for an hour.
    now += 3_600_000;
    const [session] = desk.warm();
    if (!session) throw new Error('it is cold');
    const news = await desk.look(session, nothingTold(0));
    expect(news.length).toBeGreaterThan(0);
    const told = news.reduce(withTold, nothingTold(0));
    expect(desk.warm()).toHaveLength(1);
    now += 10_000;
    expect(await desk.look(session, told)).toEqual([]);
    expect(desk.warm()).toHaveLength(1);
    now += 15_000;
    expect(await desk.look(session, told)).toEqual([]);
    expect(desk.warm()).toEqual([]);
    live.work('more');
    expect(desk.warm()).toHaveLength(1);
    desk.close();
  });

  it('what has no words that can be read is told without them in the end', async () => {
    const live = await recordedLive('2.1.325-single');
    const transcript = async (): Promise<never> => {
      throw new Error('cannot be read');
    };
    const desk = openNewsDesk({ feed: { ...live, transcript }, wishes: ALL_NEWS, clock: Date.now });
    const [session] = desk.warm();
    const [first] = session ? await desk.look(session, nothingTold(0)) : [];
    if (!session || !first) throw new Error('nothing recorded');
    await expect(desk.words(first, session)).rejects.toThrow('cannot be read');
    await expect(desk.words(first, session)).rejects.toThrow('cannot be read');
    expect(await desk.words(first, session)).toBe('');
    desk.close();
  });
});
