// The built server, and its event stream.

import { spawn } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import type { SessionChange } from '../../src/core/index.ts';
import { accessTo, OUTSIDE_AGENTS, type ServerAccess } from '../testing/server-access.ts';
import { root } from './kit.ts';

export interface RunningServer extends ServerAccess {
  stop(): void;
}

export interface Heard {
  readonly change: SessionChange;
  /** By the clock of `performance`. */
  readonly at: number;
}

/** Without a folder, it looks where the hosts of its home have their data. */
export async function startServer(config: string | undefined, env: NodeJS.ProcessEnv): Promise<RunningServer> {
  const where = config === undefined ? [] : ['--root', config];
  const args = [path.join(root, 'dist/troupe.js'), '--no-open', '--json', ...where];
  const child = spawn(process.execPath, args, {
    env: { ...env, ...OUTSIDE_AGENTS },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.trimEnd().endsWith('}')) break;
  }
  const state = env['TROUPE_HOME'] ?? path.join(env['HOME'] ?? '', '.local/state/troupe');
  return { ...accessTo(state), stop: () => void child.kill('SIGTERM') };
}

function get({ port, headers }: RunningServer, route: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path: route, headers, agent: false }, resolve).on('error', reject);
  });
}

export async function getJson<T>(server: RunningServer, route: string): Promise<T> {
  let text = '';
  for await (const chunk of await get(server, route)) text += chunk;
  return JSON.parse(text);
}

/** As the page sends it. */
export async function answer({ origin, logIn }: RunningServer, id: string, said: string): Promise<number> {
  const headers = { ...(await logIn()), 'content-type': 'application/json' };
  const body = JSON.stringify({ answer: said });
  return (await fetch(`${origin}/api/asks/${id}`, { method: 'POST', headers, body })).status;
}

export async function followEvents(server: RunningServer, heard: Heard[]): Promise<void> {
  const response = await get(server, '/api/events');
  response.setEncoding('utf8');
  let rest = '';
  response.on('data', (chunk: string) => {
    const at = performance.now();
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames)
      if (frame.includes('event: change'))
        heard.push({ change: JSON.parse(frame.slice(frame.indexOf('\ndata: ') + 7)), at });
  });
  response.on('error', () => {});
}
