import { signal } from '@preact/signals';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TranscriptMessage } from '../../../../src/core/index.ts';
import { lastMessageAt } from './read-view.tsx';

function bookOf(times: readonly (number | null)[]) {
  const read = new Set<number>();
  return {
    read,
    total: signal<number | undefined>(times.length),
    at: (index: number): TranscriptMessage | undefined => {
      const time = times[index];
      if (!read.has(index) || time === undefined) return undefined;
      const timestamp = time === null ? null : new Date(time).toISOString();
      return { id: String(index), role: 'user', timestamp, model: null, content: [] };
    },
    load: async (from: number) => {
      for (let index = from - (from % 50); index < from - (from % 50) + 50; index++) read.add(index);
    },
  };
}

describe('the message of a moment', () => {
  it('is the last one that was said by then', async () => {
    const times = fc.array(fc.nat(1000), { minLength: 1, maxLength: 300 }).map((all) => all.sort((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(times, fc.nat(1100), async (all, at) => {
        expect(await lastMessageAt(bookOf(all), at)).toBe(
          Math.max(
            0,
            all.findLastIndex((time) => time <= at),
          ),
        );
      }),
    );
  });

  it('is found by reading little, also where times are missing', async () => {
    const book = bookOf(Array.from({ length: 20_000 }, (_, index) => (index % 3 === 0 ? index * 10 : null)));
    expect(await lastMessageAt(book, 123_456)).toBe(12_347);
    expect(book.read.size).toBeLessThan(1000);
    expect(await lastMessageAt(bookOf([]), 5)).toBeUndefined();
  });
});
