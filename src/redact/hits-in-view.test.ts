import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeOnce } from './disguises.ts';
import { editView, plainView, type View } from './view.ts';
import { createWordSearch, hitsInView } from './word-search.ts';
import { stripMargin } from './wrapped-lines.ts';

const WORDS = ['ab', 'abc', 'bca', 'a', '"ab"', 'ca\\n', 'nab', '\nab', 'bb', 'aaaa', 'b/a', 'n', '1\t'];
const SPELLED = WORDS.map((word) =>
  word === 'bca'
    ? { spellings: ['bCa'], isGlued: false }
    : word === 'ab'
      ? { spellings: ['ab'], isGlued: false }
      : undefined,
);

/** Texts in which words, codes and their beginnings run into each other. */
const texts = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'c',
      'bC',
      'n',
      '"',
      '/',
      '1',
      ' ',
      '\n',
      '\t',
      '+',
      '→',
      '\\n',
      '\\"',
      '\\\\',
      '\\u0061',
      '%61',
      '%5C',
      '&quot;',
      '&',
      '\\',
      '\u200b',
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''));

describe('words in a view that is another one with some places changed', () => {
  const words = createWordSearch(WORDS, true, SPELLED);
  const holds = (view: View): void => expect(hitsInView(view, words)).toEqual(words.search(view.text).hits);

  test('are those that a look at the whole of it finds, level by level', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (let view: View | undefined = plainView(text); view; view = decodeOnce(view)) {
          holds(view);
          const stripped = stripMargin(view);
          if (stripped) holds(stripped);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('are found whatever is written in the place of whatever', () => {
    const edits = fc.array(
      fc.tuple(fc.nat(6), fc.integer({ min: 1, max: 3 }), fc.constantFrom('', 'a', 'bc', '"', '\n')),
      {
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(texts, edits, (text, all) => {
        const view = editView(plainView(text), (put) => {
          let from = 0;
          for (const [gap, length, written] of all) {
            if (from + gap + length > text.length) break;
            put(from + gap, from + gap + length, written);
            from += gap + length;
          }
          return false;
        });
        if (view) holds(view);
      }),
      { numRuns: 2000 },
    );
  });
});
