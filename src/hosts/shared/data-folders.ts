// Paths in the data folder of a host.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type SourceId, toSourceId } from '../../core/index.ts';
import { isFileEntry, listFolder, modifiedAt } from '../../lib/folders.ts';

/** A source has the same id on all systems. */
export function sourceIdOf(root: string, file: string): SourceId {
  return toSourceId(path.relative(root, file).split(path.sep).join('/'));
}

export async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await listFolder(folder);
  return entries.filter(({ kind }) => kind === 'folder').map(({ name }) => path.join(folder, name));
}

export async function filesIn(folder: string): Promise<readonly string[]> {
  return (await listFolder(folder)).filter(isFileEntry).map(({ name }) => path.join(folder, name));
}

/** Of the newest file. */
export async function lastModified(files: readonly string[]): Promise<number> {
  return Math.max(0, ...(await Promise.all(files.map(modifiedAt))));
}

/** Names in a folder, for hooks; none if it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
