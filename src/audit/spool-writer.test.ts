import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { putSpoolFile } from './spool-writer.ts';

let state = '';
beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), 'troupe-spool-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

it('puts one file for each call, for its owner only, over nobody else’s', () => {
  const spool = path.join(state, 'spool');
  putSpoolFile(state, 'claude-code', Buffer.from([0, 255, 10]), { ppid: 1 });
  writeFileSync(path.join(spool, `.new-claude-code.${process.pid}.1`), 'another’s');
  putSpoolFile(state, 'claude-code', Buffer.from('{}'), { ppid: 2 });
  const [draft, ...names] = readdirSync(spool).sort();
  expect([draft, ...names]).toEqual(
    ['.new-', '', ''].map((head, n) => `${head}claude-code.${process.pid}.${[1, 0, 2][n]}${n ? '.json' : ''}`),
  );
  const files = names.map((name) => path.join(spool, name));
  expect(files.map((file) => readFileSync(file, 'latin1'))).toEqual(['\0\xff\n\n{"ppid":1}\n', '{}\n{"ppid":2}\n']);
  expect(statSync(files[0] ?? '').mode & 0o777).toBe(0o600);
});
