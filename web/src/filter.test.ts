import { describe, expect, it } from 'vitest';
import { type Filter, isFiltering, matches, NO_FILTER } from './filter.ts';
import { makeSession } from './testing/make.ts';

const session = makeSession(
  { project: 'shop-api', cwd: '/home/dev/shop-api', title: 'Add rate limiting', branch: 'main', host: 'claude-code' },
  [
    {
      label: 'Measure the load',
      type: 'Explore',
      model: 'claude-haiku-4-5',
      currentTool: 'Bash',
      currentToolSummary: 'npm test',
    },
  ],
);
const with_ = (filter: Partial<Filter>): boolean => matches(session, { ...NO_FILTER, ...filter });

describe('matches', () => {
  it('lets everything through where nothing is set', () => {
    expect(isFiltering(NO_FILTER)).toBe(false);
    expect(isFiltering({ ...NO_FILTER, text: '  ' })).toBe(false);
    expect(with_({ text: '  ' })).toBe(true);
  });

  it('finds every word, in any order, in what a person may remember', () => {
    for (const text of [
      'RATE',
      'limiting rate',
      'shop explore',
      'haiku',
      'load measure',
      'claude-code s1',
      'model:haiku',
      'project:shop type:explore',
    ])
      expect([text, with_({ text })]).toEqual([text, true]);
    for (const text of ['rate nothing', 'opus', 'imiting', '-rate'])
      expect([text, with_({ text })]).toEqual([text, false]);
  });

  it('all of it has to hold', () => {
    expect(with_({ host: 'claude-code', project: 'shop-api', text: 'rate', status: 'at-work' })).toBe(true);
    expect(with_({ host: 'codex', project: 'shop-api' })).toBe(false);
    expect(with_({ host: 'claude-code', project: 'web' })).toBe(false);
    expect(with_({ text: 'rate', status: 'done' })).toBe(false);
  });

  it('knows one who needs the person from one who only waits for the next order', () => {
    const asking = makeSession({}, [{ status: 'waiting', waitingOn: 'permission' }]);
    const idle = makeSession({ main: { ...session.main, status: 'waiting', waitingOn: 'input' } });
    const needsYou = { ...NO_FILTER, status: 'needs-you' } as const;
    expect([matches(asking, needsYou), matches(idle, needsYou)]).toEqual([true, false]);
    expect(matches(idle, { ...NO_FILTER, status: 'done' })).toBe(true);
  });

  it('knows the silent and the failed', () => {
    const silent = makeSession({}, [{ stalled: true }]);
    const failed = makeSession({}, [{ status: 'failed' }]);
    expect(matches(silent, { ...NO_FILTER, status: 'silent' })).toBe(true);
    expect(matches(failed, { ...NO_FILTER, status: 'silent' })).toBe(false);
    expect(matches(failed, { ...NO_FILTER, status: 'failed' })).toBe(true);
    // One that fell silent and has ended since is not silent any more.
    expect(matches(makeSession({}, [{ stalled: true, status: 'completed' }]), { ...NO_FILTER, status: 'silent' })).toBe(
      false,
    );
  });
});
