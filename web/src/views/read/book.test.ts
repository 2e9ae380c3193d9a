import { describe, expect, it } from 'vitest';
import type { TranscriptMessage } from '../../../../src/core/index.ts';
import type { MessageRange, TranscriptPart } from '../../backend.ts';
import { Book } from './book.ts';

function said(index: number, text = `message ${index}`, life = ''): TranscriptMessage {
  return { id: `${life}${index}`, role: 'assistant', timestamp: null, model: null, content: [{ type: 'text', text }] };
}

function call(index: number, result?: string): TranscriptMessage {
  const use = { type: 'tool_use', tool_use_id: `t${index}`, name: 'Bash', input: {}, summary: null } as const;
  const answer = { type: 'tool_result', tool_use_id: `t${index}`, text: result ?? '', is_error: false } as const;
  return { ...said(index), content: result === undefined ? [use] : [use, answer] };
}

/** A transcript on some server, which tells what it was asked for. */
function serve(all: TranscriptMessage[]) {
  const asked: MessageRange[] = [];
  const read = async ({ from, limit }: MessageRange): Promise<TranscriptPart | undefined> => {
    asked.push({ from, limit });
    return { title: 'title', messages: all.slice(from, from + limit), from, total: all.length };
  };
  return { read, asked, all };
}

const many = (count: number): TranscriptMessage[] => Array.from({ length: count }, (_, index) => said(index));

describe('a transcript that is read by and by', () => {
  it('opens at the beginning, at the end or at a message, and reads no more than it has to', async () => {
    const { read, asked } = serve(many(1000));
    const book = new Book(read);
    await book.open('beginning');
    expect(book.total.value).toBe(1000);
    expect([book.at(0)?.id, book.at(49)?.id, book.at(50)]).toEqual(['0', '49', undefined]);
    await new Book(read).open('end');
    await new Book(read).open(512);
    expect(asked).toEqual([
      { from: 0, limit: 50 },
      { from: 0, limit: 1 },
      { from: 950, limit: 50 },
      { from: 500, limit: 50 },
    ]);
  });

  it('reads what is wanted once, neighbours in one go', async () => {
    const { read, asked } = serve(many(1000));
    const book = new Book(read);
    await book.open('beginning');
    book.want(40, 260);
    book.want(60, 200);
    await book.load(40, 260);
    expect(asked.slice(1)).toEqual([{ from: 50, limit: 250 }]);
    expect(book.at(299)?.id).toBe('299');
    await book.load(0, 300);
    expect(asked).toHaveLength(2);
  });

  it('follows its end, and calls that had no result', async () => {
    const { read, asked, all } = serve([...many(60), call(60), said(61), said(62)]);
    const book = new Book(read);
    await book.open('end');
    const before = book.at(61);
    all[60] = call(60, 'done');
    all.push(said(63));
    const edition = book.edition.value;
    await book.refresh();
    expect(asked.at(-1)).toEqual({ from: 60, limit: 50 });
    expect(book.edition.value).toBe(edition + 1);
    expect(book.at(60)?.content).toHaveLength(2);
    expect(book.at(61)).toBe(before);
    expect([book.total.value, book.at(63)?.id]).toEqual([64, '63']);
    await book.refresh();
    expect(asked.at(-1)).toEqual({ from: 63, limit: 50 });
    expect(book.edition.value).toBe(edition + 1);
  });

  it('begins anew when another conversation stands in its place', async () => {
    const { read, all } = serve(many(100));
    const book = new Book(read);
    await book.open('beginning');
    all.splice(0, 100, said(0, 'other', 'new '), said(1, 'other', 'new '));
    await book.refresh();
    expect(book.volume.value).toBe(1);
    expect([book.total.value, book.at(30)]).toEqual([2, undefined]);
  });

  it('lets go of what was not looked at for longest', async () => {
    const text = 'x'.repeat(40_000);
    const { read } = serve(Array.from({ length: 1000 }, (_, index) => said(index, text)));
    const book = new Book(read);
    await book.open('beginning');
    for (let from = 0; from < 1000; from += 50) {
      book.want(from, from + 50);
      await book.load(from, from + 50);
    }
    const kept = Array.from({ length: 1000 }, (_, index) => book.at(index)).filter(Boolean).length;
    expect(kept).toBeLessThanOrEqual(450);
    expect(book.at(0)).toBeUndefined();
    expect(book.at(999)?.id).toBe('999');
    await book.load(0, 1);
    expect(book.at(0)?.id).toBe('0');
  });

  it('does not ask for ever for messages that are counted and cannot be read', async () => {
    const { read, asked, all } = serve(many(100));
    const book = new Book(async (range) => {
      const part = await read(range);
      return part && { ...part, messages: part.messages.slice(0, -1) };
    });
    await book.open('beginning');
    for (let times = 0; times < 5; times++) await book.load(0, 100);
    expect(asked.length).toBeLessThan(4);
    expect(book.isLost(99)).toBe(true);
    expect(all).toHaveLength(100);
  });

  it('says that there is none, or why it cannot be read, and goes on later', async () => {
    const none = new Book(async () => undefined);
    await none.open('beginning');
    expect(none.state.value).toEqual({ kind: 'missing' });
    let isUp = false;
    const { read } = serve(many(3));
    const book = new Book((range) => (isUp ? read(range) : Promise.reject(new Error('The server answered 500.'))));
    await book.open('beginning');
    expect(book.state.value).toEqual({ kind: 'failed', reason: 'The server answered 500.' });
    isUp = true;
    await book.refresh();
    expect(book.state.value).toEqual({ kind: 'ready' });
    expect(book.at(2)?.id).toBe('2');
  });
});
