import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPaused } from '../lib/processes.ts';
import { askDaemon, type DaemonStatus, isDaemonAlive } from './ask-status.ts';
import { type Daemon, daemonPath, readDaemonFile } from './daemon-file.ts';

export type DaemonState =
  | { readonly state: 'running'; readonly daemon: Daemon; readonly status: DaemonStatus }
  /** It holds its port, but does not answer: somebody paused it, or it hangs. */
  | { readonly state: 'paused' | 'stuck'; readonly daemon: Daemon }
  /** Its process is there, but nothing shows that it is ours. */
  | { readonly state: 'silent'; readonly daemon: Daemon }
  | { readonly state: 'none' };

export async function daemonState(folder: string): Promise<DaemonState> {
  const daemon = (await readDaemonFile(daemonPath(folder)))?.daemon;
  if (!daemon) return { state: 'none' };
  const answer = await askDaemon(daemon);
  if (answer === 'gone') return { state: 'none' };
  if (answer === 'stranger') return (await isDaemonAlive(daemon)) ? { state: 'silent', daemon } : { state: 'none' };
  if (answer === 'silent') return { state: isPaused(daemon.pid) ? 'paused' : 'stuck', daemon };
  return { state: 'running', daemon, status: answer };
}

export interface StopOutcome {
  /**
   * `silent`: not touched, because it did not show that it is ours. `stopping`: told to, but still there. `killed`: it did
   * not answer and did not end by itself.
   */
  readonly outcome: 'none' | 'stopped' | 'stopping' | 'killed' | 'silent';
  readonly daemon?: Daemon;
}

const STOP_MS = 5_000;
const PAUSE_MS = 25;

/** Waits for its end. One that answers is asked only; one that does not answer and does not end is killed. */
export async function stopDaemon(folder: string, patienceMs = STOP_MS): Promise<StopOutcome> {
  const found = await daemonState(folder);
  if (found.state === 'none') return { outcome: 'none' };
  const { state, daemon } = found;
  if (state === 'silent') return { outcome: 'silent', daemon };
  send(daemon.pid, 'SIGTERM');
  // Paused, it would hear of it only when somebody wakes it.
  if (state === 'paused') send(daemon.pid, 'SIGCONT');
  if (await hasEnded(daemon, patienceMs)) return { outcome: 'stopped', daemon };
  if (state === 'running') return { outcome: 'stopping', daemon };
  send(daemon.pid, 'SIGKILL');
  return { outcome: (await hasEnded(daemon, patienceMs)) ? 'killed' : 'stopping', daemon };
}

async function hasEnded(daemon: Daemon, patienceMs: number): Promise<boolean> {
  for (const deadline = performance.now() + patienceMs; performance.now() < deadline; await sleep(PAUSE_MS)) {
    if (!(await isDaemonAlive(daemon))) return true;
  }
  return false;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It was faster than we.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
