import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanBlock, cleanOutput, cleanValue } from './clean-text.ts';

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u001b[31m',
        '\u001b]0;owned\u0007',
        '\u202e',
        '\u2066',
        '\u009b2J',
        '\r',
        '\n',
        '\t',
        '\ud83d',
        '\u200b',
      ),
    ),
  )
  .map((pieces) => pieces.join(''));

describe('cleanText', () => {
  it('leaves no control character, no direction mark and no half of a character', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const clean = cleanBlock(text);
        expect(clean).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2060-\u2069\u200b\ufeff]/);
        expect(clean).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
        expect(cleanBlock(clean)).toBe(clean);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps line breaks, tabs, emoji and other scripts', () => {
    const text = 'a\n\tb  c\n👨‍👩‍👧 می‌خواهم עברית\n';
    expect(cleanBlock(text)).toBe(text);
    expect(cleanBlock('a\r\nb\rc\u2028d')).toBe('a\nb\nc\nd');
    expect(cleanBlock('\u001b[1mbold\u001b[0m \u001b]8;;x\u0007link')).toBe('bold link');
  });

  it('loses no line to an escape sequence that never ends', () => {
    expect(cleanBlock('a\u001b]0;never closed\nb\nc')).toBe('a\nb\nc');
  });

  it('shows the last state of a line that was overwritten', () => {
    expect(cleanOutput('10%\r50%\r100%\ndone\r\n')).toBe('100%\ndone\n');
    expect(cleanOutput('a\r\nb')).toBe('a\nb');
  });

  it('cleans values of any depth, and stops at a hostile one', () => {
    expect(cleanValue({ 'ke\u202ey': ['\u001b[31mx', 1, null, { a: true }] })).toEqual({
      key: ['x', 1, null, { a: true }],
    });
    let deep: unknown = 'bottom';
    for (let level = 0; level < 50_000; level++) deep = [deep];
    expect(JSON.stringify(cleanValue(deep))).toContain('…');
  });
});
