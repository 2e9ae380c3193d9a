import path from 'node:path';
import { type LiveTrees, nativeId } from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { watchFolders } from '../lib/watch-folders.ts';
import { createCallerNaming, type KnownSession, type NameCaller, type OpenSession } from '../sessions/index.ts';
import { drainOnce } from './drain-once.ts';
import { prune, type SessionAges } from './prune.ts';

export interface DrainLoop {
  /** Everything that waited when this was called is taken over, or somebody else is at it. */
  settled(): Promise<void>;
  readonly nameCaller: NameCaller;
  close(): void;
}

export interface DrainLoopOptions {
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
      const { isBusy } = await drainOnce({ folder, clock, open });
      if (isBusy && !isClosed) later ??= setTimeout(lookLater, BUSY_MS);
    } catch (error) {
      onError(error);
    }
  };
  const lookLater = (): void => {
    later = undefined;
    look();
  };
  const look = (): void => {
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
    nameCaller: createCallerNaming(open, clock),
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
