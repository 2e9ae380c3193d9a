import { stat } from 'node:fs/promises';
import type { Clock } from '../lib/clock.ts';
import { appendWhole } from './append-whole.ts';
import { CHAIN_START, type ChainLink, type EntryFields, sealEntry } from './chain.ts';
import { type Head, writeHead } from './head-file.ts';
import type { LogEnd } from './log-end.ts';
import { dayOf, type LogFile, toLogFile } from './log-files.ts';

export interface LogWriter {
  /** On the disk when it comes back. */
  append(entries: readonly EntryFields[]): Promise<void>;
  /** Notes how far the log has come. Only when no event in the spool is in the log already: they are looked for behind it. */
  settle(): Promise<void>;
}

export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Under the lock. */
export async function createLogWriter(
  folder: string,
  end: LogEnd,
  { clock, maxFileBytes = MAX_FILE_BYTES }: { readonly clock: Clock; readonly maxFileBytes?: number },
): Promise<LogWriter> {
  let { file } = end;
  let size = file ? (await stat(file.path)).size : 0;
  let last: ChainLink = end.last;
  let { head } = end;

  /** Before the first line: from then on, lines without a head are a log of which something was removed. */
  const ensureHead = async (): Promise<Head> => {
    if (head) return head;
    const made = { ...CHAIN_START, ...(end.last.n > 0 && { lost: end.last }) };
    await writeHead(folder, made);
    head = made;
    return made;
  };

  /** Days never go back: an event that is told late stands in the file of a later day, and an event of tomorrow in today's. */
  const fileFor = (at: number, lengthBytes: number): LogFile => {
    const [today, day] = [dayOf(clock()), dayOf(at)];
    const wanted = day < today ? day : today;
    if (!file || file.day < wanted) return toLogFile(folder, wanted, 1);
    return size > 0 && size + lengthBytes > maxFileBytes ? toLogFile(folder, file.day, file.part + 1) : file;
  };

  return {
    async append(entries) {
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
    async settle() {
      if ((head?.n ?? 0) === last.n && (head?.hash ?? last.hash) === last.hash) return;
      head = { ...(await ensureHead()), ...last };
      await writeHead(folder, head);
    },
  };
}
