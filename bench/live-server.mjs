// The built server in a process of its own, for benchmarks.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { root } from '../scripts/ensure-installed.mjs';
import { stopProcess } from './processes.mjs';

/** The program as people run it, with a state folder of its own. */
export async function startServer(home, data, { build = root, env: given = process.env } = {}) {
  const env = { ...given, TROUPE_HOME: home };
  const child = spawn(process.execPath, [path.join(build, 'dist/troupe.js'), '--no-open', '--json', '--root', data], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { url } = JSON.parse(await firstText(child.stdout));
  const { port, token } = JSON.parse(readFileSync(path.join(home, 'daemon.json'), 'utf8'));
  const server = {
    pid: child.pid,
    url,
    port,
    token,
    stop: () => stopProcess(child),
  };
  for (;;) {
    const { isComplete } = await getJson(server, '/api/sessions');
    if (isComplete) return server;
    await sleep(100);
  }
}

function firstText(stream) {
  let text = '';
  return new Promise((resolve) => {
    stream.on('data', (chunk) => {
      text += chunk;
      if (text.trimEnd().endsWith('}')) resolve(text);
    });
  });
}

/** An address that logs a browser in, once. */
export async function createLink({ url, token }) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(new URL('/api/login', url), { method: 'POST', headers, body: '{}' });
  return new URL((await answer.json()).path, url).href;
}

export function get(server, route) {
  const headers = { authorization: `Bearer ${server.token}` };
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port: server.port, path: route, headers, agent: false }, resolve).on('error', reject);
  });
}

async function getJson(server, route) {
  let text = '';
  for await (const chunk of await get(server, route)) text += chunk;
  return JSON.parse(text);
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
