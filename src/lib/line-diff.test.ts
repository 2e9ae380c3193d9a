import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiffLine, diffLines } from './patch-text.ts';

const line = fc.constantFrom('a', 'b', 'c', '', '  d', '}');
const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'));

const linesOf = (diff: readonly DiffLine[], gone: DiffLine['kind']): string =>
  diff
    .filter(({ kind }) => kind !== gone)
    .map((one) => one.text)
    .join('\n');

describe('line diff', () => {
  it('turns the old text into the new one, and back', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = diffLines(before, after);
        expect(linesOf(diff, 'removed')).toBe(after);
        expect(linesOf(diff, 'added')).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps as many lines as possible', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const kept = diffLines(before, after).filter(({ kind }) => kind === 'same').length;
        expect(kept).toBe(longestCommon(before.split('\n'), after.split('\n')));
      }),
    );
  });

  it('lists removed lines before added ones', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const kinds = diffLines(before, after).map(({ kind }) => kind[0]);
        expect(kinds.join('')).not.toMatch(/ar/);
      }),
    );
  });

  it('stays correct when it gives up on texts with nothing in common', () => {
    const before = Array.from({ length: 20_000 }, (_, at) => `old ${at}`).join('\n');
    const after = Array.from({ length: 20_000 }, (_, at) => `new ${at}`).join('\n');
    const diff = diffLines(before, after);
    expect(linesOf(diff, 'removed')).toBe(after);
    expect(linesOf(diff, 'added')).toBe(before);
  });
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let above = new Array<number>(b.length + 1).fill(0);
  for (const one of a) {
    const row = [0];
    for (const [at, other] of b.entries())
      row.push(one === other ? (above[at] ?? 0) + 1 : Math.max(above[at + 1] ?? 0, row[at] ?? 0));
    above = row;
  }
  return above.at(-1) ?? 0;
}
