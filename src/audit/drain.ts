import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AuditAgent,
  hostOf,
  type LiveTrees,
  nativeId,
  parseStartedBy,
  type SessionId,
  toSessionId,
} from '../core/index.ts';
import type { HookEvent, HooksCapability } from '../hosts/index.ts';
import { loadHost } from '../hosts/registry.ts';
import type { Clock } from '../lib/clock.ts';
import { isMissing } from '../lib/folders.ts';
import { asAmount, asText, known } from '../lib/json.ts';
import { isLocked } from '../lib/lock-file.ts';
import { isWrongFile, readRegular, readRegularSync } from '../lib/regular-file.ts';
import { codeOf } from '../lib/user-error.ts';
import { FolderWatch } from '../lib/watch-folders.ts';
import { maskValue } from '../redact/index.ts';
import { createCallerNamer, type KnownSession, type NameCaller, type OpenSession } from '../sessions/index.ts';
import { type ChainLink, type EntryFields, type EntryParts, toEntry, UNKNOWN_AGENT } from './entry.ts';
import { type HookLine, HookLineWriter } from './hook-lines.ts';
import {
  createLogWriter,
  dayOf,
  findLogEnd,
  type LogFile,
  listLogFiles,
  lockPath,
  readEntriesBackwards,
  readHead,
  withLock,
  writeHead,
} from './log-files.ts';
import {
  isQueueEmpty,
  listQueue,
  MAX_QUEUED_BYTES,
  namesIn,
  parseQueued,
  type QueuedFile,
  queueFolder,
  recoverAbandoned,
  setAside,
} from './queue.ts';

export type QueueHost = Pick<HooksCapability, 'read' | 'condense'>;

export interface DrainOptions {
  /** Where troupe keeps its state. */
  readonly folder: string;
  hostOf(name: string): Promise<QueueHost | undefined>;
  /** Who made the call, of a hook that was called at `at` (epoch milliseconds). */
  identify(event: HookEvent, at: number): Promise<AuditAgent>;
  readonly clock: Clock;
  /** How long to wait for another process that drains; 0 if left out. */
  readonly patienceMs?: number;
  readonly maxFileBytes?: number;
}

interface Drained {
  /** Queued events that were taken. */
  readonly events: number;
  /** Lines added to the audit log. */
  readonly entries: number;
  /** Files that were set aside because they cannot be read. */
  readonly bad: number;
  /** Another process drains; nothing was done. */
  readonly isBusy: boolean;
}

const BATCH = 200;
/** A drain must end, however fast events come in. */
const MAX_ROUNDS = 10;

/**
 * Moves queued events into the audit log and into the files of hook lines, each event once. It may be killed at any moment: an
 * event leaves the queue only after its lines are on the disk, and the next drain looks for lines of events that are still
 * queued. Throws if something cannot be written; then the events stay queued.
 */
export async function drain(options: DrainOptions): Promise<Drained> {
  const { folder, clock, patienceMs = 0 } = options;
  // A drain that was killed between its last event and its head leaves a lock and an empty queue.
  if ((await isQueueEmpty(folder)) && !(await isLocked(lockPath(folder)))) return NOTHING;
  return (await withLock(folder, clock, patienceMs, () => drainLocked(options))) ?? { ...NOTHING, isBusy: true };
}

const NOTHING: Drained = { events: 0, entries: 0, bad: 0, isBusy: false };

