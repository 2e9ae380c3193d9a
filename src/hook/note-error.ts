import { renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { appendSync } from '../lib/regular-file.ts';

const MAX_BYTES = 64 * 1024;

/** A hook has nobody to tell what went wrong: the host would show it to a person who did not ask. The log is kept short. */
export function noteError(folder: string, error: unknown): void {
  const file = path.join(folder, 'hook-errors.log');
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(file, `${file}.1`);
    appendSync(file, `${new Date().toISOString()} ${words.slice(0, 4_000)}\n`);
  } catch {
    // There is no place left to say so: a full disk, or a folder that is not ours.
  }
}
