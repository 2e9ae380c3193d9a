import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { makeFolders } from './folders.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

const home = makeTemporaryFolder('folders');

it('creates missing folders, and changes nothing when all exist', async () => {
  const folder = path.join(home, 'a/b/c');
  await makeFolders(folder, 0o700);
  await makeFolders(folder, 0o700);
  expect(statSync(folder).isDirectory()).toBe(true);
  if (process.platform !== 'win32') expect(statSync(path.join(home, 'a')).mode & 0o777).toBe(0o700);
});

it.runIf(existsSync('/proc/self'))('fails when the system does not allow folders there', async () => {
  await expect(makeFolders('/proc/troupe/x')).rejects.toThrow(/ENOENT/);
});
