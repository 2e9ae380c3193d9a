import { contend } from './contend.ts';
import { type Daemon, daemonPath, isOwn, readDaemonFile, removeOwn } from './daemon-file.ts';
import { ensureStateFolder } from './state-folder.ts';

export type Claim =
  | {
      readonly role: 'serving';
      /** Before the server closes: takes the file away, if it is still ours. May be called twice. */
      release(): Promise<void>;
    }
  | { readonly role: 'found'; readonly daemon: Daemon };

export interface ClaimOptions {
  /** Another one serves now, for whatever reason: this one should end. */
  readonly onLost: (other: Daemon) => void;
  /** The file could not be looked after this time. */
  readonly onError?: (error: unknown) => void;
  readonly recheckMs?: number;
}

/**
 * One server for each person. `own` answers at its port already, so that whoever reads the file finds somebody there.
 * Of any number that claim at once, one serves and all others find it.
 */
export async function claimDaemon(folder: string, own: Daemon, options: ClaimOptions): Promise<Claim> {
  await ensureStateFolder(folder);
  const other = await contend(folder, own);
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

  const recheck = async (): Promise<void> => {
    if (isOwn(await readDaemonFile(daemonPath(folder)), own)) return;
    await ensureStateFolder(folder);
    const other = await contend(folder, own);
    if (!other || isOver) return;
    isOver = true;
    onLost(other);
  };
  const schedule = (): void => {
    timer = setTimeout(() => {
      check = recheck()
        .catch((error) => onError?.(error))
        .then(() => (isOver ? undefined : schedule()));
    }, recheckMs);
    timer.unref();
  };
  schedule();

  return async () => {
    isOver = true;
    clearTimeout(timer);
    await check;
    await removeOwn(folder, own);
  };
}
