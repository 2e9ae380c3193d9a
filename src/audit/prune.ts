import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import { isMissing } from '../io/folders.ts';
import { takeLock } from '../io/lock-file.ts';
import { readLinesBackwards } from '../io/read-lines-backwards.ts';
import { type ChainLink, parseEntry } from './chain.ts';
import { readHead, writeHead } from './head-file.ts';
import { textOf } from './line-text.ts';
import { dayOf, type LogFile, listLogFiles, lockPath } from './log-files.ts';
import { spoolFolder } from './spool.ts';

const DAY_MS = 86_400_000;

/**
 * Removes the files of the audit that are older than so many days, and what was set aside of the spool so long ago.
 * The head says that it was us. Gives the number of files of the audit that went; none while somebody drains.
 */
export async function prune(folder: string, keepDays: number, clock: Clock): Promise<number> {
  const lock = await takeLock(lockPath(folder), clock);
  if (!lock) return 0;
  try {
    const oldest = clock() - keepDays * DAY_MS;
    await removeBad(folder, oldest);
    return await removeLogFiles(folder, dayOf(oldest));
  } finally {
    await lock.release();
  }
}

async function removeLogFiles(folder: string, firstDay: string): Promise<number> {
  const head = await readHead(folder);
  const old = (await listLogFiles(folder)).filter(({ day }) => day < firstDay);
  const pruned = await lastOf(old);
  // Lines that no drain has settled may be of events that still wait: the next drain must find them.
  if (head === undefined || head === 'broken' || !pruned || pruned.n > head.n) return 0;
  const { lost, ...rest } = head;
  await writeHead(folder, { ...rest, pruned, ...(lost && lost.n > pruned.n && { lost }) });
  for (const { path: file } of old) await rm(file, { force: true });
  return old.length;
}

async function lastOf(files: readonly LogFile[]): Promise<ChainLink | undefined> {
  for (const file of files.toReversed())
    for await (const line of readLinesBackwards(file.path)) {
      const entry = parseEntry(textOf(line));
      if (entry) return { n: entry.n, hash: entry.hash };
    }
  return undefined;
}

async function removeBad(folder: string, oldest: number): Promise<void> {
  const bad = path.join(spoolFolder(folder), 'bad');
  for (const name of await namesIn(bad)) {
    const file = path.join(bad, name);
    const stats = await stat(file).catch(() => undefined);
    if (stats && stats.mtimeMs < oldest) await rm(file, { recursive: true, force: true });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
