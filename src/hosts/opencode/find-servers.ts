// Servers of OpenCode that work on a data folder of this machine. Exact, or not found: a process that has the database open, a port
// that this very process listens on, and the program's own word at it.

import path from 'node:path';
import { listFolder, modifiedAt } from '../../lib/folders.ts';
import { isObject } from '../../lib/json.ts';
import { listeningSockets, openersOf } from '../../lib/processes.ts';
import { isDatabaseName } from './data-folder.ts';
import { getJson } from './server/request.ts';

/** Whoever asks its person has written to its database lately. */
const LATELY_MS = 6 * 60_000;

/** By address. Known on Linux only; one that wants another password than ours is not found. */
export async function findServers(root: string): Promise<readonly string[]> {
  const names = (await listFolder(root)).filter(({ kind, name }) => kind === 'file' && isDatabaseName(name));
  const recent: string[] = [];
  for (const file of names.map(({ name }) => path.join(root, name))) {
    const at = Math.max(await modifiedAt(file), await modifiedAt(`${file}-wal`));
    if (Date.now() - at < LATELY_MS) recent.push(file);
  }
  const openers = recent.length === 0 ? [] : (openersOf(recent) ?? []);
  if (openers.every(({ sockets }) => sockets.size === 0)) return [];
  const listening = listeningSockets();
  const addresses = new Set(
    openers.flatMap(({ sockets }) =>
      [...sockets].flatMap((socket) => {
        const at = listening.get(socket);
        return at ? [`http://${at.host}:${at.port}`] : [];
      }),
    ),
  );
  const found: string[] = [];
  for (const address of addresses) if (await isServer(address)) found.push(address);
  return found;
}

/** A process may listen on other ports, too: for the answer of a browser, for an editor. */
async function isServer(address: string): Promise<boolean> {
  const said = await getJson(address, '/global/health', 2_000).catch(() => undefined);
  return isObject(said) && said['healthy'] === true;
}
