import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bracketName, cutAt, joinRich, type Piece, quoteOf, rich, splitRich } from './rich-text.ts';

const words = fc.string({ unit: 'binary', maxLength: 60 });
const piece: fc.Arbitrary<Piece> = fc.oneof(
  words,
  words.map((code) => ({ code })),
  words.map((pre) => ({ pre })),
);

/** Half of a character is in it. */
const isTorn = (text: string): boolean => /\p{Cs}/u.test(text);

describe('rich text', () => {
  it('marks exactly the text that comes from others', () => {
    expect(rich('📎 [', { code: 'a' }, ']')).toEqual({ text: '📎 [a]', marks: [{ kind: 'code', from: 4, length: 1 }] });
    expect(joinRich([rich({ code: 'ab' }), rich('x', { pre: 'c' }), rich({ code: '' })])).toEqual({
      text: 'ab\nxc\n',
      marks: [
        { kind: 'code', from: 0, length: 2 },
        { kind: 'pre', from: 4, length: 1 },
      ],
    });
  });

  it('splits into parts that are short enough, without cutting a word, character or mark', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.integer({ min: 2, max: 50 }),
        fc.nat(5),
        (pieces, most, marked) => {
          const whole = rich(...pieces);
          const parts = splitRich(whole, most, marked + 1);
          for (const { text, marks } of parts) {
            expect(text.length).toBeLessThanOrEqual(most);
            expect(marks.length).toBeLessThanOrEqual(marked + 1);
            for (const { from, length } of marks) {
              expect(length).toBeGreaterThan(0);
              expect(from + length).toBeLessThanOrEqual(text.length);
            }
          }
          const letters = (text: string): string => text.replace(/\s/g, '');
          expect(letters(parts.map(({ text }) => text).join(''))).toBe(letters(whole.text));
          const isWhole = !isTorn(whole.text);
          if (isWhole) expect(parts.every(({ text }) => !isTorn(text))).toBe(true);
        },
      ),
    );
  });
});

describe('quotes', () => {
  it('show the first line with text, without links and control characters', () => {
    expect(
      quoteOf('\n---\n# Fix **it**, see [the page](https://x.example/y) or https://evil.example/z now\nmore'),
    ).toBe('Fix it, see the page or now');
    expect(quoteOf('a\u001b[31mred\u001b[0m\u202etxt.exe\ud800')).toBe('aredtxt.exe\ufffd');
    expect(quoteOf('```\n')).toBe('');
  });

  it('are cut at 200 characters, none of them in half', () => {
    const quote = quoteOf('😀'.repeat(300));
    expect([...quote]).toHaveLength(200);
    expect(isTorn(quote)).toBe(false);
    expect(quoteOf('x'.repeat(1_000_000))).toHaveLength(200);
  });

  it('keep a label from closing its brackets', () => {
    expect(bracketName('x] completed\n✅ Subagent [y')).toBe('x) completed ✅ Subagent (y');
    expect(bracketName(' \u202e ')).toBe('?');
    expect(cutAt(bracketName('n'.repeat(100)), 100)).toHaveLength(40);
  });
});
