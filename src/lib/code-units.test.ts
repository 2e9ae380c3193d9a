import { describe, expect, it } from 'vitest';
import { codeUnitsOf } from './digest.ts';

const unitsOf = (text: string): readonly number[] => Array.from(text, (_, at) => at).map((at) => text.charCodeAt(at));

describe('codeUnitsOf', () => {
  it.each([
    ['nothing', ''],
    ['a short text', 'a→b'],
    ['one of single bytes', 'plain text, and a little more of it: é'],
    ['one with characters of every size', 'x → y, and more of it: \ud83c'.repeat(5)],
    ['one that does not fit', 'äb→'.repeat(40_000)],
  ])('returns what charCodeAt returns for %s', (_what, text) => {
    expect([...codeUnitsOf(text).subarray(0, text.length)]).toEqual(unitsOf(text));
  });

  it('returns the next unit after any jump', () => {
    codeUnitsOf('→'.repeat(1000));
    expect([...codeUnitsOf('latin letters only').subarray(0, 18)]).toEqual(unitsOf('latin letters only'));
  });
});
