// Where a run can be reached: a small file beside its record, for its owner only.

import { readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../lib/edit-file.ts';
import { asText, isObject } from '../lib/json.ts';
import { readText } from '../lib/regular-file.ts';
import { codeOf } from '../lib/user-error.ts';

export interface RunDoor {
  /** A socket in a folder of its owner's own; on Windows a named pipe. */
  readonly address: string;
  /** The host's own id; undefined as long as nobody knows it. */
  readonly session?: string;
}

const SUFFIX = '.door';

export function doorFile(folder: string, run: string): string {
  return path.join(folder, 'runs', run + SUFFIX);
}

export function writeDoor(file: string, door: RunDoor): void {
  replaceFile(file, `${JSON.stringify(door)}\n`);
}

/** Every run that has not closed its door, the newest first. Some may be gone without a word. */
export async function listDoors(folder: string): Promise<readonly { readonly file: string; readonly door: RunDoor }[]> {
  const names = await readdir(path.join(folder, 'runs')).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  // Their names begin with when they began.
  const files = names.filter((name) => name.endsWith(SUFFIX)).toSorted();
  const found = await Promise.all(
    files.reverse().map(async (name) => {
      const file = path.join(folder, 'runs', name);
      const door = await readDoor(file);
      return door ? [{ file, door }] : [];
    }),
  );
  return found.flat();
}

async function readDoor(file: string): Promise<RunDoor | undefined> {
  try {
    const value: unknown = JSON.parse(await readText(file));
    const address = isObject(value) ? asText(value['address']) : undefined;
    const session = isObject(value) ? asText(value['session']) : undefined;
    return address === undefined ? undefined : { address, ...(session !== undefined && { session }) };
  } catch {
    // It was closed meanwhile.
    return undefined;
  }
}

/** Of a run that has ended, or was killed: neither its file nor its socket is of use to anybody. */
export async function removeDoor(file: string, { address }: RunDoor): Promise<void> {
  await rm(file, { force: true });
  if (process.platform === 'win32') return;
  await rm(address, { force: true });
  // Only a folder that is empty goes: what the file says is not taken for more than it is.
  await rmdir(path.dirname(address)).catch(() => undefined);
}
