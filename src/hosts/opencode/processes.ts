// OpenCode keeps no record of its processes, but a working one has the database open: if no process has, nothing runs. Versions before 1.2
// keep nothing open: there nothing runs if the program does not. Both are known on Linux only.

import path from 'node:path';
import { type AgentEvent, toSourceId } from '../../core/index.ts';
import { listFolder, modifiedAt } from '../../lib/folders.ts';
import { isObject } from '../../lib/json.ts';
import { listeningSockets, openersOf, runningPrograms } from '../../lib/processes.ts';
import type { LocatedSession } from '../index.ts';
import { isDatabaseName } from './data-folder.ts';
import { getJson } from './server/request.ts';

/** Sessions in a database without changes for longer are over. */
const RECENT_MS = 6 * 60_000;

/** On other systems than Linux a session counts as alive for some minutes after its last line. */
export async function factsOfProcesses(
  databases: readonly string[],
): Promise<(session: LocatedSession) => readonly AgentEvent[]> {
  const recent = await selectRecent(databases);
  const closed = recent.length === 0 ? new Set<string>() : closedFiles(recent);
  let isProgramGone: boolean | undefined;
  const isOver = ({ role, path: file }: LocatedSession['sources'][number]): boolean => {
    if (role !== 'storage') return closed.has(file);
    isProgramGone ??= isGone();
    return isProgramGone;
  };
  return ({ id, sources, modifiedAt: lastAt }) => {
    if (Date.now() - lastAt > RECENT_MS) return [];
    // A process may still work on another source.
    if (sources.length === 0 || !sources.every(isOver)) return [];
    const origin = { source: toSourceId('processes'), offset: 0, length: 0 };
    return [{ kind: 'session-seen', session: id, origin, keepsProcessRecords: true }];
  };
}

async function selectRecent(databases: readonly string[]): Promise<readonly string[]> {
  const recent: string[] = [];
  for (const file of databases) {
    const at = Math.max(await modifiedAt(file), await modifiedAt(`${file}-wal`));
    if (Date.now() - at < RECENT_MS) recent.push(file);
  }
  return recent;
}

/** Files that no process of this user has open; empty if unknown. */
function closedFiles(files: readonly string[]): ReadonlySet<string> {
  const openers = openersOf(files);
  const open = new Set(openers?.flatMap((opener) => opener.files));
  return new Set(openers ? files.filter((file) => !open.has(file)) : []);
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
  return isObject(said) && said['healthy'] === true;
}
