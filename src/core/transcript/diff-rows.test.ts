import { describe, expect, it } from 'vitest';
import { countRows, diffRows, isNearChange, newRows } from './diff-rows.ts';

describe('rows of a diff', () => {
  it('marks what differs within a pair of lines', () => {
    const [before, after] = diffRows('const limit = 10;', 'const limit = 100;');
    expect(before).toEqual({ kind: 'removed', text: 'const limit = 10;', changed: [16, 16] });
    expect(after).toEqual({ kind: 'added', text: 'const limit = 100;', changed: [16, 17] });
  });

  it('leaves lines unmarked that have hardly anything in common', () => {
    expect(diffRows('import x', 'return 5;').every(({ changed }) => changed === undefined)).toBe(true);
  });

  it('does not cut a character in half', () => {
    const [before] = diffRows('status: 😀 well', 'status: 😁 well');
    expect(before?.changed).toEqual([8, 10]);
  });

  it('adds no empty line for the line break at the end', () => {
    expect(diffRows('a\nb\n', 'a\nc\n').map(({ text }) => text)).toEqual(['a', 'b', 'c']);
    expect(newRows('a\nb\n')).toHaveLength(2);
    expect(newRows('')).toHaveLength(1);
  });

  it('keeps lines next to a change', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const rows = diffRows(lines.join('\n'), lines.with(10, 'other').join('\n'));
    expect(countRows(rows, 'added')).toBe(1);
    const near = rows.flatMap((_, index) => (isNearChange(rows, 2)(index) ? index : []));
    expect(near).toEqual([8, 9, 10, 11, 12, 13]);
  });
});
