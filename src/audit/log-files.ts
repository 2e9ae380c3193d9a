import { type FileHandle, mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry } from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { listFolder } from '../lib/folders.ts';
import { asObject, known, parseObject } from '../lib/json.ts';
import type { Line } from '../lib/lines.ts';
import { takeLock } from '../lib/lock-file.ts';
import { readLinesBackwards } from '../lib/read-lines.ts';
import { createFile, isWrongFile, openRegular, readText, syncFolder } from '../lib/regular-file.ts';
import { codeOf, UserError } from '../lib/user-error.ts';
import { CHAIN_START, type ChainLink, type EntryFields, openSealed, parseEntry, sealEntry } from './entry.ts';

/** One file of the audit. A day's first is `2026-11-15.jsonl`, its second `2026-11-15.2.jsonl`. */
export interface LogFile {
  readonly name: string;
  readonly path: string;
  readonly day: string;
  readonly part: number;
}

export function auditFolder(folder: string): string {
  return path.join(folder, 'audit');
}

export function lockPath(folder: string): string {
  return path.join(auditFolder(folder), 'drain.lock');
}

function toLogFile(folder: string, day: string, part: number): LogFile {
  const name = part === 1 ? `${day}.jsonl` : `${day}.${part}.jsonl`;
  return { name, path: path.join(auditFolder(folder), name), day, part };
}

/** In the order in which they were written. */
export async function listLogFiles(folder: string): Promise<readonly LogFile[]> {
  const entries = await listFolder(auditFolder(folder));
  return entries
    .flatMap(({ name }) => {
      const [, day, part = '1'] = /^(\d{4}-\d\d-\d\d)(?:\.(\d{1,9}))?\.jsonl$/.exec(name) || [];
      return day === undefined ? [] : [toLogFile(folder, day, Number(part))];
    })
    .sort(compareFiles);
}

export function compareFiles(a: LogFile, b: LogFile): number {
  return a.day === b.day ? a.part - b.part : a.day < b.day ? -1 : 1;
}

/** The day of an instant, UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** How far the log had come when a batch was done: lines that are missing at its end show by it. */
export interface Head extends ChainLink {
  /** The last line that was removed because of its age: the log begins behind it. */
  readonly pruned?: ChainLink;
  /** There was no head, or a broken one, when the log had come to this line: of what stood behind it, nobody knows. */
  readonly lost?: ChainLink;
}

/** `broken`: there is one, and it says nothing. */
export async function readHead(folder: string): Promise<Head | 'broken' | undefined> {
  try {
    return parseHead(await readText(headPath(folder))) ?? 'broken';
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return (await listLogFiles(folder)).length === 0 ? readMirror(folder) : undefined;
    if (isWrongFile(error)) return 'broken';
    throw error;
  }
}

/** Outside the folder of the log: without it, a log that was removed as a whole would look like one that never began. */
const mirrorPath = (folder: string): string => path.join(folder, 'audit-head.json');

async function readMirror(folder: string): Promise<Head | undefined> {
  return parseHead(await readText(mirrorPath(folder)).catch(() => ''));
}

/** Under the lock only. Not flushed: one that is lost or behind after a power cut is made again from the log itself. */
export async function writeHead(folder: string, { n, hash, pruned, lost }: Head): Promise<void> {
  const text = `${JSON.stringify({ n, hash, ...known({ pruned, lost }) })}\n`;
  await replaceWhole(headPath(folder), text);
  await replaceWhole(mirrorPath(folder), text);
}

