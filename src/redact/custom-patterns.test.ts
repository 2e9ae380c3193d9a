import { describe, expect, it } from 'vitest';
import { readCustomPattern } from './custom-patterns.ts';

const read = (pattern: string) => readCustomPattern({ name: 'own', pattern });

describe('a person’s own pattern', () => {
  it.each(['ACME-\\d+', 'acme_[a-z0-9]{20,}', '(?:one|two)-\\w+', 'user-(\\w+)@corp', '[A-Z]{2}\\d{6}\\b', 'a?b+?c*'])(
    'takes %s',
    (pattern) => {
      const rule = read(pattern);
      expect(rule).toMatchObject({ id: 'own' });
      expect(typeof rule === 'string' ? rule : rule.pattern.source).not.toMatch(/(?<!\\)[*+]|\{\d+,\}/);
    },
  );

  it.each([
    ['(a+)+$', 'repeats a group'],
    ['(a|aa)*b', 'repeats a group'],
    ['((a{1,9})b){2,9}', 'repeats a group'],
    ['(\\w)\\1', 'refers back'],
    ['a{5000}', 'more than 1,000'],
    ['(unclosed', 'Invalid regular expression'],
    ['x*', 'matches nothing'],
    ['a{0,500}a{0,500}a{0,500}b', 'repeats too much'],
  ])('refuses %s', (pattern, why) => {
    expect(read(pattern)).toContain(why);
  });

  it('needs a name that fits into a placeholder', () => {
    expect(readCustomPattern({ name: 'My Pattern', pattern: 'x' })).toContain('small letters');
  });

  it('takes bounded time even when it was refused', () => {
    for (const pattern of ['.*.*.*x', 'a*a*a*a*a*b', '\\s+\\s+\\s+$']) expect(read(pattern)).toBeDefined();
  });
});
