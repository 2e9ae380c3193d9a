import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visitViews } from './disguises.ts';
import { createKeywordSearch } from './keyword-search.ts';
import { plainView } from './view.ts';

const KEYWORDS = ['token', 'secret key', '"auth"', 'pin ', 'key', 'private key', 'ghp_', "cookie':", 'keys'];
/** What texts are made of that were written into other texts, once and again. */
const PIECES = [
  ...KEYWORDS,
  ...KEYWORDS.map((word) => word.toUpperCase()),
  ...['\\n', '\\\\n', '\\"', '\\\\\\"', '%20', '&quot;', '&amp;', '\\t', '\\u0022', '\\u006b', "\\'", '\n', ' ', '\\'],
  ...['auth', 'secret', 'private', 'cookie', 'pin', 'x', 'en', 'tok', '_'],
];

describe('createKeywordSearch', () => {
  it('finds in a decoded view, with the help of the view below, what a search of its text finds', () => {
    const search = createKeywordSearch(KEYWORDS, () => false);
    const named = (hits: readonly number[]): readonly string[] => {
      const found: string[] = [];
      for (let at = 0; at < hits.length; at += 2)
        if ((hits[at] as number) < KEYWORDS.length) found.push(`${KEYWORDS[hits[at] as number]} at ${hits[at + 1]}`);
      return found.sort();
    };
    let decoded = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }), (pieces) => {
        visitViews(pieces.join(''), (view) => {
          if ('joinWithin' in view) return;
          if (view.edited && !view.edited.isJoining) decoded++;
          expect(named(search(view))).toEqual(named(search(plainView(view.text))));
        });
      }),
    );
    expect(decoded).toBeGreaterThan(10);
  });
});
