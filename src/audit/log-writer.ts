import { stat } from 'node:fs/promises';
import type { Clock } from '../lib/clock.ts';
import type { Line } from '../lib/lines.ts';
import { readLinesBackwards } from '../lib/read-lines.ts';
import { CHAIN_START, type ChainLink, type EntryFields, openSealed, sealEntry } from './entry.ts';
import {
  appendWhole,
  cutOff,
  dayOf,
  explainWrite,
  type Head,
  type LogFile,
  listLogFiles,
  readEntriesBackwards,
  readHead,
  textOf,
  toLogFile,
  writeHead,
} from './log-files.ts';

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
