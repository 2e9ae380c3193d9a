import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { queueEvent } from './queue.ts';

let state = '';
beforeEach(() => {
  state = makeTemporaryFolder('spool');
});

it('writes one file for each call, readable by its owner only, and overwrites none', () => {
  const spool = path.join(state, 'spool');
  const nameOf = (n: number): string => `claude-code.${process.pid}.${n}`;
  queueEvent(state, 'claude-code', Buffer.from([0, 255, 10]), { ppid: 1 });
  const first = Number(readdirSync(spool)[0]?.split('.')[2]);
  writeFileSync(path.join(spool, `.new-${nameOf(first + 1)}`), 'another’s');
  writeFileSync(path.join(spool, `${nameOf(first + 2)}.json`), 'another’s');
  queueEvent(state, 'claude-code', Buffer.from('{}'), { ppid: 2 });
  expect(readdirSync(spool).length).toBe(4);
  const text = (n: number): string => readFileSync(path.join(spool, `${nameOf(n)}.json`), 'latin1');
  expect([text(first), text(first + 3)]).toEqual(['\0\xff\n\n{"ppid":1}\n', '{}\n{"ppid":2}\n']);
  expect(statSync(path.join(spool, `${nameOf(first)}.json`)).mode & 0o777).toBe(0o600);
});
