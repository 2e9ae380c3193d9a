import { describe, expect, it } from 'vitest';
import {
  matchesAgent,
  matchesSession,
  parseQuery,
  type Query,
  type QueryAgent,
  type QuerySubject,
  spaceOut,
  tokensOf,
} from './query.ts';

const NOW = new Date(2026, 10, 15, 12).getTime();
const HOSTS = ['claude-code', 'codex', 'opencode'];

function parsed(text: string): Query {
  const { query, problem } = parseQuery(text, HOSTS);
  if (!query) throw new Error(`${problem?.message} ${problem?.remedy}`);
  return query;
}
const wordsOf = (text: string) =>
  parsed(text).words.map(
    ({ tokens, isPrefix, isExcluded }) => `${isExcluded ? '-' : ''}${tokens.join('+')}${isPrefix ? '*' : ''}`,
  );
const filtersOf = (text: string) =>
  parsed(text).filters.map(({ field, value, isExcluded }) => `${isExcluded ? '-' : ''}${field}=${value}`);

describe('the words of a query', () => {
  it.each([
    ['', []],
    ['one two', ['one', 'two']],
    ['"one two" three', ['one+two', 'three']],
    ['auth*', ['auth*']],
    ['"log in auth"*', ['log+in+auth*']],
    ['-draft -"not this"', ['-draft', '-not+this']],
    ['create_server', ['create+server']],
    ['Übergröße', ['ubergroße']],
    ['"never closed', ['never+closed']],
    ['"', []],
    ['- " -"" * ** : ""', []],
    ['https://host:80/a C:\\temp Error:foo 12:30', ['https+host+80+a', 'C+temp'.toLowerCase(), 'error+foo', '12+30']],
    ['a OR b AND NOT c NEAR(d)', ['a', 'or', 'b', 'and', 'not', 'c', 'near+d']],
    ['日本語', ['日+本+語']],
    ['한국어', ['한국어']],
    ['שלום', ['שלום']],
    ['one\u0000two', ['one', 'two']],
  ])('are, in %j, %j', (text, wanted) => {
    expect(wordsOf(text)).toEqual(wanted);
  });
});

describe('the filters of a query', () => {
  it.each([
    ['host:codex project:my-app word', ['host=codex', 'project=my-app']],
    ['project:"my app" -tool:Bash', ['project=my app', '-tool=Bash']],
    ['FILE:src/*.ts model:opus', ['file=src/*.ts', 'model=opus']],
    ['status:failed after:3d before:today', ['status=failed', 'after=3d', 'before=today']],
    ['host:claude', ['host=claude']],
    ['agent:"', []],
  ])('are, in %j, %j', (text, wanted) => {
    const { problem } = parseQuery(text, HOSTS);
    if (wanted.length === 0) expect(problem?.message).toContain('needs a value');
    else expect(filtersOf(text)).toEqual(wanted);
  });

  it.each([
    ['word hots:codex', 'There is no filter "hots:"; did you mean "host:"?', 5, 10],
    ['-projct:a', 'There is no filter "projct:"; did you mean "project:"?', 0, 9],
    ['tool:', '"tool:" needs a value.', 0, 5],
    ['a tool: b', '"tool:" needs a value.', 2, 5],
    ['after:soon', '"after:soon" is not a time.', 0, 10],
    ['status:faild', 'There is no status "faild"; did you mean "failed"?', 0, 12],
    ['host:kodex', 'There is no host "kodex"; did you mean "codex"?', 0, 10],
    ['host:zzz', 'There is no host "zzz".', 0, 8],
  ])('has a mistake: %j', (text, message, offset, length) => {
    expect(parseQuery(text, HOSTS).problem).toMatchObject({
      message,
      offset,
      length,
      remedy: expect.stringMatching(/./),
    });
  });

  it('takes no endless query, and cleans what it quotes', () => {
    expect(parseQuery('x'.repeat(1_000_000)).problem?.message).toBe(
      'The query has 1,000,000 characters; at most 2,000 are possible.',
    );
    expect(parseQuery('after:\u202eabc').problem?.message).toBe('"after:abc" is not a time.');
  });
});

const agent = (more: Partial<QueryAgent>): QueryAgent => ({
  id: 'x',
  names: [],
  status: 'completed',
  models: [],
  ...more,
});
const SUBJECT: QuerySubject = {
  host: 'claude-code',
  hostTitle: 'Claude Code',
  title: 'Fix the log-in page',
  folders: ['/home/ada/work/my-app'],
  status: 'completed',
  startedAt: new Date(2026, 10, 10).getTime(),
  lastActivityAt: new Date(2026, 10, 12).getTime(),
  agents: [
    agent({
      id: 'main1',
      names: ['main'],
      models: ['claude-opus-4'],
      tools: ['Read'],
      files: ['/home/ada/work/my-app/src/main.ts'],
    }),
    agent({
      id: 'sub1',
      names: ['Review the tests'],
      type: 'Explore',
      status: 'failed',
      models: ['claude-haiku-4'],
      tools: ['Bash'],
    }),
  ],
};
const keeps = (text: string): boolean => matchesSession(parsed(text), SUBJECT, NOW);

describe('a session of a list', () => {
  it.each([
    '',
    'log page',
    '"log in" -draft',
    'rev*',
    'host:claude host:codex',
    'project:my-app',
    'project:work',
    'project:work/my-app',
    'project:my',
    'project:my-*',
    'agent:review type:explore',
    'agent:sub',
    'model:opus',
    'model:haiku tool:bash',
    'status:completed',
    'type:Explore status:failed',
    'file:main.ts',
    'file:src/main.ts',
    'file:*.ts',
    '-status:failed',
    'after:2026-11-12 before:2026-11-13',
    'after:5d',
    '-host:codex',
  ])('matches %j', (text) => {
    expect(keeps(text)).toBe(true);
  });

  it.each([
    'missing',
    'lo',
    'log -page',
    'host:codex',
    '-host:claude',
    'project:app',
    'project:y-app',
    'model:opus tool:Bash',
    'status:failed',
    'tool:Write',
    'file:ain.ts',
    'file:*.js',
    'after:2026-11-13',
    'before:2026-11-09',
    'after:2026-11-01 after:1d',
  ])('does not match %j', (text) => {
    expect(keeps(text)).toBe(false);
  });

  it('is judged by what one agent did at one time', () => {
    const one = agent({ id: 'sub1', type: 'Explore', tools: ['Bash'] });
    const at = new Date(2026, 10, 11).getTime();
    const passes = (text: string): boolean => matchesAgent(parsed(text), SUBJECT, one, { at, now: NOW });
    expect(passes('host:claude type:explore tool:bash before:2026-11-12')).toBe(true);
    expect(passes('before:2026-11-11')).toBe(false);
    expect(passes('tool:Read')).toBe(false);
  });
});

describe('tokens', () => {
  it('are letters and digits, without case and accents, each sign of scripts without blanks', () => {
    expect(tokensOf('Crème brûlée, No. 5: हिन्दी 東京へ')).toEqual([
      'creme',
      'brulee',
      'no',
      '5',
      'ह',
      'न',
      'द',
      '東',
      '京',
      'へ',
    ]);
    expect(spaceOut('a東京b').split(/\s+/)).toEqual(['a', '東', '京', 'b']);
    expect(spaceOut('plain')).toBe('plain');
  });
});
