import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventParser, type ReceivedEvent } from './remote-feed.ts';

function parse(bytes: Uint8Array, cuts: readonly number[] = []): readonly ReceivedEvent[] {
  const parser = createEventParser();
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return ends.flatMap((end, index) => parser.push(bytes.slice(ends[index - 1] ?? 0, end)));
}
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const gone = (sessionId: string): string => `data: ${JSON.stringify({ sessionId, host: 'h' })}\n`;

describe('createEventParser', () => {
  it('gives the same events however the bytes are split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 6 }),
        fc.array(fc.nat(500)),
        fc.constantFrom('\n', '\r\n'),
        (names, cuts, lineEnd) => {
          const text = names.map((name, index) => `id: e-${index}\nevent: gone\n${gone(name)}\n: ping\n\n`).join('');
          const events = parse(bytesOf(text.replaceAll('\n', lineEnd)), cuts);
          expect(events).toEqual(
            names.map((sessionId, index) => ({
              id: `e-${index}`,
              event: { type: 'gone', data: { sessionId, host: 'h' } },
            })),
          );
        },
      ),
    );
  });

  it('skips comments, unknown fields, unknown events, and unfinished ones', () => {
    const text = `retry: 1000\n\n: ping\n\nevent: news\n${gone('a')}\n${gone('b')}\nevent: gone\nodd\n${gone('c')}\nevent: gone\n${gone('d')}`;
    expect(parse(bytesOf(text)).map(({ event }) => event)).toEqual([
      { type: 'gone', data: { sessionId: 'c', host: 'h' } },
    ]);
  });

  it('reads several lines of data, and a value without the space', () => {
    const text = 'event:gone\ndata:{"sessionId":"a",\ndata: "host":"h"}\n\n';
    expect(parse(bytesOf(text))).toEqual([{ event: { type: 'gone', data: { sessionId: 'a', host: 'h' } } }]);
  });

  it('reports the position of data that cannot be read', () => {
    for (const data of ['{', 'null', '[]', '7'])
      expect(() => parse(bytesOf(`event: gone\ndata: ${data}\n\n`))).toThrow();
  });
});
