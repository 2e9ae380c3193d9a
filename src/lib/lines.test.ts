import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineSplitter, type Line } from './lines.ts';

const text = (line: Line): string => new TextDecoder().decode(line.bytes);

function split(bytes: Uint8Array, cuts: readonly number[], maxLineBytes?: number): Line[] {
  const splitter = createLineSplitter(maxLineBytes === undefined ? {} : { maxLineBytes });
  const lines: Line[] = [];
  let from = 0;
  for (const end of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    lines.push(...splitter.push(bytes.slice(from, end)));
    from = end;
  }
  const rest = splitter.rest();
  return rest ? [...lines, rest] : lines;
}

describe('createLineSplitter', () => {
  it('gives the same lines and positions however the bytes are split', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 }), fc.array(fc.nat(200)), (parts, cuts) => {
        const bytes = new TextEncoder().encode(parts.join('\n'));
        const lines = split(bytes, cuts);
        expect(lines).toEqual(split(bytes, []));
        for (const line of lines)
          expect(bytes.slice(line.offset, line.offset + line.length)).toEqual(new Uint8Array(line.bytes));
        const whole = lines.filter(({ torn }) => !torn);
        for (const line of whole) expect(bytes[line.offset + line.length]).toBe(10);
      }),
    );
  });

  it('distinguishes a torn last line from a whole one', () => {
    const lines = split(new TextEncoder().encode('one\ntwo'), []);
    expect(lines.map((line) => [text(line), line.torn])).toEqual([
      ['one', false],
      ['two', true],
    ]);
  });

  it('drops a line over the limit, keeps its position, and continues', () => {
    const lines = split(new TextEncoder().encode('short\nfar too long for this\nnext\n'), [8, 12], 10);
    expect(lines.map((line) => [text(line), line.offset, line.length, line.tooLong])).toEqual([
      ['short', 0, 5, false],
      ['', 6, 21, true],
      ['next', 28, 4, false],
    ]);
  });
});
