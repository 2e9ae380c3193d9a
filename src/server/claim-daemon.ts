import { rename, rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { linkNew } from '../lib/edit-file.ts';
import { ensureStateFolder, inStateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { isAnswering } from './control.ts';
import {
  type Daemon,
  type DaemonFile,
  daemonPath,
  isOwn,
  readDaemonFile,
  removeOwn,
  successorPath,
  sweepLeftovers,
  writeDraft,
} from './daemon-file.ts';

export type Claim =
  | {
      readonly role: 'serving';
      /** Before the server closes: takes the file away, if it is still ours and can be. May be called twice. */
      release(): Promise<void>;
    }
  | { readonly role: 'found'; readonly daemon: Daemon };

interface ClaimOptions {
  /** Another one serves now, for whatever reason: this one should end. */
  readonly onLost: (other: Daemon) => void;
  /** The file could not be looked after. Told once, until it can be again. */
  readonly onError?: (error: unknown) => void;
  readonly recheckMs?: number;
}

/**
 * One server for each person. `own` answers at its port already, so that whoever reads the file finds somebody there.
 * Of any number that claim at once, one serves and all others find it.
 */
export async function claimDaemon(folder: string, own: Daemon, options: ClaimOptions): Promise<Claim> {
  await ensureStateFolder(folder);
  const other = await inStateFolder(folder, () => contend(folder, own));
  return other ? { role: 'found', daemon: other } : { role: 'serving', release: keepClaim(folder, own, options) };
}

const RECHECK_MS = 3_000;

/** As long as we serve, the file says so: it is written again where it is gone or broken. Gives what ends that. */
function keepClaim(
  folder: string,
  own: Daemon,
  { onLost, onError, recheckMs = RECHECK_MS }: ClaimOptions,
): () => Promise<void> {
  let isOver = false;
  let timer: NodeJS.Timeout;
  let check: Promise<void> = Promise.resolve();
  let lastTrouble: string | undefined;
  const tell = (error: unknown): void => {
    const trouble = String(error);
    if (trouble !== lastTrouble) onError?.(error);
    lastTrouble = trouble;
  };

  const recheck = async (): Promise<void> => {
    if (isOwn(await readDaemonFile(daemonPath(folder)), own)) return;
    await ensureStateFolder(folder);
    const other = await inStateFolder(folder, () => contend(folder, own));
    if (!other || isOver) return;
    isOver = true;
    onLost(other);
  };
  const schedule = (): void => {
    timer = setTimeout(() => {
      check = recheck()
        .then(() => {
          lastTrouble = undefined;
        })
        .catch(tell)
        .then(() => (isOver ? undefined : schedule()));
    }, recheckMs);
    timer.unref();
  };
  schedule();

  return async () => {
    isOver = true;
    clearTimeout(timer);
    await check;
    // One that stays behind is known by its process: it has ended.
    await inStateFolder(folder, () => removeOwn(folder, own)).catch(tell);
  };
}

/** Longer than a server needs to see that its file is broken, and to write it again. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 25;

/** Gets our record into daemon.json, unless another one that answers has its own there: then that one. */
async function contend(folder: string, own: Daemon): Promise<Daemon | undefined> {
  const draft = await writeDraft(folder, own);
  try {
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(PAUSE_MS)) {
      const outcome = await tryOnce(folder, own, draft);
      if (outcome === 'again') continue;
      if (outcome !== 'ours') return outcome;
      // Leftovers are in nobody's way: if they cannot be removed now, the next one will.
      await sweepLeftovers(folder).catch(() => undefined);
      return undefined;
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new UserError(
    'daemon-undecided',
    'Another server of troupe is starting, but it does not get there.',
    `Try again. If that does not help, remove ${daemonPath(folder)}`,
  );
}

async function tryOnce(folder: string, own: Daemon, draft: string): Promise<Daemon | 'ours' | 'again'> {
  const file = daemonPath(folder);
  const found = await readDaemonFile(file);
  if (isOwn(found, own)) return 'ours';
  if (!found) {
    await linkNew(draft, file);
  } else {
    if (found.daemon && (await isAnswering(found.daemon))) return found.daemon;
    if (!(await becomeSuccessor(folder, found, own, draft))) return 'again';
    // Only we may replace what we found. But it may have gone in the meantime, by a clean stop or by hand.
    if ((await readDaemonFile(file))?.text !== found.text) return 'again';
    const next = await writeDraft(folder, own);
    await rename(next, file).finally(() => rm(next, { force: true }));
  }
  // Whatever we did: what stands there now decides.
  return isOwn(await readDaemonFile(file), own) ? 'ours' : 'again';
}

/**
 * A file that nobody stands behind any more must not simply be removed: between our look at it and its removal another
 * one may have put a good file in its place. So every state of the file has one successor at most, and the system
 * decides which: whoever first links its record under a name that is made of the old content. A successor that died,
 * before it took the place or later, has a successor in its turn.
 */
async function becomeSuccessor(folder: string, stale: DaemonFile, own: Daemon, draft: string): Promise<boolean> {
  for (let last = stale.text; ; ) {
    const place = successorPath(folder, last);
    if (await linkNew(draft, place)) return true;
    const successor = await readDaemonFile(place);
    if (!successor) return false;
    if (isOwn(successor, own)) return true;
    if (successor.daemon && (await isAnswering(successor.daemon))) return false;
    // One that a power cut left empty would otherwise be its own successor.
    last = successor.daemon ? successor.text : place + successor.text;
  }
}
