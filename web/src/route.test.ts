import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOf, type Place, placeIn } from './route.ts';

const id = fc.oneof(
  fc.uuid(),
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.constantFrom('a/b', '%', '%2F', '#', '?x=1', '..', ' ', 'a%b/c#d', '😀', 'read'),
);
const place: fc.Arbitrary<Place> = fc
  .record({
    view: fc.constantFrom('race', 'graph', 'timeline', 'read', 'guard'),
    ref: fc.option(fc.record({ session: id, agent: id }), { nil: undefined }),
    message: fc.option(fc.nat({ max: 999_999_999 }), { nil: undefined }),
  })
  .map(({ view, ref, message }) => ({ view, ref, message: view === 'read' && ref ? message : undefined }));

describe('deep links', () => {
  it('every place has an address, and the address leads back to it', () => {
    fc.assert(
      fc.property(place, (one) => {
        expect(placeIn(hashOf(one))).toEqual(one);
      }),
    );
  });

  it('the address of a place stays as it is', () => {
    fc.assert(
      fc.property(place, (one) => {
        expect(hashOf(placeIn(hashOf(one)))).toBe(hashOf(one));
      }),
    );
  });

  it('are short where they can be', () => {
    expect(hashOf({ view: 'race', ref: undefined, message: undefined })).toBe('#/race');
    expect(hashOf({ view: 'graph', ref: { session: 's', agent: 's' }, message: 3 })).toBe('#/graph/s');
    expect(hashOf({ view: 'read', ref: { session: 's', agent: 's' }, message: 3 })).toBe('#/read/s/s/3');
  });

  it('never fail on what somebody typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(placeIn(text).view).toBeTruthy();
      }),
    );
    expect(placeIn('#/nonsense/%zz')).toEqual({
      view: 'race',
      ref: { session: '%zz', agent: '%zz' },
      message: undefined,
    });
    expect(placeIn('#/read/s/a/-1').message).toBeUndefined();
    expect(placeIn('').view).toBe('race');
  });

  it('half a character in an id is no reason to fail', () => {
    expect(hashOf({ view: 'race', ref: { session: 'a\ud800b', agent: 'x' }, message: undefined })).toBe(
      '#/race/a%EF%BF%BDb/x',
    );
  });
});
