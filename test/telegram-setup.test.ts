import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pace } from '../src/lib/testing/waiting.ts';
import { createGrammyApi } from '../src/notify/telegram/grammy-api.ts';
import { findBot, findChat } from '../src/notify/telegram/setup.ts';
import { type BotServer, startBotServer } from './telegram-server/bot-server.ts';

// With a person who types: what the program without a terminal cannot be asked.

const ME = 42;
const CODE = 'abcdefghjk';
let telegram: BotServer;
let end: AbortController;
beforeEach(async () => {
  end = new AbortController();
  telegram = await startBotServer({ chats: [{ id: ME }] });
});
afterEach(() => {
  end.abort();
  return telegram.close();
});

function setUp(typed: string | undefined, known?: { token: string; isGiven: boolean; from: string }) {
  const said: string[] = [];
  const kept: string[] = [];
  const slept: number[] = [];
  const say = (text: string): void => void said.push(text);
  const walk = async () => {
    const api = await findBot({
      botOf: (token) => createGrammyApi({ token, pollSeconds: 1, apiRoot: telegram.url }),
      ...(known && { known }),
      ask: async () => typed,
      async keep(token) {
        kept.push(token);
        return 'a file';
      },
      say,
    });
    const sleep = (ms: number): Promise<void> => {
      slept.push(ms);
      return pace(5);
    };
    return findChat({ api, code: CODE, say, sleep, signal: end.signal });
  };
  const running = walk();
  running.catch(() => {});
  return {
    said,
    kept,
    slept,
    running,
    asked: () => vi.waitUntil(() => said.join().includes(CODE), { timeout: 30_000 }),
  };
}

describe('troupe telegram setup, with a person who types', () => {
  it('keeps a token that Telegram knows at once, and does not show it', async () => {
    const { said, kept, running, asked } = setUp(telegram.token);
    await asked();
    expect(kept).toEqual([telegram.token]);
    telegram.say(ME, { id: 7 }, '/start wrong-code');
    telegram.say(ME, { id: 7 }, `/start ${CODE}`);
    expect(await running).toEqual({ chat: ME, title: 'chat 42', isForum: false });
    expect(said.join()).not.toContain(telegram.token);
    // The bot must not hear the code again when it starts.
    const left = await fetch(`${telegram.url}/bot${telegram.token}/getUpdates`, { method: 'POST', body: '{}' });
    expect(((await left.json()) as { result: unknown[] }).result).toEqual([]);
  });

  it('a kept token that was taken back is replaced by one that the person gives; a given one is theirs', async () => {
    const known = { token: '1:taken-back-long-ago-by-somebody', isGiven: false, from: 'a file' };
    const { said, kept, asked } = setUp(telegram.token, known);
    await asked();
    expect(said[0]).toBe('Telegram does not know the token in a file any more. Get a new one from @BotFather: /token');
    expect(kept).toEqual([telegram.token]);
    const given = setUp(telegram.token, { ...known, isGiven: true });
    await expect(given.running).rejects.toThrow('Telegram does not know this token.');
    expect(given.kept).toEqual([]);
  });

  it('stores nothing for an unknown token, for text that is not a token, and for no input', async () => {
    for (const [typed, words] of [
      ['1234:some-token-of-nobody-at-all', 'Telegram does not know this token.'],
      ['hello', 'This is no token of a bot.'],
      [undefined, 'No token was given.'],
    ] as const) {
      const { running, kept } = setUp(typed);
      await expect(running).rejects.toThrow(words);
      expect(kept).toEqual([]);
    }
  });

  it('waits between tries while the network is gone', async () => {
    const { running, asked, slept } = setUp(telegram.token);
    await asked();
    telegram.be('down');
    await vi.waitUntil(() => telegram.turnedAway() > 3, { timeout: 30_000 });
    expect(slept.length).toBeGreaterThanOrEqual(telegram.turnedAway() - 1);
    expect(Math.min(...slept)).toBeGreaterThanOrEqual(1_000);
    telegram.be('well');
    telegram.say(ME, { id: 7 }, `/start ${CODE}`);
    expect((await running)?.chat).toBe(ME);
  });
});
