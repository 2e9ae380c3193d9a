import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placesOfElements } from './json.ts';

describe('positions of array elements', () => {
  it('returns the position of each element, whatever surrounds it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(0, 2),
        (messages, before, after, indent) => {
          const nested = { inner: { messages: [1, 2, '"messages":['] } };
          const bytes = new TextEncoder().encode(
            JSON.stringify({ ...without(before), ...nested, messages, ...without(after) }, null, indent),
          );
          const found = placesOfElements(bytes, 'messages').map(({ offset, length }) =>
            JSON.parse(new TextDecoder().decode(bytes.subarray(offset, offset + length))),
          );
          expect(found).toEqual(JSON.parse(JSON.stringify(messages)));
        },
      ),
    );
  });

  it('returns none when there is no such array', () => {
    for (const text of ['{"messages":{"a":[1]}}', '{"a":"messages","b":[1]}', '[1]', '{}'])
      expect(placesOfElements(new TextEncoder().encode(text), 'messages')).toEqual([]);
  });
});

function without({ messages: _messages, inner: _inner, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest;
}