async function drainLocked(options: DrainOptions): Promise<Drained> {
  const { folder, clock } = options;
  const end = await findLogEnd(folder);
  const log = await createLogWriter(folder, end, options);
  const hooks = new HookLineWriter(folder);
  const total = { events: 0, entries: 0, bad: await recoverAbandoned(folder, clock) };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const files = await listQueue(folder);
    /** In the log already, and still queued. */
    const twice = new Set(files.filter(({ id }) => end.afterHead.has(id)).map(({ id }) => id));
    if (twice.size === 0) await log.saveHead();
    if (files.length === 0) break;
    for (let from = 0; from < files.length; from += BATCH) {
      const batch = files.slice(from, from + BATCH);
      const taken = await takeBatch(batch, end.afterHead, options);
      // Hook lines first: a person may be watching, and finding the caller may take a moment.
      await hooks.append(taken.lines);
      const named = Promise.all(taken.calls.map((call) => toNamedEntry(call, options)));
      const entries = await meanwhile(named, () => recordNewcomers(files, hooks, options));
      await log.append(entries);
      await Promise.all(taken.done.map(({ path }) => rm(path, { force: true })));
      for (const { id } of batch) twice.delete(id);
      if (twice.size === 0) await log.saveHead();
      total.events += taken.done.length;
      total.entries += entries.length;
      total.bad += taken.bad;
    }
  }
  return { ...total, isBusy: false };
}

const RECORD_EVERY_MS = 20;

/** Does something again and again until the work is done. */
async function meanwhile<T>(work: Promise<T>, act: () => Promise<void>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  // A failure is for whoever awaits the work.
  done.catch(() => undefined);
  for (;;) {
    await Promise.race([done, sleep(RECORD_EVERY_MS)]);
    if (isDone) return done;
    await act();
  }
}

/** Hook lines of events that arrived since; the events themselves are drained in the next round. */
async function recordNewcomers(
  known: readonly QueuedFile[],
  hooks: HookLineWriter,
  options: DrainOptions,
): Promise<void> {
  const ids = new Set(known.map(({ id }) => id));
  const lines: HookLine[] = [];
  for (const file of (await listQueue(options.folder)).filter(({ id }) => !ids.has(id))) {
    const taken = await take(file, true, options);
    if (typeof taken !== 'string') lines.push(...taken.lines);
  }
  await hooks.append(lines);
}

async function takeBatch(files: readonly QueuedFile[], inLog: ReadonlySet<string>, options: DrainOptions) {
  const [calls, lines, done]: [TakenCall[], HookLine[], QueuedFile[]] = [[], [], []];
  let bad = 0;
  for (const file of files) {
    const taken = await take(file, inLog.has(file.id), options);
    if (taken === 'gone') continue;
    if (taken === 'bad') {
      await setAside(options.folder, file);
      bad++;
      continue;
    }
    if (taken.call) calls.push(taken.call);
    lines.push(...taken.lines);
    done.push(file);
  }
  return { calls, lines, done, bad };
}

/** A call, but for who made it. */
type TakenCall = Omit<EntryParts, 'agent'>;

async function take(
  file: QueuedFile,
  isInLog: boolean,
  options: DrainOptions,
): Promise<{ readonly call?: TakenCall; readonly lines: readonly HookLine[] } | 'bad' | 'gone'> {
  const host = await options.hostOf(file.host);
  if (!host || !file.isReadable) return 'bad';
  const bytes = await readOrReason(file);
  if (typeof bytes === 'string') return bytes;
  const spooled = parseQueued(bytes);
  const event = spooled && host.read(spooled.payload, asAmount(spooled.extra['ppid']));
  if (!event) return 'bad';
  const { id } = file;
  const at = Number(file.atNs / 1_000_000n);
  const { call, session } = event;
  const kept = maskValue(host.condense(spooled.payload));
  const by = known({ startedBy: asText(spooled.extra['parent']) });
  const isWorthALine = kept !== undefined || by.startedBy !== undefined;
  const own: HookLine = { host: file.host, session, id, at, ...known({ payload: kept }), ...by };
  const lines = isWorthALine ? [own, ...(await forStarter(own, options))] : [];
  if (!call || isInLog) return { lines };
  return { lines, call: { id, at, event, call, extra: spooled.extra } };
}

