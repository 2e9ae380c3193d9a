import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SESSION_GROUPS, SESSION_SORTS } from '../../src/core/index.ts';
import { NO_FILTER } from './filter.ts';
import { type Choices, choicesIn, formatChoices, hashOf, type Place, placeIn } from './route.ts';

const id = fc.oneof(
  fc.uuid(),
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.constantFrom('a/b', '%', '%2F', '#', '?x=1', '..', ' ', 'a%b/c#d', '😀', 'read'),
);
const place: fc.Arbitrary<Place> = fc
  .record({
    view: fc.constantFrom('race', 'graph', 'timeline', 'read', 'guard', 'cost'),
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

const text = fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined });
const moment = fc.integer({ min: 0, max: 9_999_999_999_999 });
const choices: fc.Arbitrary<Choices> = fc.record({
  filter: fc
    .record({
      q: fc.string({ unit: 'grapheme' }),
      host: text,
      project: text,
      status: fc.constantFrom(undefined, 'silent', 'done'),
    })
    .map(({ q, ...rest }) => ({ ...NO_FILTER, text: q, ...rest })),
  sort: fc.constantFrom(...SESSION_SORTS),
  grouping: fc.constantFrom(...SESSION_GROUPS),
  searchIn: fc.constantFrom('sessions', 'messages'),
  replayAt: fc.option(moment, { nil: undefined }),
  timelineZoom: fc.option(
    fc.tuple(moment, fc.integer({ min: 1, max: 99_999 })).map(([from, length]) => ({ from, to: from + length })),
    { nil: undefined },
  ),
  graphZoom: fc.option(
    fc.record({
      x: fc.integer({ min: -9_999, max: 9_999 }),
      y: fc.integer({ min: -9_999, max: 9_999 }),
      k: fc.constantFrom(0.25, 1, 1.5),
    }),
    { nil: undefined },
  ),
});

describe('what the person chose', () => {
  it('is in the address, behind every place, and leads back to it', () => {
    fc.assert(
      fc.property(place, choices, (one, chosen) => {
        const hash = `${hashOf(one)}${formatChoices(chosen)}`;
        expect(choicesIn(hash)).toEqual(chosen);
        expect(placeIn(hash)).toEqual(one);
      }),
    );
  });

  it('is left out if it is as at the beginning, and as at the beginning if it makes no sense', () => {
    expect(formatChoices(choicesIn('#/race'))).toBe('');
    expect(choicesIn('#/race?sort=x&group=&status=constructor&at=-1&window=9-3&camera=1_2&in=y')).toEqual(
      choicesIn('#/race'),
    );
  });
});
