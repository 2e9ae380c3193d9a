// The built server, and its event stream.
import { spawn } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import type { SessionChange } from '../../src/reports/live-shapes.ts';
import { root } from './kit.ts';

export interface RunningServer {
  readonly port: string;
  readonly token: string;
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
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.trimEnd().endsWith('}')) break;
  }
  const url = new URL(JSON.parse(text).url);
  return { port: url.port, token: url.searchParams.get('token') ?? '', stop: () => void child.kill('SIGTERM') };
}

function get({ port, token }: RunningServer, route: string): Promise<http.IncomingMessage> {
  const headers = { authorization: `Bearer ${token}` };
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
export async function answer({ port, token }: RunningServer, id: string, said: string): Promise<number> {
  const origin = `http://127.0.0.1:${port}`;
  const headers = { cookie: `troupe-${port}=${token}`, origin, 'content-type': 'application/json' };
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
