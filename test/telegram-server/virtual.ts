// The same rules without sockets, in a time that goes on only when nobody has anything left to do: exact, and as fast as can be.
import { createChats, type ServerChat } from './chats.ts';
import { Refusal } from './rules.ts';
import type { FastTime } from './run-bot.ts';

export interface VirtualTime extends FastTime {
  /** Lets everything happen until then. */
  runUntil(at: number): Promise<void>;
}

export function virtualTime(from: number): VirtualTime {
  let now = from;
  const sleepers = new Set<{ readonly at: number; wake(): void }>();
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 6; round++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    clock: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const wake = (): void => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper = { at: now + Math.max(1, ms), wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake);
      }),
    async runUntil(at) {
      for (;;) {
        await settle();
        const next = [...sleepers].toSorted((a, b) => a.at - b.at)[0];
        if (!next || next.at > at) break;
        now = next.at;
        for (const sleeper of [...sleepers]) if (sleeper.at <= now) sleeper.wake();
      }
      now = at;
    },
  };
}

/** What a bot asks with, and what it is answered, in memory. */
export function memoryTelegram(known: readonly ServerChat[], time: VirtualTime) {
  const chats = createChats(known, time.clock);
  const refused: { readonly at: number; readonly code: number; readonly description: string }[] = [];
  const counts = { sends: 0, edits: 0 };
  const answer = async (method: string, fields: Readonly<Record<string, unknown>>): Promise<unknown> => {
    if (method === 'getMe') return { id: 1, is_bot: true, first_name: 't', username: 'troupe_test_bot' };
    if (method === 'setMyCommands') return true;
    if (method === 'getUpdates') {
      await time.sleep(30_000);
      return [];
    }
    const result = chats.answer(method, fields);
    if (method.startsWith('edit')) counts.edits++;
    else if (method !== 'getChat') counts.sends++;
    return result;
  };
  const fetched = async (url: unknown, init?: { readonly body?: unknown }) => {
    const method = String(url).split('/').at(-1) ?? '';
    const fields = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    try {
      const result = await answer(method, fields);
      return { json: async () => ({ ok: true, result }) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push({ at: time.clock(), code: error.code, description: error.message });
      const { code, message, parameters } = error;
      return { json: async () => ({ ok: false, error_code: code, description: message, parameters }) };
    }
  };
  return { messages: chats.messages, topics: chats.topics, refused, counts, fetch: fetched as unknown as typeof fetch };
}
