import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldText } from './rich-text.ts';

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

describe('long texts', () => {
  it('lose nothing by being folded', () => {
    const body = fc
      .array(fc.string({ unit: 'grapheme', maxLength: 250 }), { maxLength: 60 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 12 }), fc.nat({ max: 8 }), (text, head, tail) => {
        const fold = foldText(text, { head, tail });
        expect(fold.head + fold.hidden + fold.tail).toBe(text);
        if (fold.hidden === '') expect(fold.tail).toBe('');
        for (const one of [fold.head, fold.hidden, fold.tail]) expect(one).not.toMatch(LONE);
      }),
    );
  });

  it('show their beginning and their end', () => {
    const lines = Array.from({ length: 100 }, (_one, index) => `line ${index}`).join('\n');
    const { head, tail } = foldText(lines, { head: 3, tail: 2 });
    expect(head).toBe('line 0\nline 1\nline 2\n');
    expect(tail).toBe('line 98\nline 99');
  });

  it('are shown whole when folding would hide only a few lines', () => {
    expect(foldText('a\nb\nc\nd\ne\nf', { head: 2, tail: 1 }).hidden).toBe('');
  });

  it('may be one line without end', () => {
    const { head, hidden } = foldText('x'.repeat(1_000_000), { head: 2, tail: 0 });
    expect(head.length).toBe(200);
    expect(hidden.length).toBe(999_800);
  });
});
