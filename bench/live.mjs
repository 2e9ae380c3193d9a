// The live path of the built program: 5,000 files watched, 200 agents that write, 500 listeners; and chokidar beside it
// for the watching part. One table. usage: node bench/live.mjs [--seconds 20] [--idle 45] [--sessions 1]
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeSessions } from './live-corpus.mjs';
import { get, startServer } from './live-server.mjs';
import { removeFolder, stopProcess } from './processes.mjs';

const AGENTS = 200;
const FILES = 5000;
const LINES_PER_SECOND = 5;
const CLIENTS = 500;
const here = fileURLToPath(new URL('.', import.meta.url));

export async function benchLive({ seconds = 20, idleSeconds = 45, sessions = 1 } = {}) {
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-live-'));
  const rows = [];
  try {
    const corpus = (name) => {
      const data = path.join(work, name);
      return { data, agents: writeSessions(data, { files: FILES, agents: AGENTS, sessions }) };
    };
    const watched = corpus('watched');
    for (let round = 0; round < 3; round++) {
      for (const watcher of ['own', 'chokidar'])
        rows.push({
          what: `watching: ${watcher}`,
          ...(await benchWatcher(watcher, watched.data, watched.agents, seconds / 2)),
        });
    }
    const { data, agents } = corpus('served');
    const home = path.join(work, 'home');
    mkdirSync(home);
    const server = await startServer(home, data);
    try {
      rows.push({ what: 'server, idle', ...(await idle(server.pid, idleSeconds)) });
      for (let round = 0; round < 3; round++)
        rows.push({ what: `server, ${AGENTS} agents`, ...(await benchAppends(server, agents, seconds)) });
      rows.push({ what: `server, ${CLIENTS} listeners`, ...(await benchClients(server, agents, seconds / 2)) });
    } finally {
      await server.stop();
    }
    return rows;
  } finally {
    await removeFolder(work);
  }
}

async function idle(pid, seconds) {
  const before = cpuOf(pid);
  await sleep(seconds * 1000);
  return { cpu: (cpuOf(pid) - before) / seconds, rss: rssOf(pid), load: loadavg()[0] };
}

/** From the append of a line to the event that says that it was read. */
async function benchAppends(server, agents, seconds) {
  const read = await followEvents(server);
  const before = cpuOf(server.pid);
  const appended = await append(agents, seconds, LINES_PER_SECOND);
  const cpu = (cpuOf(server.pid) - before) / seconds;
  await sleep(500);
  read.close();
  return { ...latencies(appended, read.progress), cpu, rss: rssOf(server.pid), load: loadavg()[0] };
}

/** `progress`: per source, how far it was read, and when we heard of it. */
async function followEvents(server) {
  const progress = new Map();
  const response = await get(server, '/api/events');
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk) => {
    const at = now();
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      if (!frame.includes('event: change')) continue;
      const { sources } = JSON.parse(frame.slice(frame.indexOf('\ndata: ') + 7));
      for (const { source, bytes } of sources) {
        const list = progress.get(source) ?? [];
        list.push({ bytes, at });
        progress.set(source, list);
      }
    }
  });
  await new Promise((resolve) => response.once('data', resolve));
  return { progress, close: () => response.destroy() };
}

/** Appends from another process: `[source, size afterwards, when]` each. */
function append(agents, seconds, perSecond) {
  return new Promise((resolve, reject) => {
    const child = fork(path.join(here, 'live-writer.mjs'), { stdio: 'inherit' });
    child.on('message', resolve);
    child.on('error', reject);
    child.send({ agents, seconds, perSecond });
  });
}

function latencies(appended, progress) {
  const found = [];
  let missed = 0;
  for (const [source, size, at] of appended) {
    const seen = progress.get(source)?.find(({ bytes, at: heard }) => bytes >= size && heard >= at);
    if (seen) found.push(seen.at - at);
    else missed++;
  }
  found.sort((a, b) => a - b);
  const at = (share) => found[Math.min(found.length - 1, Math.floor(found.length * share))];
  return { count: found.length, missed, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** The listeners are in a process of their own: only the server's work is counted. */
async function benchClients(server, agents, seconds) {
  const child = fork(path.join(here, 'live-clients.mjs'), { stdio: 'inherit' });
  const message = () => new Promise((resolve) => child.once('message', resolve));
  child.send({ ...server, clients: CLIENTS });
  await message();
  const before = cpuOf(server.pid);
  await append(agents.slice(0, 1), seconds, 20);
  const cpu = (cpuOf(server.pid) - before) / seconds;
  child.send('stop');
  const { events } = await message();
  return { count: events, cpu, rss: rssOf(server.pid), load: loadavg()[0] };
}

/** Only watching: from the append to the call with its path. */
async function benchWatcher(watcher, data, agents, seconds) {
  const child = fork(path.join(here, 'live-watcher.mjs'), [watcher, data], { stdio: 'inherit' });
  const message = () => new Promise((resolve) => child.once('message', resolve));
  const { readyMs } = await message();
  const before = cpuOf(child.pid);
  const appended = await append(agents, seconds, LINES_PER_SECOND);
  const cpu = (cpuOf(child.pid) - before) / seconds;
  const rss = rssOf(child.pid);
  child.send('stop');
  const { heard } = await message();
  await stopProcess(child);
  const progress = new Map();
  for (const [file, at] of heard) {
    const source = path.relative(data, file).split(path.sep).join('/');
    progress.set(source, [...(progress.get(source) ?? []), { bytes: Number.POSITIVE_INFINITY, at }]);
  }
  return { readyMs, ...latencies(appended, progress), cpu, rss, load: loadavg()[0] };
}

/** Seconds of processor time that a process has used. */
function cpuOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function rssOf(pid) {
  return Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const now = () => performance.timeOrigin + performance.now();

export function printLive(rows) {
  const text = (value, digits = 0) => (value === undefined ? '' : value.toFixed(digits));
  console.log('\nlive: 5,000 files, 200 agents writing 5 lines of 2 KB a second each');
  console.log('| what | ready ms | events | missed | p50 ms | p95 ms | p99 ms | CPU % of a core | RSS MB | load |');
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const { what, readyMs, count, missed, p50, p95, p99, cpu, rss, load } of rows) {
    const cells = [text(readyMs), text(count), text(missed), text(p50, 1), text(p95, 1), text(p99, 1)];
    console.log(`| ${[what, ...cells, text(cpu * 100, 1), text(rss), text(load, 2)].join(' | ')} |`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { seconds: { type: 'string' }, idle: { type: 'string' }, sessions: { type: 'string' } },
  });
  const numbers = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Number(value)]));
  printLive(await benchLive({ seconds: numbers.seconds, idleSeconds: numbers.idle, sessions: numbers.sessions }));
}
