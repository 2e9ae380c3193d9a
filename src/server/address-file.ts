// address.json: the port of the last server, and the browsers that logged in there (digests of their cookies). The next server
// takes both again, so that a page that is left open all day finds it, and a bookmark stays good.
import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { asObject } from '../lib/json.ts';
import { createFile, readText } from '../lib/regular-file.ts';
import { ensureStateFolder, inStateFolder } from '../lib/state-folder.ts';

export interface Address {
  readonly port: number;
  readonly logins: readonly string[];
}

/** None where there was no server yet, or where the file is not what we wrote. */
export async function readAddress(folder: string): Promise<Address | undefined> {
  try {
    const raw = asObject(JSON.parse(await readText(addressPath(folder))));
    const [port, logins] = [raw?.['port'], raw?.['logins']];
    if (typeof port !== 'number' || !Number.isInteger(port) || port <= 0 || port >= 65_536) return undefined;
    return { port, logins: Array.isArray(logins) ? logins.filter((login) => typeof login === 'string') : [] };
  } catch {
    return undefined;
  }
}

export async function writeAddress(folder: string, { port, logins }: Address): Promise<void> {
  await ensureStateFolder(folder);
  const draft = `${addressPath(folder)}.${randomBytes(6).toString('hex')}`;
  await inStateFolder(folder, async () => {
    try {
      await createFile(draft, `${JSON.stringify({ port, logins }, null, 2)}\n`);
      await rename(draft, addressPath(folder));
    } catch (error) {
      // A full disk leaves half a file.
      await rm(draft, { force: true });
      throw error;
    }
  });
}

function addressPath(folder: string): string {
  return path.join(folder, 'address.json');
}
