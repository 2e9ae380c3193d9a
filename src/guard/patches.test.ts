// Files that a patch writes, in a shell line; and addresses that are fetched many at a time.
import { describe, expect, test } from 'vitest';
import { decide } from './decide.ts';
import { bash, makeCall, policy, rule } from './testing/make-call.ts';

const patch = (file: string, moved?: string): string =>
  [
    '*** Begin Patch',
    `*** Update File: ${file}`,
    ...(moved ? [`*** Move to: ${moved}`] : []),
    '@@',
    '-a',
    '+b',
    '*** End Patch',
  ].join('\n');
const heredoc = (text: string, before = ''): string => `${before}apply_patch <<'EOF'\n${text}\nEOF`;
const decisionOn = (command: string, denied: string): string =>
  decide(policy([rule('deny', denied)], 'allow'), bash(command)).decision;

describe('apply_patch', () => {
  test.each([
    ['a here-document', heredoc(patch('secret/x'))],
    ['the place that a file is moved to', heredoc(patch('a', 'secret/x'))],
    ['another folder', heredoc(patch('x'), 'cd secret && ')],
    ['an argument', `apply_patch '${patch('secret/x')}'`],
    ['a shell in it', `bash -lc ${JSON.stringify(heredoc(patch('secret/x')))}`],
    ['a patch that nobody can read', 'apply_patch < changes.patch'],
    ['a patch out of a variable', 'apply_patch "$p"'],
    ['no patch at all', "apply_patch <<'EOF'\nhello\nEOF"],
  ])('%s is held against denies', (_what, command) => {
    expect(decisionOn(command, 'Edit(/secret/**)')).toBe('deny');
  });

  test('other files are not, nor are the words inside', () => {
    expect(decisionOn(heredoc(patch('src/x')), 'Edit(/secret/**)')).toBe('allow');
    expect(decisionOn(heredoc(patch('src/x').replace('+b', '+rm -rf x')), 'Bash(rm:*)')).toBe('allow');
  });
});

describe('WebFetch of many addresses', () => {
  const decided = (urls: unknown): string =>
    decide(policy([rule('deny', 'WebFetch(domain:evil.example)')], 'allow'), makeCall('WebFetch', { urls })).decision;

  test('judges each address, and denies when none is known', () => {
    expect(decided(['https://a.example/x', 'http://evil.example'])).toBe('deny');
    expect(decided(['https://a.example/x'])).toBe('allow');
    expect(decided([])).toBe('deny');
    expect(decided('https://a.example')).toBe('deny');
  });
});
