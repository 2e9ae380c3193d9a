import * as http from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { asInstant, type JsonObject, known, parseObject } from '../lib/json.ts';
import { isPaused, isProcessAlive } from '../lib/processes.ts';
import { codeOf } from '../lib/user-error.ts';
import { type Daemon, daemonPath, readDaemonFile } from './daemon-file.ts';
import type { StopReport } from './server-control.ts';

type DaemonState =
  /** `status`: from `/api/status`, see docs/API.md. */
  | { readonly state: 'running'; readonly daemon: Daemon; readonly status: JsonObject }
  /** It holds its port, but does not answer: somebody paused it, or it hangs. */
  | { readonly state: 'paused' | 'stuck'; readonly daemon: Daemon }
  /** Its process is there, but nothing shows that it is ours. */
  | { readonly state: 'silent'; readonly daemon: Daemon }
  | { readonly state: 'none' };

export async function readDaemonState(folder: string): Promise<DaemonState> {
  const daemon = (await readDaemonFile(daemonPath(folder)))?.daemon;
  if (!daemon) return { state: 'none' };
  const answer = await askDaemon(daemon);
  if (answer === 'gone') return { state: 'none' };
  if (answer === 'stranger') return (await isDaemonAlive(daemon)) ? { state: 'silent', daemon } : { state: 'none' };
  if (answer === 'silent') return { state: isPaused(daemon.pid) ? 'paused' : 'stuck', daemon };
  return { state: 'running', daemon, status: answer };
}

interface StopOutcome extends Pick<StopReport, 'outcome'> {
  readonly daemon?: Daemon;
}

const STOP_MS = 5_000;
const PAUSE_MS = 25;

/** Waits for its end. One that answers is asked only; one that does not answer and does not end is killed. */
export async function stopDaemon(folder: string, patienceMs = STOP_MS): Promise<StopOutcome> {
  const found = await readDaemonState(folder);
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
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

const PATIENCE_MS = 1_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** The daemon of this record is there, and it is the one that answers at its port. */
export async function isAnswering(daemon: Daemon): Promise<boolean> {
  return typeof (await askDaemon(daemon)) !== 'string';
}

/**
 * `gone`: there is no such process. `stranger`: there is, but it does not take connections at that port, or says something
 * else. `silent`: it takes them, and says nothing.
 */
async function askDaemon(daemon: Daemon): Promise<JsonObject | 'gone' | 'stranger' | 'silent'> {
  if (!(await isDaemonAlive(daemon))) return 'gone';
  // A machine may be busy, above all when ten of us start at once.
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await ask(daemon);
    if (answer !== 'silent') return answer;
  }
  return 'silent';
}

async function isDaemonAlive(daemon: Daemon): Promise<boolean> {
  const { pid, procStart, startedAt } = daemon;
  return isProcessAlive({ pid, ...known({ procStart, startedAt: asInstant(startedAt) }) });
}

function ask({ port, token, pid }: Daemon): Promise<JsonObject | 'silent' | 'stranger'> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}` };
    const request = http.get({ host: '127.0.0.1', port, path: '/api/status', headers, agent: false });
    const timer = setTimeout(() => end('silent'), PATIENCE_MS);
    const end = (answer: JsonObject | 'silent' | 'stranger'): void => {
      clearTimeout(timer);
      resolve(answer);
      request.destroy();
    };
    request.on('error', () => end('stranger'));
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MAX_ANSWER_BYTES) end('stranger');
      });
      response.on('error', () => end('stranger'));
      response.on('end', () => {
        const status = parseObject(text);
        // Whoever knows the number of the process has checked the token, which only our own server can.
        end(status?.['pid'] === pid ? status : 'stranger');
      });
    });
  });
}

/** The server that runs for this person and answers. */
export async function findDaemon(folder: string): Promise<Daemon | undefined> {
  const daemon = (await readDaemonFile(daemonPath(folder)))?.daemon;
  return daemon && (await isAnswering(daemon)) ? daemon : undefined;
}
