// What agents run all day is not refused by denies that are about something else.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import { bash, policy, rule } from './testing/make-call.ts';

const ORDINARY_COMMANDS = readFileSync(new URL('./testing/ordinary-commands.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

const denies = ['Bash(rm:*)', 'Bash(git push:*)', 'Bash(sudo:*)', 'Bash(curl:*)', 'Bash(npm publish:*)'];

test.each(ORDINARY_COMMANDS)('not refused: %j', (command) => {
  expect(decide(policy([rule('deny', denies)], 'allow'), bash(command)).reason).toContain('is allowed');
});
