import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry } from '../core/index.ts';
import { isEqual } from '../lib/json.ts';
import { isLocked } from '../lib/lock-file.ts';
import { streamLines } from '../lib/read-lines.ts';
import { CHAIN_START, type ChainLink, openSealed } from './chain.ts';
import { type Head, readHead } from './head-file.ts';
import { textOf } from './line-text.ts';
import { type LogFile, listLogFiles, lockPath } from './log-files.ts';

export interface LogProblem {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** A sentence. */
  readonly what: string;
}

export interface Verification {
  /** Lines that are entries, in order or not. */
  readonly entries: number;
  readonly files: number;
  /** Null where there is no entry. */
  readonly firstN: number | null;
  readonly lastN: number | null;
  /** Older entries were removed because of their age: the chain begins behind this one. */
  readonly prunedTo: number | null;
  readonly problems: readonly LogProblem[];
}

const MAX_LOOKS = 20;
const PAUSE_MS = 100;

/**
 * Whether the log is as it was written: every line whole and unchanged, none missing, none moved. It shows accidents and
 * edits; who may write to the folder could write all of it anew.
 */
export async function verifyLog(folder: string): Promise<Verification> {
  for (let look = 1; ; look++) {
    const before = await readHead(folder);
    const found = await verifyOnce(folder, before);
    if (found.problems.length === 0 || look >= MAX_LOOKS) return found;
    // While somebody writes, a line may be half there, or a file go.
    const isInWork = (await isLocked(lockPath(folder))) || !isEqual(await readHead(folder), before);
    if (!isInWork) return found;
    await sleep(PAUSE_MS);
  }
}

/** The head is older than what is read: lines that come in the meantime are behind it. */
async function verifyOnce(folder: string, head: Head | 'broken' | undefined): Promise<Verification> {
  const files = await listLogFiles(folder);
  const check = createChainCheck(head === 'broken' ? undefined : head);
  for (const file of files) await check.file(file);
  const found = check.end();
  const trouble = explainHead(head, found.entries);
  const problems = trouble ? [...found.problems, { file: 'head.json', line: 1, what: trouble }] : found.problems;
  return { ...found, problems, files: files.length };
}

/** The head is written before the first line, and never removed. */
function explainHead(head: Head | 'broken' | undefined, entries: number): string | undefined {
  const cannotTell = 'whether lines are missing at the end of the log cannot be told.';
  if (head === 'broken') return `It cannot be read: ${cannotTell}`;
  if (head === undefined) return entries > 0 ? `It is missing: ${cannotTell}` : undefined;
  const { lost } = head;
  return (
    lost &&
    `It was missing, or could not be read, when the log had come to entry ${lost.n}: lines behind that one may be missing.`
  );
}

interface ChainCheck {
  file(file: LogFile): Promise<void>;
  end(): Omit<Verification, 'files'>;
}

function createChainCheck(head: Head | undefined): ChainCheck {
  const problems: LogProblem[] = [];
  let entries = 0;
  let first: ChainLink | undefined;
  let last: ChainLink | undefined;
  let at = { file: 'head.json', line: 1 };
  /** Lines in between could not be read: what is missing is told already. */
  let isBehindBadLine = false;
  let isHeadMet = head === undefined;
  /** Of the entries of the file at hand. */
  const days: string[] = [];
  const report = (what: string): void => {
    problems.push({ ...at, what });
  };

  const checkLine = (text: string, isTorn: boolean): void => {
    const sealed = openSealed(text);
    if (!sealed) {
      isBehindBadLine = true;
      report(isTorn ? 'The line is torn: its end is missing.' : 'This is no line of the audit.');
      return;
    }
    const { n, hash } = sealed.entry;
    if (isTorn) report(`Entry ${n} has no end of line.`);
    if (!sealed.isIntact) report(`Entry ${n} was changed: its hash is not that of its text.`);
    const gap = explainGap(sealed.entry, last ?? startOf(sealed.entry, head), isBehindBadLine);
    if (gap) report(gap);
    if (n === head?.n) {
      isHeadMet = true;
      if (hash !== head.hash) report(`Entry ${n} is not the one that head.json names.`);
    }
    isBehindBadLine = false;
    days.push(sealed.entry.at.slice(0, 10));
    entries++;
    first ??= { n, hash };
    last = { n, hash };
  };

  return {
    async file(file) {
      let line = 0;
      days.length = 0;
      try {
        for await (const read of streamLines(file.path)) {
          at = { file: file.name, line: ++line };
          checkLine(textOf(read), read.torn);
        }
      } catch (error) {
        problems.push({ file: file.name, line: line + 1, what: `It cannot be read: ${messageOf(error)}` });
      }
      const wrongDay = explainDays(file, days);
      if (wrongDay) problems.push({ file: file.name, line: 1, what: wrongDay });
    },
    end() {
      const lastN = last?.n ?? head?.pruned?.n ?? 0;
      if (head && !isHeadMet && head.n > lastN)
        report(
          `The log ends with entry ${lastN}, but it had come to entry ${head.n}: ${lines(head.n - lastN)} missing.`,
        );
      return { entries, firstN: first?.n ?? null, lastN: last?.n ?? null, prunedTo: head?.pruned?.n ?? null, problems };
    },
  };
}

/** What must stand before the first line that is there. A `prune` that was killed leaves lines that it counts as gone. */
function startOf({ n, prev }: AuditEntry, head: Head | undefined): ChainLink {
  const pruned = head?.pruned;
  if (!pruned || n === 1) return CHAIN_START;
  return n <= pruned.n ? { n: n - 1, hash: prev } : pruned;
}

/**
 * A day's first file begins with an event of that day, or of a later one where a clock was ahead; others may be late. So a
 * file that begins too early was given another name, and one of which all is too late very likely, too.
 */
function explainDays({ day, part }: LogFile, days: readonly string[]): string | undefined {
  const [first] = days;
  if (first === undefined) return undefined;
  if (part === 1 && first < day) return `It begins with an entry of ${first}: the file was renamed.`;
  if (days.every((one) => one > day))
    return `All of its entries are of later days: it was renamed, or a clock was set back.`;
  return undefined;
}

/** What is wrong between two lines. One line in between that could not be read is told already. */
function explainGap({ n, prev }: AuditEntry, before: ChainLink, isBehindBadLine: boolean): string | undefined {
  if (n === before.n + 1)
    return prev === before.hash ? undefined : `Entry ${n} does not follow the entry ${before.n} that stands before it.`;
  if (n <= before.n) return `Entry ${n} stands behind entry ${before.n}: lines were moved or doubled.`;
  if (isBehindBadLine && n === before.n + 2) return undefined;
  return before.n === 0
    ? `The log begins with entry ${n}: ${lines(n - 1)} missing before it.`
    : `Entry ${n} follows entry ${before.n}: ${lines(n - before.n - 1)} missing.`;
}

function lines(count: number): string {
  return count === 1 ? '1 line is' : `${count} lines are`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
