import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditAgent, hostOf, parseStartedBy } from '../core/index.ts';
import type { HookEvent, HooksCapability } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { isMissing } from '../lib/folders.ts';
import { asAmount, asText, known } from '../lib/json.ts';
import { isLocked } from '../lib/lock-file.ts';
import { isWrongFile, readRegular, readRegularSync } from '../lib/regular-file.ts';
import { codeOf } from '../lib/user-error.ts';
import { maskValue } from '../redact/index.ts';
import { type EntryFields, type EntryParts, toEntry, UNKNOWN_AGENT } from './entry.ts';
import { type HookLine, HookLineWriter } from './hook-lines.ts';
import { lockPath, withLock } from './log-files.ts';
import { createLogWriter, findLogEnd } from './log-writer.ts';
import { isQueueEmpty, listQueue, type QueuedFile, recoverAbandoned, setAside } from './queue.ts';
import { MAX_QUEUED_BYTES, parseQueued } from './queue-file.ts';

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

export interface Drained {
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
