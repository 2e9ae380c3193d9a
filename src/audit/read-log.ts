import { type AuditEntry, type AuditFilter, matchesFilter } from '../core/index.ts';
import type { Line } from '../lib/lines.ts';
import { readLinesBackwards, streamLines } from '../lib/read-lines.ts';
import { isWrongFile } from '../lib/regular-file.ts';
import { parseEntry } from './chain.ts';
import { textOf } from './line-text.ts';
import { dayOf, type LogFile, listLogFiles } from './log-files.ts';

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
export function toKnownEntry(line: Line, file: LogFile, { onBadLine }: ReadOptions): AuditEntry | undefined {
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
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
