import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { askStatus, type DaemonStatus, isDaemonAlive } from './ask-status.ts';
import { type Daemon, daemonPath, readDaemonFile } from './daemon-file.ts';

export type DaemonState =
  | { readonly state: 'running'; readonly daemon: Daemon; readonly status: DaemonStatus }
  /** Its process is there, but does not answer. */
  | { readonly state: 'silent'; readonly daemon: Daemon }
  | { readonly state: 'none' };

export async function daemonState(folder: string): Promise<DaemonState> {
  const daemon = (await readDaemonFile(daemonPath(folder)))?.daemon;
  if (!daemon) return { state: 'none' };
  const status = await askStatus(daemon);
  if (status) return { state: 'running', daemon, status };
  return (await isDaemonAlive(daemon)) ? { state: 'silent', daemon } : { state: 'none' };
}

export interface StopOutcome {
  /** `silent`: not touched, because it did not show that it is ours. `stopping`: told to, but still there. */
  readonly outcome: 'none' | 'stopped' | 'stopping' | 'silent';
  readonly daemon?: Daemon;
}

const STOP_MS = 5_000;
const PAUSE_MS = 25;

/** Waits for its end. */
export async function stopDaemon(folder: string, patienceMs = STOP_MS): Promise<StopOutcome> {
  const found = await daemonState(folder);
  if (found.state === 'none') return { outcome: 'none' };
  const { daemon } = found;
  if (found.state === 'silent') return { outcome: 'silent', daemon };
  terminate(daemon.pid);
  for (const deadline = performance.now() + patienceMs; performance.now() < deadline; await sleep(PAUSE_MS)) {
    if (!(await isDaemonAlive(daemon))) return { outcome: 'stopped', daemon };
  }
  return { outcome: 'stopping', daemon };
}

function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    // It was faster than we.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
