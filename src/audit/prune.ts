import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type SessionId, toSessionId } from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { isMissing } from '../lib/folders.ts';
import { takeLock } from '../lib/lock-file.ts';
import { readLinesBackwards } from '../lib/read-lines.ts';
import { type ChainLink, parseEntry } from './chain.ts';
import { readHead, writeHead } from './head-file.ts';
import { textOf } from './line-text.ts';
import { dayOf, type LogFile, listLogFiles, lockPath } from './log-files.ts';
import { spoolFolder } from './spool.ts';

const DAY_MS = 86_400_000;

/** When each session that there is was changed last (epoch milliseconds), by its own files. */
export type SessionAges = () => Promise<ReadonlyMap<SessionId, number>>;

/**
 * Removes the files of the audit that are older than so many days, what was set aside of the spool so long ago, and what hooks
 * and streams told about sessions that are as old, or gone. The head says that it was us. Gives the number of files of the audit that went;
 * none while somebody drains.
 */
export async function prune(folder: string, keepDays: number, clock: Clock, ages?: SessionAges): Promise<number> {
  const lock = await takeLock(lockPath(folder), clock);
  if (!lock) return 0;
  try {
    const oldest = clock() - keepDays * DAY_MS;
    await removeBad(folder, oldest);
    if (ages) await removeTold(folder, oldest, ages);
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

/** They are part of the tree as long as somebody may look at the session: one that goes on without hooks, too. */
async function removeTold(folder: string, oldest: number, ages: SessionAges): Promise<void> {
  const old: { readonly file: string; readonly session: SessionId }[] = [];
  const folders = ['hooks', 'streams'].map((kind) => path.join(folder, kind));
  const hosts = await Promise.all(
    folders.map(async (kind) => (await namesIn(kind)).map((host) => ({ host, at: path.join(kind, host) }))),
  );
  for (const { host, at } of hosts.flat())
    for (const name of await namesIn(at)) {
      const file = path.join(at, name);
      const stats = await stat(file).catch(() => undefined);
      if (name.endsWith('.jsonl') && stats?.isFile() && stats.mtimeMs < oldest)
        old.push({ file, session: toSessionId(host, path.basename(name, '.jsonl')) });
    }
  if (old.length === 0) return;
  const known = await ages();
  for (const { file, session } of old) if ((known.get(session) ?? 0) < oldest) await rm(file, { force: true });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
