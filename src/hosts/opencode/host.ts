import path from 'node:path';
import { hasEntry, isFolder, listFolder } from '../../lib/folders.ts';
import { readHead } from '../../lib/read-lines.ts';
import { type HostDescription, type Machine, PROCESS_MARKS } from '../index.ts';

export const opencodeHost: HostDescription = {
  host: 'opencode',
  title: 'OpenCode',
  process: PROCESS_MARKS.opencode,
  takesAddresses: true,
  roots: rootsOf,
  // A root may be the address of a server, one database, or a folder with exports and recorded streams.
  mayHold: async (root) =>
    /^https?:/.test(root) ||
    (isDatabaseName(root) && !(await isFolder(root))) ||
    (await hasEntry(root, ({ name }) => /^(?:storage|project)$|\.db(?:-wal)?$/.test(name))) ||
    holdsSessionFile(root),
  deletesWith: 'opencode session delete',
  programs: ['opencode'],
  printing: 'opencode run --format json …',
};

const HEAD_BYTES = 64 * 1024;

/** Ids of sessions begin with `ses_` in everything that the program prints. */
async function holdsSessionFile(root: string, isExports = false): Promise<boolean> {
  for (const { name, kind } of await listFolder(root).catch(() => [])) {
    if (kind === 'folder' && !isExports && isExportsName(name) && (await holdsSessionFile(path.join(root, name), true)))
      return true;
    if (kind !== 'file' || !/\.jsonl?$/.test(name)) continue;
    const head = await readHead(path.join(root, name), HEAD_BYTES).catch(() => undefined);
    if (!head || Buffer.from(head).includes('ses_')) return true;
  }
  return false;
}

/** With the folder of `OPENCODE_DB`, which is relative to the data folder. */
export function rootsOf({ env, home }: Machine): readonly string[] {
  const data = path.join(ifAbsolute(env['XDG_DATA_HOME']) ?? path.join(home, '.local', 'share'), 'opencode');
  const database = env['OPENCODE_DB'] ?? '';
  const isFile = database !== '' && database !== ':memory:';
  return [...new Set([data, ...(isFile ? [path.dirname(path.resolve(data, database))] : [])])];
}

export function ifAbsolute(place: string | undefined): string | undefined {
  return place !== undefined && path.isAbsolute(place) ? place : undefined;
}

// Where OpenCode keeps its data, and the names of its files.

/** Any name: `OPENCODE_DB` may set it. */
export function isDatabaseName(name: string): boolean {
  return name.endsWith('.db');
}

/** A name that the program itself gives it: `opencode.db`, or `opencode-<channel>.db` of builds that are not released. */
export function isOwnDatabaseName(name: string): boolean {
  return /^opencode.*\.db$/.test(name);
}

/** The database that a file beside it belongs to. */
export function databaseOf(name: string): string | undefined {
  const plain = name.replace(/-(?:wal|shm|journal)$/, '');
  return isDatabaseName(plain) ? plain : undefined;
}

/** A folder of exported sessions. */
export function isExportsName(name: string): boolean {
  return /^exports?$/.test(name);
}

/** JSON files of versions before 1.2; later versions read them once, 1.16 and later not at all. */
export const STORAGE = 'storage';
/** Before 0.6, a folder of each project in it. */
export const OLD_PROJECTS = 'project';
