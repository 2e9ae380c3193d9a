// Programs that run others, in the ways that they are told to: a denied command stays denied in each.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import { bash, policy, rule } from './testing/make-call.ts';

const HIDDEN_IN_PROGRAMS = readFileSync(new URL('./testing/hidden-in-programs.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

test('there are many of them, each once', () => {
  expect(new Set(HIDDEN_IN_PROGRAMS).size).toBe(HIDDEN_IN_PROGRAMS.length);
  expect(HIDDEN_IN_PROGRAMS.length).toBeGreaterThan(300);
});

test.each(HIDDEN_IN_PROGRAMS)('denied: %j', (command) => {
  expect(decide(policy([rule('deny', 'Bash(rm:*)')], 'allow'), bash(command)).decision).toBe('deny');
});
