import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createGitAuthors } from './git-author.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

const work = makeTemporaryFolder('author');

it('returns the author that git names, also in a subfolder of the repository', async () => {
  const folder = path.join(work, 'repo', 'src');
  mkdirSync(folder, { recursive: true });
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', path.dirname(folder), ...args]);
  git('init', '-q');
  git('config', 'user.name', 'Ada Example');
  git('config', 'user.email', 'ada@example.org');
  const authorOf = createGitAuthors();
  expect(await authorOf(folder)).toEqual({ name: 'Ada Example', email: 'ada@example.org' });
  git('config', 'user.name', 'Somebody Else');
  expect((await authorOf(folder))?.name).toBe('Ada Example');
});

it('returns undefined outside a repository and in a missing folder', async () => {
  const plain = path.join(work, 'plain');
  mkdirSync(plain);
  const authorOf = createGitAuthors();
  expect(await authorOf(plain)).toBeNull();
  expect(await authorOf(path.join(work, 'nowhere'))).toBeNull();
  expect(await authorOf('--help\u0000')).toBeNull();
});
