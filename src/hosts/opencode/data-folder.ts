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

/** JSON files of versions before 1.2; later versions read them once, 1.16 and later not at all. */
export const STORAGE = 'storage';
/** Before 0.6, a folder of each project in it. */
export const OLD_PROJECTS = 'project';
