import { describe, expect, it } from 'vitest';
import { recordedLive } from '../server/http/testing/recorded-live.ts';
import { DEFAULT_ANNOUNCE, emptyRecord, recordSent } from './notification.ts';
import { NotificationTracker } from './tracker.ts';

describe('NotificationTracker', () => {
  it('keeps a session until its end was read, however late', async () => {
    let now = Date.parse('2030-01-01T00:00:00Z');
    const live = await recordedLive('2.1.325-single');
    const tracker = new NotificationTracker({ feed: live, announce: DEFAULT_ANNOUNCE, clock: () => now });
    // Nobody could be told for an hour.
    now += 3_600_000;
    const [session] = tracker.warm();
    if (!session) throw new Error('it is cold');
    const news = await tracker.look(session, emptyRecord(0));
    expect(news.length).toBeGreaterThan(0);
    const told = news.reduce(recordSent, emptyRecord(0));
    expect(tracker.warm()).toHaveLength(1);
    now += 10_000;
    expect(await tracker.look(session, told)).toEqual([]);
    expect(tracker.warm()).toHaveLength(1);
    now += 15_000;
    expect(await tracker.look(session, told)).toEqual([]);
    expect(tracker.warm()).toEqual([]);
    live.work('more');
    expect(tracker.warm()).toHaveLength(1);
    tracker.close();
  });

  it('reports an agent without its last words when they cannot be read', async () => {
    const live = await recordedLive('2.1.325-single');
    const transcript = async (): Promise<never> => {
      throw new Error('cannot be read');
    };
    const tracker = new NotificationTracker({
      feed: { ...live, transcript },
      announce: DEFAULT_ANNOUNCE,
      clock: Date.now,
    });
    const [session] = tracker.warm();
    const [first] = session ? await tracker.look(session, emptyRecord(0)) : [];
    if (!session || !first) throw new Error('nothing recorded');
    await expect(tracker.readText(first, session)).rejects.toThrow('cannot be read');
    await expect(tracker.readText(first, session)).rejects.toThrow('cannot be read');
    expect(await tracker.readText(first, session)).toBe('');
    tracker.close();
  });
});
