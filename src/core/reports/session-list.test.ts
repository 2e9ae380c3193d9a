import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSessionId } from '../ids.ts';
import {
  computeSessionList,
  listEntryOfOlder,
  partOfList,
  SESSION_GROUPS,
  SESSION_SORTS,
  type SessionListRequest,
} from './session-list.ts';
import type { ListedSession, SessionListEntry } from './shapes.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const facts = {
  now: NOW,
  dayOf: (at: number) => new Date(at).toISOString().slice(0, 10),
  hosts: ['claude-code', 'codex'],
};
const wanted: SessionListRequest = { query: '', sort: 'time', group: 'day', from: 0, limit: 1_000 };

function entry(id: string, hoursAgo: number, over: Partial<ListedSession> = {}): SessionListEntry {
  const at = NOW - hoursAgo * 3_600_000;
  const session: ListedSession = {
    ...{ id, host: 'claude-code', hostTitle: 'Claude Code', project: 'app', branch: null, title: `Title of ${id}` },
    ...{ status: 'completed', waitingOn: null, agents: 1, running: 0, needsYou: 0, silent: 0, failed: 0 },
    ...{ outputTokens: 10, usd: 1, costIsLowerBound: false, isRead: true, durationMs: 60_000 },
    ...{ startedAt: new Date(at - 60_000).toISOString(), lastActivityAt: new Date(at).toISOString() },
    ...over,
  };
  const { host, project, status } = session;
  const folders = project === null ? [] : [`/home/dev/${project}`];
  const subject = { host, folders, status: status ?? 'unknown', lastActivityAt: at, marks: [id], agents: [] };
  return { session, subject: { ...subject, ...(session.title !== null && { title: session.title }) } };
}

const list = (all: readonly SessionListEntry[], over: Partial<SessionListRequest> = {}) =>
  computeSessionList(all, { ...wanted, ...over }, facts);
const idsOf = (all: readonly SessionListEntry[], over: Partial<SessionListRequest> = {}) =>
  list(all, over).sessions.map(({ id }) => id);

describe('the list of sessions', () => {
  it('has those at work first, in the order of their beginning, then the days', () => {
    const all = [
      entry('old', 30),
      entry('new', 1),
      entry('works', 0, { running: 1 }),
      entry('longer', 9, { running: 2 }),
    ];
    const { groups, sessions } = list(all);
    expect(sessions.map(({ id }) => id)).toEqual(['longer', 'works', 'new', 'old']);
    expect(groups).toEqual([
      { kind: 'at-work', name: null, count: 2 },
      { kind: 'day', name: '2026-11-15', count: 1 },
      { kind: 'day', name: '2026-11-14', count: 1 },
    ]);
  });

  it('sorts by what was asked for, and what is not known comes last', () => {
    const all = [
      entry('a', 1, { usd: 2, agents: 1, durationMs: 5, outputTokens: 7 }),
      entry('b', 2, { usd: 9, agents: 3, durationMs: null, outputTokens: 1 }),
      entry('c', 3, { usd: null, agents: null, durationMs: 9, outputTokens: null }),
    ];
    const sorted = SESSION_SORTS.map((sort) => [sort, idsOf(all, { sort, group: 'none' }).join('')]);
    expect(Object.fromEntries(sorted)).toEqual({
      time: 'abc',
      cost: 'bac',
      agents: 'bac',
      duration: 'cab',
      tokens: 'abc',
    });
  });

  it('groups by project, the one with the first session first', () => {
    const all = [entry('a', 3), entry('b', 1, { project: 'web' }), entry('c', 2), entry('d', 9, { project: null })];
    expect(list(all, { group: 'project' }).groups.map(({ name, count }) => [name, count])).toEqual([
      ['web', 1],
      ['app', 2],
      [null, 1],
    ]);
    expect(idsOf(all, { group: 'project' })).toEqual(['b', 'c', 'a', 'd']);
  });

  it('filters by the query, by words from their beginning, and by host, project and state', () => {
    const all = [
      entry('a', 1, { title: 'Authentication fails', failed: 1 }),
      entry('b', 2, { host: 'codex', project: 'web', needsYou: 1, running: 1 }),
      entry('c', 80, { silent: 1 }),
    ];
    expect(idsOf(all, { query: 'auth' })).toEqual(['a']);
    expect(idsOf(all, { query: 'host:codex' })).toEqual(['b']);
    expect(idsOf(all, { query: 'after:2d -project:web' })).toEqual(['a']);
    expect(idsOf(all, { host: 'codex' })).toEqual(['b']);
    expect(idsOf(all, { project: 'web' })).toEqual(['b']);
    const states = (['at-work', 'needs-you', 'silent', 'failed', 'done'] as const).map((state) =>
      idsOf(all, { state }).join(''),
    );
    expect(states).toEqual(['b', 'b', 'c', 'a', 'ac']);
  });

  it('says what is wrong with a query, and lists everything', () => {
    const all = [entry('a', 1), entry('b', 2)];
    expect(list(all, { query: 'hots:codex' })).toMatchObject({ matching: 2, problem: { offset: 0, length: 10 } });
    expect(list(all, { query: 'x tool:Bash' }).problem).toMatchObject({
      message: '"tool:" finds messages, and this is a list of sessions.',
      offset: 2,
    });
  });

  it('knows a session that was not read yet by its id and host', () => {
    const unread = listEntryOfOlder({ id: toSessionId('codex', 'abc-123'), modifiedAt: NOW, files: 1 });
    const found = list([unread, entry('a', 1)], { query: 'abc host:codex' });
    expect(found).toMatchObject({ total: 2, matching: 1, unread: 1, sessions: [{ id: 'abc-123', isRead: false }] });
    expect(idsOf([unread], { state: 'done' })).toEqual([]);
  });

  it('gives the same list in parts as in one piece, whatever it is sorted and grouped by', () => {
    const sessions = fc.array(
      fc.record({
        hours: fc.integer({ min: 0, max: 100 }),
        usd: fc.option(fc.integer({ min: 0, max: 3 })),
        running: fc.integer({ min: 0, max: 1 }),
        project: fc.option(fc.constantFrom('app', 'web')),
      }),
    );
    fc.assert(
      fc.property(
        sessions,
        fc.constantFrom(...SESSION_SORTS),
        fc.constantFrom(...SESSION_GROUPS),
        fc.integer({ min: 1, max: 5 }),
        (given, sort, group, limit) => {
          const all = given.map(({ hours, ...over }, index) => entry(`s${index}`, hours, over));
          const whole = list(all, { sort, group });
          expect(whole.groups.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
          const parts = [];
          for (let from = 0; from < all.length; from += limit) {
            const part = list(all, { sort, group, from, limit });
            expect(partOfList(whole, { from, limit })).toEqual(part);
            parts.push(...part.sessions.map(({ id }) => id));
          }
          expect(parts).toEqual(whole.sessions.map(({ id }) => id));
          for (const [index, { id }] of whole.sessions.entries())
            expect(list(all, { sort, group, at: id }).at).toBe(index);
        },
      ),
    );
  });
});
