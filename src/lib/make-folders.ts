import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './system-error.ts';

/**
 * A folder and those above it. `mkdir` with `recursive` never comes back (Node 20) where the system says of a new folder in one that
 * is there that something is not there: `/proc` does.
 */
export async function makeFolders(folder: string, mode?: number): Promise<void> {
  if (await makeOne(folder, mode)) return;
  const above = path.dirname(folder);
  if (above !== folder) await makeFolders(above, mode);
  await makeOne(folder, mode, true);
}

/** false: one above it is missing. */
async function makeOne(folder: string, mode: number | undefined, isLast = false): Promise<boolean> {
  try {
    await mkdir(folder, { mode });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return true;
    if (codeOf(error) === 'ENOENT' && !isLast) return false;
    throw error;
  }
}
