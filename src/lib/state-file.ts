import { stat } from 'node:fs/promises';
import { readText, readTextSync } from './regular-file.ts';
import { codeOf, isGone, messageOf, UserError } from './user-error.ts';

/** The stored state; undefined if there is none yet. Throws a `UserError` that says what cannot be read from the file. */
export function loadState<State>(
  file: string,
  parse: (text: string) => State,
  { code, what, remedy }: Readonly<Record<'code' | 'what' | 'remedy', string>>,
): State | undefined {
  try {
    return parse(readTextSync(file));
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new UserError(code, `${what} cannot be read from ${file}: ${messageOf(cause)}`, remedy, { cause });
  }
}

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
    if (isGone(error)) return undefined;
    throw error;
  }
}
