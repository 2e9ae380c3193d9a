import type { Line } from '../lib/lines.ts';
import { readLinesBackwards } from '../lib/read-lines.ts';
import { appendWhole, cutOff, explainWrite } from './append-whole.ts';
import { CHAIN_START, type ChainLink, openSealed, parseEntry } from './chain.ts';
import { type Head, readHead } from './head-file.ts';
import { textOf } from './line-text.ts';
import { type LogFile, listLogFiles } from './log-files.ts';

/** Where the log goes on. */
export interface LogEnd {
  readonly file: LogFile | undefined;
  readonly last: ChainLink;
  readonly head: Head | undefined;
  /** Ids of the lines that came after the head: those who wrote them may have died before their spool files were gone. */
  readonly unsettled: ReadonlySet<string>;
}

/** Without a head: several batches, the one that may be unsettled and what may have come between. */
const WINDOW = 1_000;

/** Under the lock: looks how far the log has come, and leaves it with a whole last line. */
export async function findLogEnd(folder: string): Promise<LogEnd> {
  const files = await listLogFiles(folder);
  const file = files.at(-1);
  const found = await readHead(folder);
  const head = found === 'broken' ? undefined : found;
  if (file) await mendLastLine(file, files, head);
  const { last, unsettled } = await readEnd(files, head);
  // Where lines are missing at the end, the chain goes on behind them: the gap stays to be seen.
  return { file, head, unsettled, last: head && head.n > last.n ? head : last };
}

async function readEnd(
  files: readonly LogFile[],
  head: Head | undefined,
): Promise<{ readonly last: ChainLink; readonly unsettled: ReadonlySet<string> }> {
  const unsettled = new Set<string>();
  let last: ChainLink | undefined;
  for (const file of files.toReversed()) {
    for await (const line of readLinesBackwards(file.path)) {
      const entry = parseEntry(textOf(line));
      if (!entry) continue;
      last ??= { n: entry.n, hash: entry.hash };
      if (head ? entry.n <= head.n : unsettled.size >= WINDOW) return { last, unsettled };
      unsettled.add(entry.id);
    }
  }
  return { last: last ?? CHAIN_START, unsettled };
}

/**
 * A line without its newline was being written when its writer died: its event is still in the spool, and it is cut off.
 * Unless it is whole, or was settled long ago and damaged since: that stays as it is, to be seen.
 */
async function mendLastLine(file: LogFile, files: readonly LogFile[], head: Head | undefined): Promise<void> {
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
  for (const file of files.toReversed())
    for await (const line of readLinesBackwards(file.path)) {
      const entry = line.torn ? undefined : parseEntry(textOf(line));
      if (entry) return entry.n;
    }
  return 0;
}
