import { type FileHandle, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { openRegular, syncFolder } from '../lib/regular-file.ts';
import { codeOf, UserError } from '../lib/user-error.ts';

/**
 * Appends all of the text or nothing, and comes back when it is on the disk: what it was made of is removed afterwards,
 * and a power cut must not take both. Only under the lock. A `UserError` where the disk is full or not to be written.
 */
export async function appendWhole(file: string, text: string): Promise<void> {
  try {
    const handle = await openForAppend(file);
    try {
      const { size } = await handle.stat();
      try {
        await handle.appendFile(text);
        await handle.datasync();
      } catch (error) {
        // Making a file shorter needs no space. If even that fails, the next one finds a torn line and cuts it off.
        await handle.truncate(size).catch(() => undefined);
        throw error;
      }
      if (size === 0) await syncFolder(path.dirname(file));
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw explainWrite(file, error);
  }
}

/** Removes a torn end. */
export async function cutOff(file: string, size: number): Promise<void> {
  const handle = await openRegular(file, 'update');
  try {
    await handle.truncate(size);
  } finally {
    await handle.close();
  }
}

async function openForAppend(file: string): Promise<FileHandle> {
  try {
    return await openRegular(file, 'append');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    return openRegular(file, 'append');
  }
}

/** In words for people, where they can mend it. */
export function explainWrite(file: string, error: unknown): unknown {
  const [what, remedy] = REASONS[String(codeOf(error))] ?? [];
  if (!what || !remedy) return error;
  const kept = 'What hooks told is kept in the spool until then.';
  return new UserError('audit-write', `troupe cannot write ${file}: ${what}. ${kept}`, remedy, { cause: error });
}

const REASONS: Readonly<Record<string, readonly [string, string]>> = {
  ENOSPC: ['the disk is full', 'Make room on it.'],
  EDQUOT: ['your share of the disk is used up', 'Make room on it.'],
  EROFS: ['the disk is read-only', 'Make it writable, or name another folder with TROUPE_HOME.'],
  EACCES: ['we may not', 'Make it yours, with its folder, or name another folder with TROUPE_HOME.'],
  EPERM: ['we may not', 'Make it yours, with its folder, or name another folder with TROUPE_HOME.'],
  EISDIR: ['it is a folder', 'Move it away.'],
  EFTYPE: ['it is not a regular file', 'Move it away.'],
};
