import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AuditCheck,
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  type CoverageReport,
  computeCoverage,
  nativeId,
  type SessionLedger,
} from '../core/index.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { isEqual, known } from '../lib/json.ts';
import { isLocked } from '../lib/lock-file.ts';
import { streamLines } from '../lib/read-lines.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { stateFolder } from '../lib/state-folder.ts';
import {
  createSessionOpener,
  createSessions,
  type DataFolder,
  dataFoldersFor,
  type KnownSession,
  type OpenCache,
  type SessionScope,
  type Subscription,
  thisMachine,
} from '../sessions/index.ts';
import { drainOnce } from './drain.ts';
import { CHAIN_START, type ChainLink, openSealed } from './entry.ts';
import { type Head, type LogFile, listLogFiles, lockPath, readHead, textOf } from './log-files.ts';
import { followLog, readLog } from './read-log.ts';

export function createGuardLog(
  where: SessionScope,
  own: Pick<GuardLogOptions, 'drain' | 'held' | 'openCache'> = {},
): GuardLog {
  return openGuardLog({
    folder: stateFolder(thisMachine()),
    places: dataFoldersFor(where),
    isNamed: where.roots.length > 0,
    clock: systemClock,
    ...own,
  });
}

interface GuardLogOptions {
  /** Where troupe keeps its state. */
  readonly folder: string;
  readonly places: readonly DataFolder[];
  /** The person named the places. */
  readonly isNamed?: boolean;
  readonly clock: Clock;
  /** In a process that drains whenever something comes, what waits for it to be done; left out: we drain ourselves. */
  readonly drain?: () => Promise<unknown>;
  /** In a process that follows sessions: one by its whole id, as it is now. Others are read from the disk. */
  readonly held?: (session: string) => Promise<KnownSession | undefined>;
  /** What was read of sessions before. */
  readonly openCache?: OpenCache;
}

/** While another process drains: so long we wait for it before we answer with what is there. */
const PATIENCE_MS = 3_000;
const FOLLOW_MS = 250;

export function openGuardLog(options: GuardLogOptions): GuardLog {
  const { folder, places, isNamed = false, clock } = options;
  const open = createSessionOpener(places, clock);
  const drain = options.drain ?? (() => drainOnce(folder, clock, open, PATIENCE_MS));
  const sessions = createSessions(places, { clock, named: isNamed, ...known({ openCache: options.openCache }) });
  /** Who follows first and then reads must not miss what is written in between. */
  let beginning: Promise<void> | undefined;
  return {
    async drain() {
      await drain();
    },
    async read(filter, limit) {
      await Promise.all([drain(), beginning]);
      let badLines = 0;
      const newest: AuditEntry[] = [];
      const options = { ...filter, limit: limit + 1, onBadLine: () => void badLines++ };
      for await (const entry of readLog(folder, options)) newest.push(entry);
      const hasMore = newest.length > limit;
      return { entries: newest.slice(0, limit).reverse(), hasMore, badLines };
    },
    follow(filter, listener) {
      const end = new AbortController();
      const isDrained = options.drain ? undefined : drainUntil(end.signal, drain);
      beginning = new Promise((onBegin) => {
        const tell = async (): Promise<void> => {
          for await (const entry of followLog(folder, { ...filter, signal: end.signal, onBegin })) listener(entry);
        };
        Promise.all([isDrained, tell().finally(onBegin)]).catch(reportTrouble);
      });
      return { close: () => end.abort() };
    },
    async verify() {
      await drain();
      const { entries, files, firstN, lastN, problems } = await verifyLog(folder);
      return { entries, files, firstN, lastN, problems };
    },
    async coverage(prefix) {
      await drain();
      const held = prefix === undefined ? undefined : await options.held?.(prefix);
      const { tree, ledger } = held ?? (await sessions.open(prefix));
      const { calls, ...counts } = await readRecordedCalls(folder, ledger);
      return computeCoverage(tree, ledger, (call) => calls.has(call), counts);
    },
  };
}

/** Somebody looks on: where no server drains, we do. */
async function drainUntil(signal: AbortSignal, drain: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await drain().catch(reportTrouble);
    await sleep(FOLLOW_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Clocks of the host's lines and of its hooks are the same; a hook may be called while its line is not written yet. */
const EARLIER_MS = 3_600_000;

/**
 * The calls that hooks told of since the session began. Those of other sessions, too: a session that is continued under
 * another id, or copied, has calls in it that were heard under the first one.
 */
async function readRecordedCalls(
  folder: string,
  ledger: SessionLedger,
): Promise<Pick<CoverageReport, 'unnamed' | 'doubted' | 'gaps'> & { readonly calls: ReadonlySet<string> }> {
  const starts = [...ledger.calls.values()].flatMap(({ started }) => started?.at ?? []);
  const since = starts.reduce((a, b) => Math.min(a, b), Number.MAX_SAFE_INTEGER) - EARLIER_MS;
  const calls = new Set<string>();
  const counts = { unnamed: 0, doubted: 0, gaps: 0 };
  if (starts.length === 0) return { calls, ...counts };
  for await (const { call, session, doubts, gap } of readLog(folder, { since })) {
    if (call !== null) calls.add(call);
    if (session !== nativeId(ledger.id)) continue;
    if (call === null) counts.unnamed++;
    if (doubts !== undefined) counts.doubted++;
    if (gap !== undefined) counts.gaps++;
  }
  return { calls, ...counts };
}

/** What the hooks heard, and whether they heard all of it. */
export interface GuardLog {
  /** Takes in what waits in the spool; the others do so before they answer. */
  drain(): Promise<void>;
  /** The newest that match, at most `limit`. */
  read(filter: AuditFilter, limit: number): Promise<AuditPage>;
  /** Entries as they are written from now on. */
  follow(filter: AuditFilter, listener: (entry: AuditEntry) => void): Subscription;
  verify(): Promise<AuditCheck>;
  /** Of the session whose id begins so; of the newest where none is given. */
  coverage(session?: string): Promise<CoverageReport>;
}

interface Verification extends AuditCheck {
  /** Older entries were removed because of their age: the chain begins behind this one. */
  readonly prunedTo: number | null;
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

function createChainCheck(head: Head | undefined) {
  const problems: AuditCheck['problems'][number][] = [];
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
    async file(file: LogFile): Promise<void> {
      let line = 0;
      days.length = 0;
      try {
        for await (const read of streamLines(file.path)) {
          at = { file: file.name, line: ++line };
          checkLine(textOf(read), read.torn);
        }
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        problems.push({ file: file.name, line: line + 1, what: `It cannot be read: ${why}` });
      }
      const wrongDay = explainDays(file, days);
      if (wrongDay) problems.push({ file: file.name, line: 1, what: wrongDay });
    },
    end(): Omit<Verification, 'files'> {
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
