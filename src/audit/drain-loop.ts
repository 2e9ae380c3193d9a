import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type LiveTrees, nativeId, type SessionId, toSessionId } from '../core/index.ts';
import { loadHost } from '../hosts/registry.ts';
import type { Clock } from '../lib/clock.ts';
import { watchFolders } from '../lib/watch-folders.ts';
import { createCallerNamer, type KnownSession, type NameCaller, type OpenSession } from '../sessions/index.ts';
import { type Drained, type DrainOptions, drain } from './drain.ts';
import type { ChainLink } from './entry.ts';
import { dayOf, type LogFile, listLogFiles, readEntriesBackwards, readHead, withLock, writeHead } from './log-files.ts';
import { namesIn, queueFolder } from './queue.ts';

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
  const watch = watchFolders(spool, { onChange, isWanted: () => false });
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
