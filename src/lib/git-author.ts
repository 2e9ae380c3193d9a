import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const PATIENCE_MS = 3_000;

export interface GitAuthor {
  readonly name: string | null;
  readonly email: string | null;
}

/** Who commits in a folder, if it is still there and a repository; asked once for each. Never fails. */
export function createGitAuthors(): (folder: string) => Promise<GitAuthor | null> {
  const known = new Map<string, Promise<GitAuthor | null>>();
  return (folder) => {
    const author = known.get(folder) ?? askGit(folder);
    known.set(folder, author);
    return author;
  };
}

async function askGit(folder: string): Promise<GitAuthor | null> {
  const ask = async (...args: readonly string[]): Promise<string | null> => {
    try {
      // Not with `cwd`: on Windows, a program in that folder would be run in place of git.
      const { stdout } = await promisify(execFile)('git', ['-C', folder, ...args], { timeout: PATIENCE_MS });
      return stdout.trim() || null;
    } catch {
      return null;
    }
  };
  if ((await ask('rev-parse', '--git-dir')) === null) return null;
  const [name, email] = await Promise.all([ask('config', '--get', 'user.name'), ask('config', '--get', 'user.email')]);
  return name === null && email === null ? null : { name, email };
}
