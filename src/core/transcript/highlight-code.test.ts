import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highlightCode, TONES } from './highlight-code.ts';

describe('highlightCode', () => {
  it('keeps the code and uses our own colours', () => {
    const language = fc.constantFrom(
      'ts',
      'js',
      'html',
      'bash',
      'json',
      'python',
      'diff',
      'c',
      'css',
      'yaml',
      'sql',
      'md',
    );
    const code = fc.array(
      fc.oneof(fc.string(), fc.constantFrom('<script>', '`${', '"', "'", '/*', '\n', 'function f() {')),
    );
    fc.assert(
      fc.property(language, code, (name, pieces) => {
        const text = pieces.join(' ');
        const coloured = highlightCode(text, name);
        if (!coloured) return;
        expect(coloured.map((piece) => piece.text).join('')).toBe(text);
        for (const { tone } of coloured) if (tone !== undefined) expect(TONES).toContain(tone);
      }),
    );
  });

  it('tells words from strings and comments', () => {
    const tones = highlightCode('const a = "b"; // c', 'typescript')?.map(({ text, tone }) => [text, tone]);
    expect(tones).toContainEqual(['const', 'word']);
    expect(tones).toContainEqual(['"b"', 'text']);
    expect(tones).toContainEqual(['// c', 'note']);
    expect(highlightCode('<p>x</p><script>let y;</script>', 'html')?.some(({ text }) => text.includes('script'))).toBe(
      true,
    );
  });

  it('leaves code in an unknown language unchanged', () => {
    expect(highlightCode('x', 'klingon')).toBeUndefined();
  });
});
