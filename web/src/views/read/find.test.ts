import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { TranscriptMessage } from '../../../../src/core/index.ts';
import { Book } from './book.ts';
import { Finder, HitCounts } from './find.ts';

function said(index: number, text: string): TranscriptMessage {
  return { id: String(index), role: 'assistant', timestamp: null, model: null, content: [{ type: 'text', text }] };
}

async function find(all: TranscriptMessage[], query: string, near: number) {
  const book = new Book(async ({ from, limit }) => ({
    title: null,
    messages: all.slice(from, from + limit),
    from,
    total: all.length,
  }));
  await book.open('beginning');
  const finder = new Finder(book);
  finder.search(query, near);
  await vi.waitUntil(() => finder.progress.value.searched === book.total.value, 30_000);
  return { book, finder };
}

const all = Array.from({ length: 900 }, (_, index) => said(index, index % 100 === 7 ? 'a needle, a Needle' : 'hay'));

describe('find in a transcript', () => {
  it('finds what was not read yet, from where the person looks', async () => {
    const { finder } = await find(all, 'needle', 500);
    expect(finder.progress.value).toEqual({ hits: 18, searched: 900 });
    expect(finder.current.value).toMatchObject({ message: 507, nth: 0, ordinal: 11 });
  });

  it('goes from hit to hit in both directions, and round', async () => {
    const { finder } = await find(all, 'needle', 0);
    const steps: (number | undefined)[] = [];
    for (let step = 0; step < 18; step++) {
      steps.push(finder.current.value?.ordinal);
      finder.step(1, 0);
    }
    expect(steps).toEqual(Array.from({ length: 18 }, (_, at) => at + 1));
    expect(finder.current.value).toMatchObject({ message: 7, nth: 0, ordinal: 1 });
    finder.step(-1, 0);
    expect(finder.current.value).toMatchObject({ message: 807, nth: 1, ordinal: 18 });
  });

  it('goes on with what is written meanwhile', async () => {
    const growing = all.slice(0, 120);
    const { book, finder } = await find(growing, 'needle', 0);
    expect(finder.progress.value.hits).toBe(4);
    growing.push(said(120, 'one more needle'));
    await book.refresh();
    finder.searchEnd();
    await vi.waitUntil(() => finder.progress.value.hits === 5, 30_000);
    expect(finder.progress.value).toEqual({ hits: 5, searched: 121 });
    expect(finder.current.value?.ordinal).toBe(1);
  });

  it('forgets when it is closed', async () => {
    const { finder } = await find(all, 'nothing of the kind', 0);
    expect(finder.progress.value.hits).toBe(0);
    expect(finder.current.value).toBeUndefined();
    finder.hide();
    expect([finder.query.value, finder.pattern.value, finder.isShown.value]).toEqual(['', undefined, false]);
  });
});

describe('hits by message', () => {
  it('add up, whatever order they come in', () => {
    const entries = fc.array(fc.tuple(fc.nat(50), fc.nat(3)), { maxLength: 80 });
    fc.assert(
      fc.property(entries, fc.nat(50), (given, at) => {
        const counts = new HitCounts();
        const plain = new Map<number, number>();
        for (const [message, count] of given) {
          counts.set(message, count);
          plain.set(message, count);
        }
        const hit = [...plain].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
        expect(counts.sum()).toBe(hit.reduce((sum, [, count]) => sum + count, 0));
        expect(counts.sumBefore(at)).toBe(
          hit.filter(([message]) => message < at).reduce((sum, [, count]) => sum + count, 0),
        );
        expect(counts.firstFrom(at)).toBe(hit.find(([message]) => message >= at)?.[0]);
        expect(counts.lastBefore(at)).toBe(hit.findLast(([message]) => message < at)?.[0]);
      }),
    );
  });
});
