import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortenStrings } from './json.ts';

const CUT = { longerThan: 60, head: 20, tail: 20 };
const shorten = (value: unknown): unknown =>
  JSON.parse(new TextDecoder().decode(shortenStrings(new TextEncoder().encode(JSON.stringify(value)), CUT)));

/** Texts full of what JSON escapes, and of characters of several bytes. */
const hardText = fc
  .array(fc.constantFrom('"', '\\', '\n', '\u0001', 'é', '→', '😀', '\ud83d', 'plain words ', '{"a":"b"}', '\\"'), {
    maxLength: 80,
  })
  .map((parts) => parts.join(''));

/** What a string may become: itself, or its beginning and its end. */
function isShortened(whole: string, cut: string): boolean {
  if (whole === cut) return true;
  for (let at = 0; at <= cut.length; at++) {
    if (whole.startsWith(cut.slice(0, at)) && whole.endsWith(cut.slice(at))) return true;
  }
  return false;
}

describe('shortenStrings', () => {
  it('keeps JSON valid, with its structure and the beginning and end of every string', () => {
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        hardText,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(fc.constantFrom('a', 'type', 'content'), tie('value'), { maxKeys: 3 }),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        const check = (whole: unknown, cut: unknown): void => {
          if (typeof whole === 'string') expect(isShortened(whole, String(cut)), `${whole} → ${cut}`).toBe(true);
          else if (typeof whole === 'object' && whole !== null) {
            expect(Object.keys(cut as object)).toEqual(Object.keys(whole));
            for (const key of Object.keys(whole)) check(whole[key as never], (cut as never)[key]);
          } else expect(cut).toEqual(whole);
        };
        check(value, shorten(value));
      }),
      { numRuns: 500 },
    );
  });

  it('cuts the middle out of long strings and leaves short ones alone', () => {
    const body = `begin ${'x'.repeat(500)} agentId: a1b2c3`;
    expect(shorten({ type: 'user', content: body })).toEqual({
      type: 'user',
      content: `begin ${'x'.repeat(14 + 4)} agentId: a1b2c3`,
    });
  });

  it('accepts text that is not JSON', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(shortenStrings(bytes, CUT).length).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});
