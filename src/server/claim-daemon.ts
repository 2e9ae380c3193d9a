import { ensureStateFolder, inStateFolder } from '../lib/state-folder.ts';
import { contend } from './contend.ts';
import { type Daemon, daemonPath, isOwn, readDaemonFile, removeOwn } from './daemon-file.ts';

export type Claim =
  | {
      readonly role: 'serving';
      /** Before the server closes: takes the file away, if it is still ours and can be. May be called twice. */
      release(): Promise<void>;
    }
  | { readonly role: 'found'; readonly daemon: Daemon };

export interface ClaimOptions {
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
