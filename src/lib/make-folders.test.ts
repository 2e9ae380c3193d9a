import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { makeFolders } from './folders.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

const home = makeTemporaryFolder('folders');

it('creates the missing folders, and nothing when all exist', async () => {
  const folder = path.join(home, 'a/b/c');
  await makeFolders(folder, 0o700);
  await makeFolders(folder, 0o700);
  expect(statSync(folder).isDirectory()).toBe(true);
  if (process.platform !== 'win32') expect(statSync(path.join(home, 'a')).mode & 0o777).toBe(0o700);
});

it.runIf(existsSync('/proc/self'))('comes back where the system takes no folders', async () => {
  await expect(makeFolders('/proc/troupe/x')).rejects.toThrow(/ENOENT/);
});
