import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionDetail } from '../../../src/core/index.ts';
import { makeSession } from '../testing/make.ts';
import { arrange, groupSessions, type Placed, startOfDay } from './order.ts';

const at = (minute: number): string => new Date(Date.parse('2026-11-15T12:00:00Z') + minute * 60_000).toISOString();
const busy = (id: string, minute: number): SessionDetail =>
  makeSession({ id, lastActivityAt: at(minute) }, [{ status: 'running' }]);
const done = (id: string, minute: number): SessionDetail => makeSession({ id, lastActivityAt: at(minute) });
const ids = (order: readonly Placed[]): string => order.map(({ key }) => key.replace('claude-code:', '')).join(' ');

describe('arrange', () => {
  it('begins with those at work, then the last active', () => {
    expect(ids(arrange([], [done('a', 1), busy('b', 0), done('c', 9), busy('d', 5)]))).toBe('d b c a');
  });

  it('activity moves nobody, and the same order is the same object', () => {
    const first = arrange([], [busy('a', 1), busy('b', 0), done('c', -5), done('d', -9)]);
    const later = arrange(first, [busy('a', 1), busy('b', 60), done('c', -5), done('d', 30)]);
    expect(later).toBe(first);
  });

  it('who begins work goes to the end of those at work; who ends it, to its place among the others', () => {
    const first = arrange([], [busy('a', 1), busy('b', 0), done('c', -5), done('d', -9)]);
    const second = arrange(first, [busy('a', 2), busy('b', 3), done('c', -5), busy('d', 4)]);
    expect(ids(second)).toBe('a b d c');
    const third = arrange(second, [done('a', 5), busy('b', 6), done('c', -5), busy('d', 4)]);
    expect(ids(third)).toBe('b d a c');
  });

  it('a new one enters behind those at work; one from long ago, where it belongs', () => {
    const first = arrange([], [busy('a', 1), done('c', -5), done('d', -90)]);
    expect(ids(arrange(first, [busy('new', 2), busy('a', 1), done('c', -5), done('d', -90)]))).toBe('a new c d');
    expect(ids(arrange(first, [done('old', -50), busy('a', 1), done('c', -5), done('d', -90)]))).toBe('a c old d');
  });

  it('whoever stays as they are keep their order, whatever happens around them', () => {
    const sessions = fc.uniqueArray(
      fc.record({
        id: fc.constantFrom(...'abcdefgh'),
        isBusy: fc.boolean(),
        minute: fc.integer({ min: -99, max: 99 }),
      }),
      { selector: ({ id }) => id },
    );
    const make = (list: readonly { id: string; isBusy: boolean; minute: number }[]) =>
      list.map(({ id, isBusy, minute }) => (isBusy ? busy(id, minute) : done(id, minute)));
    fc.assert(
      fc.property(sessions, sessions, (one, two) => {
        const before = arrange([], make(one));
        const after = arrange(before, make(two));
        expect(new Set(after.map(({ key }) => key)).size).toBe(two.length);
        expect(after).toHaveLength(two.length);
        const stayed = (order: readonly Placed[], others: readonly Placed[]) =>
          order.filter((a) => others.some((b) => a.key === b.key && a.isBusy === b.isBusy)).map(({ key }) => key);
        expect(stayed(after, before)).toEqual(stayed(before, after));
        const firstIdle = after.findIndex(({ isBusy }) => !isBusy);
        expect(firstIdle === -1 || after.slice(firstIdle).every(({ isBusy }) => !isBusy)).toBe(true);
      }),
    );
  });
});

describe('groupSessions', () => {
  it('tells today from earlier by the wall clock, and leaves out what is empty or filtered', () => {
    const [a, b, c] = [busy('a', -9999), done('b', 0), done('c', -24 * 60)];
    const order = arrange([], [a, b, c]);
    const dayStart = startOfDay(Date.parse(at(60)));
    const names = (visible: readonly SessionDetail[]) =>
      groupSessions(order, visible, dayStart).map(
        ({ name, sessions }) => `${name}: ${sessions.map(({ id }) => id).join(' ')}`,
      );
    expect(names([a, b, c])).toEqual(['At work: a', 'Today: b', 'Earlier: c']);
    expect(names([c])).toEqual(['Earlier: c']);
    expect(groupSessions(order, [makeSession({ id: 'b' })], dayStart)[0]?.name).toBe('Earlier');
  });
});
