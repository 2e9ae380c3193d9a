import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { linkNew } from '../lib/edit-file.ts';
import { isMissing } from '../lib/folders.ts';
import { type JsonObject, parseJson, parseObject } from '../lib/json.ts';
import { isRunning } from '../lib/processes.ts';
import { appendSync, isWrongFile, openNewSync, readRegular } from '../lib/regular-file.ts';
import { codeOf } from '../lib/user-error.ts';

// Writing to the queue. The standalone hook starts with these functions: they use Node's own modules only.
//
// A call that the guard stub asks about is a pending file (`.new-…`). Whoever answers it, the server or the standalone hook, queues
// it with its decision (`settleSpooled`); only one of them can.

export const MAX_QUEUED_BYTES = 128 * 1024 * 1024;

const NEWLINE = 10;

/**
 * The payload as the host gave it, then a line of ours: what we know beside it. Undefined if that is not JSON. The last line is ours only if there is a
 * payload before it: the host's own may span lines.
 */
export function parseQueued(bytes: Uint8Array): { readonly payload: unknown; readonly extra: JsonObject } | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = text.length;
  while (end > 0 && text[end - 1] === NEWLINE) end--;
  const cut = end === 0 ? -1 : text.lastIndexOf(NEWLINE, end - 1);
  const extra = cut === -1 ? undefined : parseObject(text.toString('utf8', cut, end));
  const payload = extra && parseJson(text.toString('utf8', 0, cut));
  if (extra && payload !== undefined) return { payload, extra };
  const whole = parseJson(text.toString('utf8', 0, end));
  return whole === undefined ? undefined : { payload: whole, extra: {} };
}

/** The name of a pending file: `.new-<host>.<pid>.<n>`. */
export function isPendingOf(host: string, name: string): boolean {
  return /^\.new-([a-z0-9-]{1,64})\.\d{1,20}\.\d{1,9}$/.exec(name)?.[1] === host;
}

/**
 * Queues a pending call, with `extra` as its last line, and `ms` in it: how long the call was held. `since` is the start of that
 * in epoch milliseconds; without it, when the file was written. False if another process has queued it, or it is gone.
 */
export function queuePending(folder: string, draft: string, extra: object, since?: number): boolean {
  const spool = path.join(folder, 'spool');
  const place = path.join(spool, draft);
  const claim = path.join(spool, draft.replace('.new-', '.held-'));
  try {
    closeSync(openNewSync(claim));
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  try {
    const { mtimeMs, atime, mtime } = statSync(place);
    const ms = heldFor(since ?? mtimeMs);
    // Never creates the file again if it is gone.
    appendSync(place, `\n${JSON.stringify({ ...extra, ms })}\n`, 'append-existing');
    // Its time stays that of the hook's call, also if a person took long to answer.
    if (ms === null || ms > LONG_MS) utimesSync(place, atime, mtime);
    // The pending file reserves the name of its event.
    renameSync(place, path.join(spool, `${draft.slice('.new-'.length)}.json`));
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  } finally {
    unlinkSync(claim);
  }
}

/** Within this time the file's own time is close enough. */
const LONG_MS = 500;

/** Twice the longest `wait`. */
const LONGEST_HELD_MS = 2 * 3_600_000;

/** Null if the clock was set meanwhile. Not by `performance`, which takes the standalone hook longer to load. */
function heldFor(since: number): number | null {
  const ms = Date.now() - since;
  return ms >= 0 && ms < LONGEST_HELD_MS ? Math.round(ms * 10) / 10 : null;
}

/** Far more than can wait under one process number. */
const MAX_TRIES = 1_000_000;

/** The last number that this process used: the next one is most likely free. */
let last = -1;

/**
 * Queues a hook's payload: the file appears under its name whole, or not at all. `extra` is what we know beside it
 * (`{"ppid":…}`, `{"decision":"none","ms":1.2}`). Throws if it cannot be written.
 *
 * Only the creator of `.new-X` may write `X.json`, so it can check first: a rename would silently replace the event of an
 * earlier process with the same number.
 */
export function queueEvent(folder: string, host: string, payload: Uint8Array, extra: object): void {
  const spool = `${folder}/spool`;
  const name = writePending(folder, host, Buffer.concat([payload, Buffer.from(`\n${JSON.stringify(extra)}\n`)]));
  const draft = `${spool}/${name}`;
  try {
    renameSync(draft, `${spool}/${name.slice('.new-'.length)}.json`);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Keeps the payload of a call until `settleSpooled` queues it with a decision. Returns the name of the file. */
export function writePending(folder: string, host: string, content: Uint8Array): string {
  const spool = `${folder}/spool`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const name = `${host}.${process.pid}.${++last}`;
    const draft = `${spool}/.new-${name}`;
    const handle = openNew(spool, draft);
    if (handle === undefined) continue;
    try {
      if (existsSync(`${spool}/${name}.json`)) {
        rmSync(draft);
        continue;
      }
      writeFileSync(handle, content);
      return `.new-${name}`;
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    } finally {
      closeSync(handle);
    }
  }
  throw new Error(`troupe: no free name in ${spool}`);
}

/** Undefined if it exists already. */
function openNew(spool: string, draft: string): number | undefined {
  try {
    return openNewSync(draft);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    if (codeOf(error) !== 'ENOENT') throw error;
    mkdirSync(spool, { recursive: true, mode: 0o700 });
    return openNewSync(draft);
  }
}

// Draining the queue: STATE/spool/<host>.<pid>.<n>.json, and pending files of calls without a decision yet.

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
