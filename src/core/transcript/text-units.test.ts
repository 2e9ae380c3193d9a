import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText } from './folding.ts';
import { countLines, sizeText } from './messages.ts';

const piece = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('\n', '\n\n', 'x'.repeat(900), '😀'.repeat(450)));
const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));

describe('the pieces of a text', () => {
  it('join to the text, none long, none with half a character', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const units = cutText(whole);
        let joined = '';
        for (let index = 0; index < units.count; index++) {
          const one = whole.slice(units.start(index), units.start(index + 1));
          expect(one.length).toBeLessThanOrEqual(400);
          expect(one.slice(0, -1)).not.toContain('\n');
          expect(one).not.toMatch(/^[\udc00-\udfff]/);
          expect(units.isContinued(index)).toBe(joined !== '' && !joined.endsWith('\n'));
          joined += one;
        }
        expect(joined).toBe(whole);
      }),
    );
  });

  it('are found by a position in the text', () => {
    fc.assert(
      fc.property(text, fc.nat(), (whole, seed) => {
        fc.pre(whole !== '');
        const offset = seed % whole.length;
        const units = cutText(whole);
        const at = units.at(offset);
        expect(units.start(at)).toBeLessThanOrEqual(offset);
        expect(units.start(at + 1)).toBeGreaterThan(offset);
      }),
    );
  });

  it('are lines as people count them', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const units = cutText(whole);
        let lines = 0;
        for (let index = 0; index < units.count; index++) if (!units.isContinued(index)) lines++;
        expect(lines).toBe(countLines(whole));
      }),
    );
    expect(countLines('a\nb\n')).toBe(2);
    expect(sizeText('a\nb\n')).toBe('2 lines');
    expect(sizeText('x')).toBe('1 line');
    expect(sizeText('x'.repeat(5000))).toBe('5k characters');
  });
});
