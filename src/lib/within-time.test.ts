import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { withinTime } from './clock.ts';

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('within a time', () => {
  it('the signal comes when it is over, also where memory is cleaned up meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    setTimeout(collect, 20);
    await expect(withinTime(100, new AbortController().signal, untilAborted)).rejects.toThrow('The time is over.');
  });

  it('or with the other, before or after it began; else there is the answer', async () => {
    const other = new AbortController();
    const waiting = withinTime(10_000, other.signal, untilAborted);
    other.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(withinTime(10_000, other.signal, async (signal) => signal.throwIfAborted())).rejects.toThrow('enough');
    expect(await withinTime(10_000, undefined, async () => 5)).toBe(5);
  });
});
