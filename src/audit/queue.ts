import { lstatSync } from 'node:fs';
import { link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { isMissing } from '../lib/folders.ts';
import { isRunning } from '../lib/processes.ts';
import { isWrongFile, readRegular } from '../lib/regular-file.ts';
import { codeOf } from '../lib/user-error.ts';
import { MAX_SPOOL_BYTES, parseSpooled } from './queue-file.ts';

/** An event that waits to be drained. */
export interface QueuedFile {
  readonly name: string;
  readonly path: string;
  readonly host: string;
  /** Names may come again with a process number; with its time an event is told apart from every other. */
  readonly id: string;
  /** When it was put here, nanoseconds. */
  readonly atNs: bigint;
  /** A plain file of a size that can be read. */
  readonly isReadable: boolean;
  /** Read faster at once than by giving way to others. */
  readonly isSmall: boolean;
}

const SMALL_BYTES = 64 * 1024;
const AT_ONCE = 500;

/** What waits, oldest first. No folder: nothing waits. */
export async function listQueue(folder: string): Promise<readonly QueuedFile[]> {
  const names = (await namesIn(queueFolder(folder))).filter((name) => !name.startsWith('.') && name.endsWith('.json'));
  const files: QueuedFile[] = [];
  for (const [index, name] of names.entries()) {
    const file = describe(folder, name);
    if (file) files.push(file);
    // Without a promise for each, ten thousand take a tenth of the time; but others are waiting for us.
    if (index % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return files.sort(compareFiles);
}

/** Files have the same time within a few milliseconds; later processes and later events of one have higher numbers. */
function compareFiles(a: QueuedFile, b: QueuedFile): number {
  if (a.atNs !== b.atNs) return a.atNs < b.atNs ? -1 : 1;
  const [[pidA, countA], [pidB, countB]] = [numbersOf(a.name), numbersOf(b.name)];
  return pidA - pidB || countA - countB || (a.name < b.name ? -1 : 1);
}

function numbersOf(name: string): readonly [pid: number, count: number] {
  const [, pid, count] = /\.(\d+)\.(\d+)\.json$/.exec(name) ?? [];
  return [Number(pid ?? 0), Number(count ?? 0)];
}

export async function isQueueEmpty(folder: string): Promise<boolean> {
  return !(await namesIn(queueFolder(folder))).some((name) => name.endsWith('.json') || name.startsWith(DRAFT));
}

/** Keeps what cannot be understood, out of the way and under a name of its own. */
export async function setAside(folder: string, file: QueuedFile): Promise<void> {
  const bad = path.join(queueFolder(folder), 'bad');
  try {
    await mkdir(bad, { recursive: true, mode: 0o700 });
    await rename(file.path, path.join(bad, file.id));
  } catch {
    // Something else has the folder's name, or it is not for us: all that came after must not wait because of it.
    await rename(file.path, path.join(queueFolder(folder), `${ASIDE}${file.id}`));
  }
}

/** What was set aside without a folder of its own. Nobody lists it: it ends with a time. */
const ASIDE = 'bad-';

const DRAFT = '.new-';
/** Says who settles a draft. It goes with the draft, unless its owner was killed. */
const CLAIM = '.held-';
/** Nobody needs so long to write a file. */
const ABANDONED_MS = 10 * 60_000;

/**
 * What writers left that were killed before they could give it its name: whole, it is an event like any other; a piece
 * of one is of no use to anybody. Gives how many such pieces were set aside.
 */
export async function recoverAbandoned(folder: string, clock: Clock): Promise<number> {
  let pieces = 0;
  for (const name of await namesIn(queueFolder(folder))) {
    if (name.startsWith(CLAIM)) await dropOldClaim(folder, name, clock);
    const [, host, pid] = /^\.new-(.+)\.(\d+)\.\d+$/.exec(name) ?? [];
    if (host === undefined || isRunning(Number(pid))) continue;
    const draft = describe(folder, name);
    if (!draft || clock() - Number(draft.atNs / 1_000_000n) < ABANDONED_MS) continue;
    const isWhole = await isWholeDraft(draft);
    if (!isWhole) pieces++;
    if (!isWhole || !(await giveName(draft, path.join(queueFolder(folder), `${name.slice(DRAFT.length)}.json`))))
      await setAside(folder, draft);
  }
  return pieces;
}

/** The guard's has no line of ours yet, and is whole all the same: JSON that was cut is none. */
async function isWholeDraft({ isReadable, path: file }: QueuedFile): Promise<boolean> {
  try {
    return isReadable && parseSpooled(await readRegular(file, MAX_SPOOL_BYTES)) !== undefined;
  } catch (error) {
    if (isWrongFile(error)) return false;
    throw error;
  }
}

async function dropOldClaim(folder: string, name: string, clock: Clock): Promise<void> {
  const claim = describe(folder, name);
  if (claim && clock() - Number(claim.atNs / 1_000_000n) >= ABANDONED_MS) await rm(claim.path, { force: true });
}

export function queueFolder(folder: string): string {
  return path.join(folder, 'spool');
}

async function giveName(draft: QueuedFile, place: string): Promise<boolean> {
  try {
    await link(draft.path, place);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  await rm(draft.path);
  return true;
}

function describe(folder: string, name: string): QueuedFile | undefined {
  const place = path.join(queueFolder(folder), name);
  try {
    const stats = lstatSync(place, { bigint: true });
    return {
      name,
      path: place,
      host: /^(.+)\.\d+\.\d+\.json$/.exec(name)?.[1] ?? '',
      id: `${name}@${stats.mtimeNs}`,
      atNs: stats.mtimeNs,
      isReadable: stats.isFile() && stats.size <= MAX_SPOOL_BYTES,
      isSmall: stats.size <= SMALL_BYTES,
    };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
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
