// Whether the files of a database are there to be read. SQLite says of a folder, a missing right and a link to nothing the same.
import { access, constants, lstat, stat } from 'node:fs/promises';
import path from 'node:path';
import { isRefusal, sizeOf } from '../../../lib/folders.ts';
import { kindOfFile } from '../../../lib/regular-file.ts';
import { UnreadableDatabase } from '../../../lib/sqlite.ts';

/** Throws `UnreadableDatabase`, in words for people. */
export async function assertOpenable(file: string): Promise<void> {
  const why = (await whyNoFile(file)) ?? (await whyUnreadable(file, '')) ?? (await whyUnreadable(file, '-wal'));
  if (why !== undefined) throw new UnreadableDatabase(file, why, false);
}

async function whyNoFile(file: string): Promise<string | undefined> {
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return `it is ${kindOfFile(stats)}, not a regular file`;
    // A new one may have everything in its log still.
    return stats.size === 0 && (await sizeOf(`${file}-wal`)) === 0 ? 'it is empty' : undefined;
  } catch (error) {
    if (isRefusal(error)) return 'you may not read it';
    return (await isLink(file)) ? 'it is a link to nothing' : 'it is not there';
  }
}

async function whyUnreadable(file: string, end: '' | '-wal'): Promise<string | undefined> {
  try {
    await access(file + end, constants.R_OK);
    return undefined;
  } catch (error) {
    if (!isRefusal(error)) return undefined;
    return end === '' ? 'you may not read it' : `you may not read its log, ${path.basename(file)}${end}`;
  }
}

async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}
