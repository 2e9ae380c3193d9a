import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { withinTime } from './clock.ts';

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('withinTime', () => {
  it('aborts when the time is over, even after a garbage collection', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const waiting = withinTime(100, new AbortController().signal, untilAborted);
    collect();
    await expect(waiting).rejects.toThrow('The time is over.');
  });

  it('aborts when the outer signal does; otherwise returns the answer', async () => {
    const other = new AbortController();
    const waiting = withinTime(10_000, other.signal, untilAborted);
    other.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(withinTime(10_000, other.signal, async (signal) => signal.throwIfAborted())).rejects.toThrow('enough');
    expect(await withinTime(10_000, undefined, async () => 5)).toBe(5);
  });
});
