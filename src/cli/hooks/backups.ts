// Backups of settings files, for the person to go back to, and to restore the exact bytes when hooks are removed.

import { createHash } from 'node:crypto';
import { mkdir, readdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { HookSettingsCapability } from '../../hosts/index.ts';
import type { Edit } from '../../lib/edit-file.ts';
import { isFolder } from '../../lib/folders.ts';
import { asObject, asText } from '../../lib/json.ts';
import { createFile, readText } from '../../lib/regular-file.ts';
import { codeOf } from '../../lib/user-error.ts';

export interface Backup {
  readonly file: string;
  /** Undefined: there was no such file. */
  readonly before: string | undefined;
  /** SHA-256 of what we wrote. */
  readonly written: string;
  /** The folder around it was not there, either. */
  readonly madeFolder: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Returns the folder of the backup. */
export async function keepBackup(state: string, file: string, { before, after }: Edit, at: number): Promise<string> {
  const folder = await makeFolder(path.join(state, 'backups'), new Date(at).toISOString().replaceAll(':', '-'), file);
  if (before !== undefined) await createFile(path.join(folder, path.basename(file)), before);
  const record = {
    file,
    existed: before !== undefined,
    written: after === undefined ? null : hashOf(after),
    madeFolder: !(await isFolder(path.dirname(file))),
  };
  await createFile(path.join(folder, RECORD), `${JSON.stringify(record, null, 2)}\n`);
  return folder;
}

async function makeFolder(backups: string, time: string, file: string): Promise<string> {
  await mkdir(backups, { recursive: true, mode: 0o700 });
  for (let count = 0; ; count++) {
    const folder = path.join(backups, `${time}-${String(count).padStart(3, '0')}${markOf(file)}`);
    try {
      await mkdir(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Of one file, newest first. Unreadable backups are skipped. */
export async function readBackups(state: string, file: string): Promise<readonly Backup[]> {
  const folder = path.join(state, 'backups');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(markOf(file)));
  const backups: Backup[] = [];
  for (const name of names.sort().reverse()) {
    const backup = await readBackup(path.join(folder, name), file, timeIn(name));
    if (backup) backups.push(backup);
  }
  return backups;
}

async function readBackup(folder: string, file: string, at: number): Promise<Backup | undefined> {
  try {
    const record = asObject(JSON.parse(await readText(path.join(folder, RECORD))));
    const written = asText(record?.['written']);
    if (record?.['file'] !== file || written === undefined) return undefined;
    const before = record['existed'] ? await readText(path.join(folder, path.basename(file))) : undefined;
    return { file, before, written, madeFolder: record['madeFolder'] === true, at };
  } catch {
    return undefined;
  }
}

/** Removes the folder of a settings file if we created it. */
export async function removeFolderOfOurs(state: string, file: string): Promise<void> {
  if (!(await readBackups(state, file)).some(({ madeFolder }) => madeFolder)) return;
  // Fails if the folder is not empty.
  await rmdir(path.dirname(file)).catch(() => undefined);
}

/** Folder names begin with the time, with dashes instead of colons. */
function timeIn(name: string): number {
  const [, hour = '', minutes = '', rest = ''] = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)-/.exec(name) ?? [];
  return Date.parse(`${hour}:${minutes}:${rest}`) || 0;
}

/** The end of a backup's name: which file it is of. */
function markOf(file: string): string {
  return `-${hashOf(file).slice(0, 8)}`;
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const RECORD = 'troupe-backup.json';

/**
 * A settings text without our entries. If nobody changed the file since we wrote it, this is the text before us, byte for byte, or
 * undefined if there was no file. Otherwise our entries are removed from the current text.
 */
export function removeOurs(
  text: string,
  backups: readonly Backup[],
  settings: Pick<HookSettingsCapability, 'inspect' | 'uninstall' | 'isOwnFile' | 'statusLine'>,
): string | undefined {
  const { statusLine } = settings;
  const hasOurs = (one: string): boolean => settings.inspect(one).ours.length > 0 || (statusLine?.isOurs(one) ?? false);
  let current = text;
  // We may have written several times in a row: go back from the newest.
  for (const { before, written } of backups) {
    if (!hasOurs(current) || written !== hashOf(current)) continue;
    if (before === undefined) return undefined;
    current = before;
  }
  if (!hasOurs(current)) return current;
  if (settings.isOwnFile) return undefined;
  // Somebody changed it since: what was empty before us stays.
  const first = backups.find(({ before }) => before === undefined || !hasOurs(before));
  const withoutHooks = settings.uninstall(text, first?.before);
  const left = statusLine?.uninstall(withoutHooks) ?? withoutHooks;
  return left !== text && first && first.before === undefined && NOTHING.test(left) ? undefined : left;
}

const NOTHING = /^\ufeff?\s*(\{\s*\})?\s*$/;
