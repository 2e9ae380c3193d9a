import { lstatSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { linkNew } from '../lib/edit-file.ts';
import { isMissing } from '../lib/folders.ts';
import { isRunning } from '../lib/processes.ts';
import { isWrongFile, readRegular } from '../lib/regular-file.ts';
import { MAX_QUEUED_BYTES, parseQueued } from './queue-file.ts';

// The queue as whoever drains it sees it: STATE/spool/<host>.<pid>.<n>.json, and pending files of calls without a decision yet.

/** An event that waits to be drained. */
export interface QueuedFile {
  readonly name: string;
  readonly path: string;
  readonly host: string;
  /** Of the process that wrote it, and of the event in that process. */
  readonly pid: number;
  readonly count: number;
  /** Process numbers are reused, and names with them; the time makes the id unique. */
  readonly id: string;
  /** When it was put here, nanoseconds. */
  readonly atNs: bigint;
  /** A plain file of a size that can be read. */
  readonly isReadable: boolean;
  /** Faster to read synchronously. */
  readonly isSmall: boolean;
}

const SMALL_BYTES = 64 * 1024;
const AT_ONCE = 500;

/** Oldest first; empty without a folder. */
export async function listQueue(folder: string): Promise<readonly QueuedFile[]> {
  const names = (await namesIn(queueFolder(folder))).filter((name) => !name.startsWith('.') && name.endsWith('.json'));
  const files: QueuedFile[] = [];
  for (const [index, name] of names.entries()) {
    const file = describe(folder, name);
    if (file) files.push(file);
    // Synchronous calls list ten thousand files in a tenth of the time, but must not block the server.
    if (index % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return files.sort(compareFiles);
}

/** Files written within a few milliseconds have the same time; later processes and later events have higher numbers. */
function compareFiles(a: QueuedFile, b: QueuedFile): number {
  if (a.atNs !== b.atNs) return a.atNs < b.atNs ? -1 : 1;
  return a.pid - b.pid || a.count - b.count || (a.name < b.name ? -1 : 1);
}

export async function isQueueEmpty(folder: string): Promise<boolean> {
  return !(await namesIn(queueFolder(folder))).some((name) => name.endsWith('.json') || name.startsWith(PENDING));
}

/** Moves a file that cannot be read out of the way, under a unique name. */
export async function setAside(folder: string, file: QueuedFile): Promise<void> {
  const bad = path.join(queueFolder(folder), 'bad');
  try {
    await mkdir(bad, { recursive: true, mode: 0o700 });
    await rename(file.path, path.join(bad, file.id));
  } catch {
    // `bad` is not a folder, or not ours. Later events must not wait because of that.
    await rename(file.path, path.join(queueFolder(folder), `${ASIDE}${file.id}`));
  }
}

/** For files that were set aside without a folder. They are not listed: their names end with a time. */
const ASIDE = 'bad-';

/** A file that is being written, or a call that waits for its decision. */
const PENDING = '.new-';
/** Held by the process that queues a pending call; removed with it unless that process was killed. */
const CLAIM = '.held-';
/** No process takes this long to write a file. */
const ABANDONED_MS = 10 * 60_000;

/**
 * Handles pending files of writers that were killed: whole ones are queued, incomplete ones are set aside. Returns the number
 * of incomplete ones.
 */
export async function recoverAbandoned(folder: string, clock: Clock): Promise<number> {
  let pieces = 0;
  for (const name of await namesIn(queueFolder(folder))) {
    const isClaim = name.startsWith(CLAIM);
    const [, pid] = /^\.new-.+\.(\d+)\.\d+$/.exec(name) ?? [];
    if (!isClaim && (pid === undefined || isRunning(Number(pid)))) continue;
    const pending = describe(folder, name);
    if (!pending || clock() - Number(pending.atNs / 1_000_000n) < ABANDONED_MS) continue;
    if (isClaim) {
      await rm(pending.path, { force: true });
      continue;
    }
    const isComplete = await isWhole(pending);
    if (!isComplete) pieces++;
    const isQueued =
      isComplete && (await linkNew(pending.path, path.join(queueFolder(folder), `${name.slice(PENDING.length)}.json`)));
    if (isQueued) await rm(pending.path);
    else await setAside(folder, pending);
  }
  return pieces;
}

/** One of the guard stub has no line of ours yet, and is whole all the same: truncated JSON does not parse. */
async function isWhole({ isReadable, path: file }: QueuedFile): Promise<boolean> {
  try {
    return isReadable && parseQueued(await readRegular(file, MAX_QUEUED_BYTES)) !== undefined;
  } catch (error) {
    if (isWrongFile(error)) return false;
    throw error;
  }
}

export function queueFolder(folder: string): string {
  return path.join(folder, 'spool');
}

function describe(folder: string, name: string): QueuedFile | undefined {
  const place = path.join(queueFolder(folder), name);
  const stats = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  const [, host = '', pid = 0, count = 0] = /^(.+)\.(\d+)\.(\d+)\.json$/.exec(name) ?? [];
  return (
    stats && {
      name,
      path: place,
      host,
      pid: Number(pid),
      count: Number(count),
      id: `${name}@${stats.mtimeNs}`,
      atNs: stats.mtimeNs,
      isReadable: stats.isFile() && stats.size <= MAX_QUEUED_BYTES,
      isSmall: stats.size <= SMALL_BYTES,
    }
  );
}

/** None if there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
