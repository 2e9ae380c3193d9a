import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type AuditEntry, type AuditFilter, matchesFilter } from '../core/index.ts';
import type { Line } from '../lib/lines.ts';
import { readLinesBackwards, streamLines } from '../lib/read-lines.ts';
import { isWrongFile } from '../lib/regular-file.ts';
import { codeOf } from '../lib/user-error.ts';
import { parseEntry } from './entry.ts';
import { auditFolder, compareFiles, dayOf, type LogFile, listLogFiles, textOf } from './log-files.ts';

export interface ReadOptions extends AuditFilter {
  readonly order?: 'newest' | 'oldest';
  /** At most so many. */
  readonly limit?: number;
  /** A line that is none; reading goes on. */
  onBadLine?(file: string): void;
}

/** The entries of the log, newest first unless told otherwise. Reads no more files than it must. */
export async function* readLog(folder: string, options: ReadOptions = {}): AsyncGenerator<AuditEntry> {
  const { order = 'newest', limit = Number.POSITIVE_INFINITY, since } = options;
  // An event that was told late stands in the file of a later day; in one of an earlier day stands none.
  const files = (await listLogFiles(folder)).filter(({ day }) => since === undefined || day >= dayOf(since));
  let given = 0;
  for (const file of order === 'newest' ? files.toReversed() : files) {
    for await (const entry of readEntries(file, order, options)) {
      if (given >= limit) return;
      yield entry;
      if (++given >= limit) return;
    }
  }
}

/** The entry of a line; tells of one that is none. A torn one is still being written. */
function toKnownEntry(line: Line, file: LogFile, { onBadLine }: ReadOptions): AuditEntry | undefined {
  if (line.torn) return undefined;
  const entry = parseEntry(textOf(line));
  if (!entry) onBadLine?.(file.name);
  return entry;
}

async function* readEntries(
  file: LogFile,
  order: 'newest' | 'oldest',
  options: ReadOptions,
): AsyncGenerator<AuditEntry> {
  try {
    for await (const line of order === 'newest' ? readLinesBackwards(file.path) : streamLines(file.path)) {
      const entry = toKnownEntry(line, file, options);
      if (entry && matchesFilter(entry, options)) yield entry;
    }
  } catch (error) {
    if (isWrongFile(error)) return options.onBadLine?.(file.name);
    // It became too old since we listed it.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

export interface FollowOptions extends Omit<ReadOptions, 'order'> {
  /** Ends it. */
  readonly signal: AbortSignal;
  /** From here on nothing is missed: what was written before is for whoever reads the log. */
  onBegin?(): void;
  /** Not every file system tells of changes. */
  readonly pollMs?: number;
}

/** How far the log was read. */
interface Place {
  readonly file: LogFile;
  readonly offset: number;
}

const POLL_MS = 1_000;

/** Entries as they are appended from now on, until the signal or the limit ends it. There need be no log yet. */
export async function* followLog(folder: string, options: FollowOptions): AsyncGenerator<AuditEntry> {
  const { signal, limit = Number.POSITIVE_INFINITY, pollMs = POLL_MS } = options;
  let place = await endOf(folder);
  options.onBegin?.();
  let given = 0;
  while (!signal.aborted) {
    // Listening begins before looking: what comes in between is not slept through.
    const change = nextChange(auditFolder(folder), pollMs, signal);
    try {
      for (const file of await filesFrom(folder, place)) {
        const start = file.path === place?.file.path ? place.offset : 0;
        for await (const line of linesOf(file, start)) {
          if (!line.torn) place = { file, offset: line.offset + line.length + 1 };
          const entry = toKnownEntry(line, file, options);
          if (!entry || !matchesFilter(entry, options)) continue;
          yield entry;
          if (++given >= limit || signal.aborted) return;
        }
      }
      await change.happened;
    } finally {
      change.stop();
    }
  }
}

/** None where it is not a regular file: `troupe guard verify` reports that. */
async function* linesOf(file: LogFile, start: number): AsyncGenerator<Line> {
  try {
    yield* streamLines(file.path, start);
  } catch (error) {
    if (!isWrongFile(error)) throw error;
  }
}

/** Behind the last whole line. */
async function endOf(folder: string): Promise<Place | undefined> {
  const file = (await listLogFiles(folder)).at(-1);
  if (!file) return undefined;
  try {
    for await (const line of readLinesBackwards(file.path))
      return { file, offset: line.torn ? line.offset : line.offset + line.length + 1 };
  } catch (error) {
    if (!isWrongFile(error)) throw error;
  }
  return { file, offset: 0 };
}

/** The file that is being read and those after it, where they have something new. */
async function filesFrom(folder: string, place: Place | undefined): Promise<readonly LogFile[]> {
  const files = await listLogFiles(folder);
  if (!place) return files;
  const after = files.filter((file) => compareFiles(file, place.file) > 0);
  const current = files.find(({ path }) => path === place.file.path);
  return current && (await stat(current.path)).size > place.offset ? [current, ...after] : after;
}

/** Comes back when something may be new. `stop` may be called at any time. */
function nextChange(folder: string, pollMs: number, signal: AbortSignal): { happened: Promise<void>; stop(): void } {
  let stop = (): void => undefined;
  const happened = new Promise<void>((resolve) => {
    const timer = setTimeout(() => stop(), pollMs);
    const watcher = watchIfPossible(folder, () => stop());
    stop = () => {
      clearTimeout(timer);
      watcher?.close();
      signal.removeEventListener('abort', stop);
      resolve();
    };
    signal.addEventListener('abort', stop);
  });
  return { happened, stop: () => stop() };
}

function watchIfPossible(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, onChange);
    watcher.on('error', onChange);
    return watcher;
  } catch {
    return undefined;
  }
}
