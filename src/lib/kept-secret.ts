import { stat } from 'node:fs/promises';
import { readText } from './regular-file.ts';
import { codeOf } from './system-error.ts';
import { UserError } from './user-error.ts';

/** From the environment, else from a file that nobody but its owner may read; undefined where there is none. */
export async function readSecret(variable: string, file: string): Promise<string | undefined> {
  const given = process.env[variable]?.trim();
  if (given) return given;
  try {
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new UserError('secret-open', `Others on this machine may read ${file}.`, `Close it: chmod 600 ${file}`);
    return (await readText(file)).trim() || undefined;
  } catch (error) {
    // Also where the folder is none.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
