import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closeJson } from './json.ts';

describe('closeJson', () => {
  it('makes valid JSON from a text cut at any position', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 3 }), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        const end = 1 + (cut % text.length);
        const whole = Object.keys(JSON.parse(text));
        const parsed: unknown = JSON.parse(closeJson(text.slice(0, end)));
        expect(whole.slice(0, Object.keys(parsed as object).length)).toEqual(Object.keys(parsed as object));
      }),
      { numRuns: 500 },
    );
  });
  it.each([
    ['{"a":1,"b":{"c":"lo', '{"a":1,"b":{"c":"lo"}}'],
    ['{"a":1,"b', '{"a":1}'],
    ['{"a":1,"b":', '{"a":1}'],
    ['{"a":12', '{}'],
    ['{"a":"x\\', '{"a":"x"}'],
    ['{"a":"x\\u00', '{"a":"x"}'],
    ['{"a":"x\\\\', '{"a":"x\\\\"}'],
    ['{"a":["x","y', '{"a":["x","y"]}'],
  ])('%s', (cut, whole) => {
    expect(closeJson(cut)).toBe(whole);
  });
});
