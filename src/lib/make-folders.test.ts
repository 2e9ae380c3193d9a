import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeFolders } from './folders.ts';

const home = mkdtempSync(path.join(tmpdir(), 'troupe-folders-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('makes all that are missing, and nothing where all are there', async () => {
  const folder = path.join(home, 'a/b/c');
  await makeFolders(folder, 0o700);
  await makeFolders(folder, 0o700);
  expect(statSync(folder).isDirectory()).toBe(true);
  if (process.platform !== 'win32') expect(statSync(path.join(home, 'a')).mode & 0o777).toBe(0o700);
});

it.runIf(existsSync('/proc/self'))('comes back where the system takes no folders', async () => {
  await expect(makeFolders('/proc/troupe/x')).rejects.toThrow(/ENOENT/);
});
