import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** The entries of a folder by name; none where there is no such folder or we may not look into it. */
export async function listFolder(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Every file below a folder, links not followed: a loop of links has no end. */
export async function listFilesBelow(folder: string, depth = 8): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await listFolder(folder)) {
    const place = path.join(folder, entry.name);
    if (entry.isFile()) files.push(place);
    else if (entry.isDirectory() && depth > 0) files.push(...(await listFilesBelow(place, depth - 1)));
  }
  return files;
}

/** When the file last changed, to read the newest first. Says nothing about whether anybody is at work. */
export async function modifiedAt(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

export async function isFolder(place: string): Promise<boolean> {
  return (await kindOf(place)) === 'folder';
}

async function kindOf(place: string): Promise<'file' | 'folder' | undefined> {
  try {
    const stats = await stat(place);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Not there, not a folder, or not for us: all the same to somebody who only reads. */
export function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EPERM' || code === 'ELOOP';
}
