import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { readRegular } from './regular-file.ts';
import { codeOf, isGone, isSystemError, orElse } from './user-error.ts';

export interface FolderEntry {
  readonly name: string;
  /** A FIFO or a device is listed as a file: it takes the place of one, and reading it reports that (regular-file.ts). */
  readonly kind: 'file' | 'folder';
}

/** A file, or a folder that takes the place of a JSON file: reading it reports that (regular-file.ts). */
export function isFileEntry({ name, kind }: FolderEntry): boolean {
  return kind === 'file' || /\.jsonl?$/.test(name);
}

/**
 * Files and folders by name, links followed; none where there is no such folder or we may not look into it. People link
 * their data folders to other disks, so a link is what it points to, and a broken one is nothing.
 */
export async function listFolder(folder: string): Promise<readonly FolderEntry[]> {
  await takeTurns();
  try {
    const found = readdirSync(folder, { withFileTypes: true }).flatMap((entry): readonly FolderEntry[] => {
      const { name } = entry;
      const isLink = entry.isSymbolicLink();
      const kind = isLink ? kindOf(path.join(folder, name)) : entry.isDirectory() ? 'folder' : 'file';
      return kind ? [{ name, kind }] : [];
    });
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const TURN_MS = 5;
let turnEndsAt = 0;

/** Others have their turn, however many folders are listed one after the other; an event loop with nothing else to do takes its time, too. */
async function takeTurns(): Promise<void> {
  if (performance.now() < turnEndsAt) return;
  await setImmediate();
  turnEndsAt = performance.now() + TURN_MS;
}

/** Every file below a folder. A folder that is met twice, over a loop of links, is read once. */
export async function listFilesBelow(folder: string): Promise<readonly string[]> {
  const seen = new Set<string>();
  const walk = async (at: string): Promise<readonly string[]> => {
    const entries = await listFolder(at);
    if (entries.length === 0) return [];
    // It may have gone since.
    const real = orElse(() => realpathSync.native(at), undefined);
    if (real === undefined || seen.has(real)) return [];
    seen.add(real);
    const files: string[] = [];
    for (const entry of entries) {
      const place = path.join(at, entry.name);
      if (isFileEntry(entry)) files.push(place);
      if (entry.kind === 'folder') files.push(...(await walk(place)));
    }
    return files;
  };
  return walk(folder);
}

/**
 * A small file beside those that are read, whose loss is no reason to stop: undefined where it is missing or cannot be read. What is
 * wrong with it goes to `problems`.
 */
export async function readBeside(file: string, problems: string[], maxBytes?: number): Promise<Buffer | undefined> {
  try {
    return await readRegular(file, maxBytes);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (!isMissing(error)) problems.push(`${error.message}.`);
    return undefined;
  }
}

/** When the file last changed, to read the newest first. Says nothing about whether anybody is at work. */
export async function modifiedAt(file: string): Promise<number> {
  return statIfThere(file)?.mtimeMs ?? 0;
}

/** In bytes; nothing where it is not there. */
export async function sizeOf(file: string): Promise<number> {
  return statIfThere(file)?.size ?? 0;
}

export async function isFolder(place: string): Promise<boolean> {
  return statIfThere(place)?.isDirectory() ?? false;
}

export async function isThere(place: string): Promise<boolean> {
  return statIfThere(place) !== undefined;
}

function kindOf(place: string): FolderEntry['kind'] | undefined {
  const stats = statIfThere(place);
  return stats && (stats.isDirectory() ? 'folder' : 'file');
}

/** Without leaving the thread: the way to another one and back takes five times as long as the look itself. */
function statIfThere(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Not there, not a folder, or not for us: all the same to somebody who only reads. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return isGone(error) || isRefusal(error) || code === 'ELOOP' || code === 'ENAMETOOLONG';
}

/** There, and not for us: for those who tell it. */
export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EACCES' || code === 'EPERM';
}

/** A folder that is there, and not for us: to those who list it, it looks empty. */
export async function isClosedFolder(folder: string): Promise<boolean> {
  return access(folder, constants.R_OK | constants.X_OK).then(() => false, isRefusal);
}

/**
 * A folder and those above it. `mkdir` with `recursive` never comes back (Node 20) where the system says of a new folder in one that
 * is there that something is not there: `/proc` does.
 */
export async function makeFolders(folder: string, mode?: number): Promise<void> {
  if (await makeOne(folder, mode)) return;
  const above = path.dirname(folder);
  if (above !== folder) await makeFolders(above, mode);
  await makeOne(folder, mode, true);
}

/** false: one above it is missing. */
async function makeOne(folder: string, mode: number | undefined, isLast = false): Promise<boolean> {
  try {
    await mkdir(folder, { mode });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return true;
    if (codeOf(error) === 'ENOENT' && !isLast) return false;
    throw error;
  }
}

/** Whether a folder, or one of those in it down to `depth`, has an entry of this kind. True if it cannot be listed. */
export async function hasEntry(folder: string, isWanted: (entry: FolderEntry) => boolean, depth = 0): Promise<boolean> {
  try {
    const entries = await listFolder(folder);
    if (entries.some(isWanted)) return true;
    if (depth === 0) return false;
    for (const { name, kind } of entries)
      if (kind === 'folder' && (await hasEntry(path.join(folder, name), isWanted, depth - 1))) return true;
    return false;
  } catch {
    return true;
  }
}
