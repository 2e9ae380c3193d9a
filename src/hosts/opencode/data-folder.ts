// Where OpenCode keeps its data, and by which names.

import path from 'node:path';
import type { Machine } from '../index.ts';

/** The folder of `OPENCODE_DB`, too, where it names a file elsewhere: it counts from the data folder. */
export function rootsOf({ env, home }: Machine): readonly string[] {
  const data = path.join(absolute(env['XDG_DATA_HOME']) ?? path.join(home, '.local', 'share'), 'opencode');
  const database = env['OPENCODE_DB'] ?? '';
  const isFile = database !== '' && database !== ':memory:';
  return [...new Set([data, ...(isFile ? [path.dirname(path.resolve(data, database))] : [])])];
}

function absolute(place: string | undefined): string | undefined {
  return place !== undefined && path.isAbsolute(place) ? place : undefined;
}

/** Any: `OPENCODE_DB` may name it. */
const DATABASE = /\.db$/;
/** And `opencode-<channel>.db` of builds that are not released. */
const OWN_DATABASE = /^opencode.*\.db$/;

export function isDatabaseName(name: string): boolean {
  return DATABASE.test(name);
}

/** By the name that the program itself gives it. */
export function isOwnDatabaseName(name: string): boolean {
  return OWN_DATABASE.test(name);
}

/** The database that a file beside it belongs to. */
export function databaseOf(name: string): string | undefined {
  const plain = name.replace(/-(?:wal|shm|journal)$/, '');
  return isDatabaseName(plain) ? plain : undefined;
}

/** JSON files of versions before 1.2; later versions read them once, and 1.16 and later do not read them at all. */
export const STORAGE = 'storage';
/** Before 0.6, a folder of each project in it. */
export const OLD_PROJECTS = 'project';
