// OpenCode keeps no record of its processes, but a working one has the database open for writing: if no process has, nothing runs.
// Versions before 1.2 keep nothing open: there nothing runs if the program does not. Both are known on Linux only.

import { homedir } from 'node:os';
import path from 'node:path';
import { type AgentEvent, toSourceId } from '../../core/index.ts';
import { listFolder, modifiedAt } from '../../lib/folders.ts';
import { isObject, known } from '../../lib/json.ts';
import {
  type FileOpener,
  linuxAncestry,
  listeningSockets,
  openersOf,
  runningPrograms,
  startTimeOf,
} from '../../lib/processes.ts';
import type { LocatedSession } from '../index.ts';
import { isDatabaseName } from './host.ts';
import { getJson } from './server/http.ts';
import { isSecondServer } from './server/second.ts';
import { readService } from './server/service.ts';

/** Sessions in a database without changes for longer are over. */
const RECENT_MS = 6 * 60_000;

/** On other systems than Linux a session counts as alive for some minutes after its last line. */
export async function factsOfProcesses(
  databases: readonly string[],
): Promise<(session: LocatedSession) => readonly AgentEvent[]> {
  const recent = await selectRecent(databases);
  const writers = recent.length === 0 ? [] : openersOf(recent)?.filter(isAtWork);
  const begun = new Map(writers?.map(({ pid }) => [pid, beganAt(pid)]));
  let isProgramGone: boolean | undefined;
  return ({ id, sources, modifiedAt: lastAt }) => {
    if (Date.now() - lastAt > RECENT_MS || sources.length === 0) return [];
    const origin = { source: toSourceId('processes'), offset: 0, length: 0 };
    // One that began after the last message works on other sessions: it would have written a prompt.
    const own = writers?.filter(({ pid }) => (begun.get(pid) ?? 0) < lastAt);
    const isOver = ({ role, path: file }: LocatedSession['sources'][number]): boolean => {
      if (role !== 'storage') return !!own && recent.includes(file) && !own.some(({ files }) => files.includes(file));
      isProgramGone ??= isGone();
      return isProgramGone;
    };
    // A process may still work on another source.
    if (sources.every(isOver)) return [{ kind: 'session-seen', session: id, origin, keepsProcessRecords: true }];
    const atWork = own?.filter(({ files }) => sources.some((source) => files.includes(source.path))) ?? [];
    const endsWithTurn = atWork.every(isHeadless) || undefined;
    return atWork.map(({ pid }) => ({
      kind: 'process-seen',
      ...{ session: id, origin, pid, alive: true, isShared: true },
      // Agents from before it are lost.
      ...known({ startedAt: begun.get(pid), endsWithTurn }),
    }));
  };
}

/** By number and start: read again, the time would differ by some milliseconds. */
const beginnings = new Map<string, number | undefined>();

function beganAt(pid: number): number | undefined {
  const [own] = linuxAncestry(pid);
  if (!own) return undefined;
  const key = `${pid} ${own.start}`;
  if (!beginnings.has(key)) beginnings.set(key, startTimeOf(own));
  return beginnings.get(key);
}

/** A process that is about to vanish has no command line any more. */
function isAtWork({ isWriter, words }: FileOpener): boolean {
  return isWriter && words.some((word) => word !== '');
}

/** `opencode run` (1.18.33): one prompt, one turn. Since 2.0 it is a client, unless it is told to be its own server. */
function isHeadless({ words: [program = '', first = '', second] }: FileOpener): boolean {
  return (INTERPRETERS.test(path.basename(program)) ? second : first) === 'run';
}

async function selectRecent(databases: readonly string[]): Promise<readonly string[]> {
  const recent: string[] = [];
  for (const file of databases) {
    const at = Math.max(await modifiedAt(file), await modifiedAt(`${file}-wal`));
    if (Date.now() - at < RECENT_MS) recent.push(file);
  }
  return recent;
}

const NAME = /^\.?opencode/;
/** They may run it from source. */
const INTERPRETERS = /^(?:bun|node)/;

function isGone(): boolean {
  const programs = runningPrograms();
  if (!programs) return false;
  return !programs.some(
    ({ program, first }) => NAME.test(program) || (INTERPRETERS.test(program) && NAME.test(path.basename(first))),
  );
}

/**
 * Addresses of servers that work on a data folder. No guesses: a process that has the database open, a port that this process listens on,
 * and the program's answer on it. A server with another password than ours is not found.
 */
export async function findServers(root: string): Promise<readonly string[]> {
  // For its password.
  await readService({ env: process.env, home: homedir() });
  const names = (await listFolder(root)).filter(({ kind, name }) => kind === 'file' && isDatabaseName(name));
  const recent = await selectRecent(names.map(({ name }) => path.join(root, name)));
  const openers = recent.length === 0 ? [] : (openersOf(recent) ?? []);
  const sockets = openers.flatMap((opener) => [...opener.sockets]);
  if (sockets.length === 0) return [];
  const listening = listeningSockets();
  const ends = sockets.flatMap((socket) => listening.get(socket) ?? []);
  const addresses = new Set(ends.map(({ host, port }) => `http://${host}:${port}`));
  const found: string[] = [];
  for (const address of addresses) if (await isServer(address)) found.push(address);
  return found;
}

/** A process may listen on other ports, too: for a browser, for an editor. */
async function isServer(address: string): Promise<boolean> {
  const said = await getJson(address, '/global/health', 2_000).catch(() => undefined);
  if (isObject(said) && said['healthy'] === true) return true;
  return isSecondServer(address, 2_000).catch(() => false);
}