async function replaceWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.new`;
  try {
    // Of one that was killed.
    await rm(draft, { recursive: true, force: true });
    await createFile(draft, text);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function headPath(folder: string): string {
  return path.join(auditFolder(folder), 'head.json');
}

function parseHead(text: string): Head | undefined {
  const raw = parseObject(text);
  const link = toLink(raw);
  return link && { ...link, ...known({ pruned: toLink(raw?.['pruned']), lost: toLink(raw?.['lost']) }) };
}

function toLink(value: unknown): ChainLink | undefined {
  const { n, hash } = asObject(value) ?? {};
  return Number.isSafeInteger(n) && typeof hash === 'string' ? { n: n as number, hash } : undefined;
}

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

/** The entries of some files, the last one first; lines that are not entries are skipped. */
export async function* readEntriesBackwards(
  files: readonly LogFile[],
): AsyncGenerator<{ readonly entry: AuditEntry; readonly isTorn: boolean }> {
  for (const file of files.toReversed())
    for await (const line of readLinesBackwards(file.path)) {
      const entry = parseEntry(textOf(line));
      if (entry) yield { entry, isTorn: line.torn };
    }
}

const LOCK_PAUSE_MS = 20;

/** Under the lock of everything that writes here. Undefined if another process still holds it after `patienceMs`. */
export async function withLock<T>(
  folder: string,
  clock: Clock,
  patienceMs: number,
  act: () => Promise<T>,
): Promise<T | undefined> {
  let lock = await takeLock(lockPath(folder), clock);
  for (let waitedMs = 0; !lock && waitedMs < patienceMs; waitedMs += LOCK_PAUSE_MS) {
    await sleep(LOCK_PAUSE_MS);
    lock = await takeLock(lockPath(folder), clock);
  }
  if (!lock) return undefined;
  try {
    return await act();
  } finally {
    await lock.release();
  }
}

export function textOf({ bytes }: Line): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Requires the lock. */
export async function createLogWriter(
  folder: string,
  end: LogEnd,
  { clock, maxFileBytes = MAX_FILE_BYTES }: { readonly clock: Clock; readonly maxFileBytes?: number },
) {
  let { file } = end;
  let size = file ? (await stat(file.path)).size : 0;
  let last: ChainLink = end.last;
  let { head } = end;

  /** Written before the first line: from then on, lines without a head mean that something was removed. */
  const ensureHead = async (): Promise<Head> => {
    if (head) return head;
    const made = { ...CHAIN_START, ...(end.last.n > 0 && { lost: end.last }) };
    await writeHead(folder, made);
    head = made;
    return made;
  };

  /** Days never go back: a late event goes into the file of a later day, and an event of tomorrow into today's. */
  const fileFor = (at: number, lengthBytes: number): LogFile => {
    const [today, day] = [dayOf(clock()), dayOf(at)];
    const wanted = day < today ? day : today;
    if (!file || file.day < wanted) return toLogFile(folder, wanted, 1);
    return size > 0 && size + lengthBytes > maxFileBytes ? toLogFile(folder, file.day, file.part + 1) : file;
  };

  return {
    /** Resolves when they are on the disk. */
    async append(entries: readonly EntryFields[]): Promise<void> {
      let pending = '';
      let pendingLast = last;
      const flush = async (): Promise<void> => {
        if (pending === '' || !file) return;
        await appendWhole(file.path, pending);
        pending = '';
        last = pendingLast;
      };
      if (entries.length > 0) await ensureHead();
      for (const fields of entries) {
        const { line, n, hash } = sealEntry(fields, pendingLast);
        const lengthBytes = Buffer.byteLength(line) + 1;
        const next = fileFor(Date.parse(fields.at), lengthBytes);
        if (next.path !== file?.path) {
          await flush();
          file = next;
          size = 0;
        }
        pending += `${line}\n`;
        size += lengthBytes;
        pendingLast = { n, hash };
      }
      await flush();
    },
    /** Only while no queued event is in the log already: those are looked for behind the head. */
    async saveHead(): Promise<void> {
      if ((head?.n ?? 0) === last.n && (head?.hash ?? last.hash) === last.hash) return;
      head = { ...(await ensureHead()), ...last };
      await writeHead(folder, head);
    },
  };
}

/** Where the log continues. */
interface LogEnd {
  readonly file: LogFile | undefined;
  readonly last: ChainLink;
  readonly head: Head | undefined;
  /** Ids of the lines after the head: their writer may have died before it removed the queued files. */
  readonly afterHead: ReadonlySet<string>;
}

/** Without a head: several batches, the one whose events may still be queued, and what may have come between. */
const WINDOW = 1_000;

/** Requires the lock. Finds the end of the log, and repairs its last line. */
export async function findLogEnd(folder: string): Promise<LogEnd> {
  const files = await listLogFiles(folder);
  const file = files.at(-1);
  const found = await readHead(folder);
  const head = found === 'broken' ? undefined : found;
  if (file) await repairLastLine(file, files, head);
  const afterHead = new Set<string>();
  let last: ChainLink | undefined;
  for await (const { entry } of readEntriesBackwards(files)) {
    last ??= { n: entry.n, hash: entry.hash };
    if (head ? entry.n <= head.n : afterHead.size >= WINDOW) break;
    afterHead.add(entry.id);
  }
  last ??= CHAIN_START;
  // If lines are missing at the end, the chain continues behind them: the gap stays visible.
  return { file, head, afterHead, last: head && head.n > last.n ? head : last };
}

/**
 * A line without its newline was being written when its writer died: its event is still queued, so it is cut off. Unless it is
 * whole, or lies before the head and was damaged since: that stays visible.
 */
async function repairLastLine(file: LogFile, files: readonly LogFile[], head: Head | undefined): Promise<void> {
  const torn = await lastLine(file);
  if (!torn?.torn) return;
  const isWhole = openSealed(textOf(torn))?.isIntact === true;
  const isDamage = head !== undefined && (await lastWholeN(files)) < head.n;
  if (isWhole || isDamage) await appendWhole(file.path, '\n');
  else await cutOff(file.path, torn.offset);
}

async function lastLine(file: LogFile): Promise<Line | undefined> {
  try {
    for await (const line of readLinesBackwards(file.path)) return line;
    return undefined;
  } catch (error) {
    throw explainWrite(file.path, error);
  }
}

async function lastWholeN(files: readonly LogFile[]): Promise<number> {
  for await (const { entry, isTorn } of readEntriesBackwards(files)) if (!isTorn) return entry.n;
  return 0;
}
