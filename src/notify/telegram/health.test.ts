import { describe, expect, it } from 'vitest';
import { BotApiError } from './bot-api.ts';
import { Health } from './health.ts';

function watched() {
  let now = 0;
  const notes: string[] = [];
  const states: string[] = [];
  const health = new Health({
    clock: () => now,
    pid: 1,
    save: ({ state }) => void states.push(state),
    note: (text) => void notes.push(text),
  });
  return { health, notes, states, pass: (ms: number) => (now += ms) };
}

describe("the bot's health", () => {
  it('names another program with the same bot once, and keeps the fault when something was sent', () => {
    const { health, notes, states, pass } = watched();
    for (let nth = 0; nth < 20; nth++) {
      health.reportFailure(new BotApiError('conflict', 'Conflict: terminated by other getUpdates request'));
      pass(10_000);
      health.reportSuccess();
    }
    expect(states).toEqual(['ok', 'conflict']);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain('Another program asks for the updates');
    pass(180_000);
    health.reportSuccess();
    expect(states).toEqual(['ok', 'conflict', 'ok']);
  });

  it('reports that Telegram is unreachable, and that it is back', () => {
    const { health, notes, states } = watched();
    const gone = new BotApiError('network', 'no connection');
    for (const error of [gone, gone]) health.reportFailure(error);
    health.reportSuccess();
    health.reportSuccess();
    expect(states).toEqual(['ok', 'network', 'ok']);
    expect(notes).toEqual([
      'troupe: Telegram cannot be reached; it is tried again.',
      'troupe: Telegram answers again.',
    ]);
  });
});
