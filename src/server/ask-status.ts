import * as http from 'node:http';
import { asInstant, asObject, known } from '../lib/json.ts';
import { isProcessAlive } from '../lib/processes.ts';
import type { Daemon } from './daemon-file.ts';

/** `/api/status`: docs/API.md. */
export interface DaemonStatus {
  readonly version: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly port: number;
  readonly sessions: number;
  readonly older: number;
  readonly clients: number;
  readonly isComplete: boolean;
}

const PATIENCE_MS = 1_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** The daemon of this record is there, and it is the one that answers at its port. */
export async function askStatus(daemon: Daemon): Promise<DaemonStatus | undefined> {
  const answer = await askDaemon(daemon);
  return typeof answer === 'string' ? undefined : answer;
}

/**
 * `gone`: there is no such process. `stranger`: there is, but it does not take connections at that port, or says something
 * else. `silent`: it takes them, and says nothing.
 */
export async function askDaemon(daemon: Daemon): Promise<DaemonStatus | 'gone' | 'stranger' | 'silent'> {
  if (!(await isDaemonAlive(daemon))) return 'gone';
  // A machine may be busy, above all when ten of us start at once.
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await ask(daemon);
    if (answer !== 'silent') return answer;
  }
  return 'silent';
}

export async function isDaemonAlive(daemon: Daemon): Promise<boolean> {
  const { pid, procStart, startedAt } = daemon;
  return isProcessAlive({ pid, ...known({ procStart, startedAt: asInstant(startedAt) }) });
}

function ask({ port, token, pid }: Daemon): Promise<DaemonStatus | 'silent' | 'stranger'> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}` };
    const request = http.get({ host: '127.0.0.1', port, path: '/api/status', headers, agent: false });
    const timer = setTimeout(() => end('silent'), PATIENCE_MS);
    const end = (answer: DaemonStatus | 'silent' | 'stranger'): void => {
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
      response.on('end', () => end(parseStatus(text, pid) ?? 'stranger'));
    });
  });
}

/** Whoever knows the number of the process has checked the token, which only our own server can. */
function parseStatus(text: string, pid: number): DaemonStatus | undefined {
  try {
    const status = asObject(JSON.parse(text));
    return status?.['pid'] === pid ? (status as unknown as DaemonStatus) : undefined;
  } catch {
    return undefined;
  }
}
