import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { editText } from './edit-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-edit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('loses none of many changes at once', async () => {
  const file = path.join(folder, 'text');
  writeFileSync(file, '');
  const words = Array.from({ length: 12 }, (_, index) => `word-${index}`);
  await Promise.all(words.map((word) => editText(file, { change: (text = '') => `${text}${word}\n` })));
  expect(readFileSync(file, 'utf8').trim().split('\n').sort()).toEqual([...words].sort());
  expect(readdirSync(folder)).toEqual(['text']);
});

it('sees what was written while it was busy, and asks again', async () => {
  const file = path.join(folder, 'text');
  writeFileSync(file, 'old');
  const seen: (string | undefined)[] = [];
  const edit = await editText(file, {
    change: (text) => {
      seen.push(text);
      return `${text} and ours`;
    },
    keep: async ({ before }) => {
      if (before === 'old') writeFileSync(file, 'new');
    },
  });
  expect(seen).toEqual(['old', 'new']);
  expect(edit).toEqual({ before: 'new', after: 'new and ours' });
  expect(readFileSync(file, 'utf8')).toBe('new and ours');
});

it('does not take away a file that changed', async () => {
  const file = path.join(folder, 'text');
  writeFileSync(file, 'ours');
  await editText(file, {
    change: (text) => (text === 'ours' ? undefined : text),
    keep: async () => writeFileSync(file, 'theirs'),
  });
  expect(readFileSync(file, 'utf8')).toBe('theirs');
});

it('gives up on a file that never stands still', async () => {
  const file = path.join(folder, 'text');
  writeFileSync(file, '0');
  let count = 0;
  const change = (text = ''): string => `${text}!`;
  const keep = async (): Promise<void> => writeFileSync(file, String(++count));
  await expect(editText(file, { change, keep })).rejects.toMatchObject({ code: 'settings-busy' });
  expect(readFileSync(file, 'utf8')).toBe(String(count));
  expect(readdirSync(folder)).toEqual(['text']);
});