/** For the session of the agent that started it. */
async function forStarter(
  { id, at, session, startedBy }: HookLine,
  options: DrainOptions,
): Promise<readonly HookLine[]> {
  const by = startedBy === undefined ? undefined : parseStartedBy(startedBy);
  if (!by || startedBy === undefined || by.session === session || !(await options.hostOf(hostOf(by.session))))
    return [];
  return [{ host: hostOf(by.session), session: by.session, id: `${id} started`, at, startedBy, started: session }];
}

/** A caller that cannot be looked up must not delay later events. */
async function toNamedEntry(call: TakenCall, { identify }: DrainOptions): Promise<EntryFields> {
  const agent = await identify(call.event, call.at).catch((error: unknown) => {
    const reason = `it could not be looked up: ${error instanceof Error ? error.message : error}`;
    return { ...UNKNOWN_AGENT, reason };
  });
  return toEntry({ ...call, agent });
}

async function readOrReason({ path, isSmall }: QueuedFile): Promise<Uint8Array | 'bad' | 'gone'> {
  try {
    return isSmall ? readRegularSync(path) : await readRegular(path, MAX_QUEUED_BYTES);
  } catch (error) {
    // Replaced since it was listed.
    if (isWrongFile(error)) return 'bad';
    if (!isMissing(error)) throw error;
    return codeOf(error) === 'ENOENT' ? 'gone' : 'bad';
  }
}

export interface DrainLoop {
  /** Everything that waited when this was called is taken over, or somebody else is at it. */
  settled(): Promise<void>;
  readonly nameCaller: NameCaller;
  close(): void;
}

interface DrainLoopOptions {
  /** Where troupe keeps its state. */
  readonly folder: string;
  readonly trees: LiveTrees;
  /** For sessions that are not followed: hooks do not care which folders we look at. */
  readonly openOther: OpenSession;
  readonly clock: Clock;
  /** Left out: the audit keeps everything. */
  readonly keepDays?: number;
  /** Which sessions there are, so that what hooks told about others may go, too. */
  readonly ages?: SessionAges;
  readonly onError: (error: unknown) => void;
}

/** Two of us may follow: whoever finds the other at work looks again a little later. */
const BUSY_MS = 250;
/** For what the watch missed. */
const LOOK_EVERY_MS = 15_000;
const DAY_MS = 86_400_000;

/** Takes over what hooks put into the spool, as it comes. */
export function startDraining(options: DrainLoopOptions): DrainLoop {
  const { folder, trees, openOther, clock, keepDays, ages, onError } = options;
  let isClosed = false;
  let running: Promise<void> | undefined;
  let isAskedAgain = false;
  let later: NodeJS.Timeout | undefined;

  const open: OpenSession = async (event, at) => (await openFollowed(trees, event.session)) ?? openOther(event, at);
  const round = async (): Promise<void> => {
    try {
      const { isBusy } = await drainOnce(folder, clock, open);
      if (isBusy && !isClosed) later ??= setTimeout(look, BUSY_MS);
    } catch (error) {
      onError(error);
    }
  };
  const look = (): void => {
    clearTimeout(later);
    later = undefined;
    if (isClosed) return;
    isAskedAgain = running !== undefined;
    running ??= round().finally(() => {
      running = undefined;
      if (isAskedAgain) look();
    });
  };
  const spool = path.join(folder, 'spool');
  // A draft is no news yet, and its hook waits for us at this very moment.
  const onChange = (place: string): void => {
    if (place === spool || !path.basename(place).startsWith('.')) look();
  };
  const watch = new FolderWatch(spool, { onChange, isWanted: () => false });
  const tidyUp = (): void => {
    if (keepDays !== undefined) prune(folder, keepDays, clock, ages).catch(onError);
  };
  const timers = [setInterval(look, LOOK_EVERY_MS), setInterval(tidyUp, DAY_MS)];
  tidyUp();
  look();
  return {
    async settled() {
      await running;
      look();
      await running;
    },
    nameCaller: createCallerNamer(open, clock),
    close() {
      isClosed = true;
      clearTimeout(later);
      for (const timer of timers) clearInterval(timer);
      watch.close();
    },
  };
}

