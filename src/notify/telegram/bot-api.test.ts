import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Limits } from './bot-api.ts';

const CHATS = [7, 8, -5, -1_000_000_000_001];

it('keeps the limits of Telegram: one request a second in a chat, twenty messages a minute in a group, thirty a second in all', () => {
  const action = fc.record({
    chat: fc.constantFrom(...CHATS),
    request: fc.constantFrom('send' as const, 'edit' as const),
    pause: fc.integer({ min: 0, max: 400 }),
  });
  fc.assert(
    fc.property(fc.array(action, { minLength: 50, maxLength: 200 }), (requests) => {
      let now = 1_000_000;
      const limits = new Limits(() => now);
      const made: { chat: number; request: string; at: number }[] = [];
      for (const { chat, request, pause } of requests) {
        now += pause;
        const wait = limits.waitFor(chat, request);
        // The one who waits is let through when the time is over, and not before.
        if (wait > 0) now += wait;
        expect(limits.waitFor(chat, request)).toBe(0);
        limits.take(chat, request);
        made.push({ chat, request, at: now });
      }
      for (const { chat, at } of made) {
        const within = (ms: number) => made.filter((one) => one.at >= at && one.at < at + ms);
        expect(within(1_000).filter((one) => one.chat === chat)).toHaveLength(1);
        expect(within(1_000).length).toBeLessThanOrEqual(30);
        const sends = within(60_000).filter((one) => one.chat === chat && one.request === 'send');
        if (chat < 0) expect(sends.length).toBeLessThanOrEqual(20);
      }
    }),
    { numRuns: 50 },
  );
});

it('is silent for as long as Telegram demands, in that chat only', () => {
  let now = 0;
  const limits = new Limits(() => now);
  limits.hold(7, 5_000);
  limits.hold(7, 1_000);
  expect([limits.waitFor(7, 'edit'), limits.waitFor(8, 'send')]).toEqual([5_000, 0]);
  now = 5_000;
  expect(limits.waitFor(7, 'send')).toBe(0);
});
