// A file that nobody may write stays unwritten, whatever program is told to write it. `link` leads to `secret`.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import { bash, policy, rule } from './testing/make-call.ts';

const WRITTEN_FILES = readFileSync(new URL('./testing/written-files.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

test.each(WRITTEN_FILES)('denied: %j', (command) => {
  const call = bash(command, { links: { '/p/link': '/p/secret' } });
  expect(decide(policy([rule('deny', 'Edit(/secret/**)')], 'allow'), call).decision).toBe('deny');
});