async function openFollowed(trees: LiveTrees, session: KnownSession['tree']['id']): Promise<KnownSession | undefined> {
  const followed = trees.current().find(({ id }) => id === session);
  const tree = followed ?? (await trees.look(nativeId(session)));
  const ledger = tree && trees.ledgerOf(tree.id);
  return ledger && tree?.id === session ? { tree, ledger } : undefined;
}

/** When each session that there is was changed last (epoch milliseconds), by its own files. */
type SessionAges = () => Promise<ReadonlyMap<SessionId, number>>;

/**
 * Removes the files of the audit that are older than so many days, what was set aside of the spool so long ago, and what hooks
 * and streams told about sessions that are as old, or gone. The head says that it was us. Gives the number of files of the audit that went;
 * none while somebody drains.
 */
export async function prune(folder: string, keepDays: number, clock: Clock, ages?: SessionAges): Promise<number> {
  const removed = await withLock(folder, clock, 0, async () => {
    const oldest = clock() - keepDays * DAY_MS;
    await removeBad(folder, oldest);
    if (ages) await removeHookLines(folder, oldest, ages);
    return removeLogFiles(folder, dayOf(oldest));
  });
  return removed ?? 0;
}

async function removeLogFiles(folder: string, firstDay: string): Promise<number> {
  const head = await readHead(folder);
  const old = (await listLogFiles(folder)).filter(({ day }) => day < firstDay);
  const pruned = await lastOf(old);
  // Lines that no drain has settled may be of events that still wait: the next drain must find them.
  if (head === undefined || head === 'broken' || !pruned || pruned.n > head.n) return 0;
  const { lost, ...rest } = head;
  await writeHead(folder, { ...rest, pruned, ...(lost && lost.n > pruned.n && { lost }) });
  for (const { path: file } of old) await rm(file, { force: true });
  return old.length;
}

async function lastOf(files: readonly LogFile[]): Promise<ChainLink | undefined> {
  for await (const { entry } of readEntriesBackwards(files)) return { n: entry.n, hash: entry.hash };
  return undefined;
}

async function removeBad(folder: string, oldest: number): Promise<void> {
  const bad = path.join(queueFolder(folder), 'bad');
  for (const name of await namesIn(bad)) {
    const file = path.join(bad, name);
    const stats = await stat(file).catch(() => undefined);
    if (stats && stats.mtimeMs < oldest) await rm(file, { recursive: true, force: true });
  }
}

/** They are part of the tree as long as somebody may look at the session: one that goes on without hooks, too. */
async function removeHookLines(folder: string, oldest: number, ages: SessionAges): Promise<void> {
  const old: { readonly file: string; readonly session: SessionId }[] = [];
  for (const kind of ['hooks', 'streams'])
    for (const host of await namesIn(path.join(folder, kind)))
      for (const name of await namesIn(path.join(folder, kind, host))) {
        const file = path.join(folder, kind, host, name);
        const stats = await stat(file).catch(() => undefined);
        if (name.endsWith('.jsonl') && stats?.isFile() && stats.mtimeMs < oldest)
          old.push({ file, session: toSessionId(host, path.basename(name, '.jsonl')) });
      }
  if (old.length === 0) return;
  const known = await ages();
  for (const { file, session } of old) if ((known.get(session) ?? 0) < oldest) await rm(file, { force: true });
}

/** Takes over what waits in the spool, with the names of those who made the calls. */
export function drainOnce(folder: string, clock: Clock, open: OpenSession, patienceMs = 0): Promise<Drained> {
  const hostOf: DrainOptions['hostOf'] = async (name) => (await loadHost(name))?.hooks;
  return drain({ folder, clock, hostOf, identify: createCallerNamer(open, clock), patienceMs });
}
