// The data folder of Gemini CLI, and somebody who points at a part of it.

import path from 'node:path';
import { isFolder, listFolder } from '../../lib/folders.ts';
import type { Machine } from '../index.ts';

/** `GEMINI_CLI_HOME` takes the place of the person's home. */
export function rootsOf({ env, home }: Machine): readonly string[] {
  return [path.join(env['GEMINI_CLI_HOME'] || home, '.gemini')];
}

export const CHATS = 'chats';
/** Path of a project → its short name (0.2x and later). */
export const PROJECTS_FILE = 'projects.json';
/** In a project's folder: its path (0.2x and later). */
export const PROJECT_ROOT_FILE = '.project_root';

/** `tmp/<project>/chats`. Somebody may point at `tmp`, at a project's folder in it, or at `chats` itself. */
export async function chatsFolders(root: string): Promise<readonly string[]> {
  if (path.basename(root) === CHATS) return [root];
  const projects = [...(await foldersIn(path.join(root, 'tmp'))), root, ...(await foldersIn(root))];
  const found: string[] = [];
  for (const project of projects) {
    const chats = path.join(project, CHATS);
    if (await isFolder(chats)) found.push(chats);
  }
  return found;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await listFolder(folder);
  return entries.filter(({ kind }) => kind === 'folder').map(({ name }) => path.join(folder, name));
}

/** Where a file of a chat lies: its `chats` folder, and the folder of an agent's parent below it. */
export interface ChatPlace {
  readonly chats: string;
  readonly parent?: string;
}

export function chatPlaceOf(root: string, file: string): ChatPlace | undefined {
  const parts = path.relative(path.dirname(root), path.dirname(file)).split(path.sep);
  const at = parts.lastIndexOf(CHATS);
  // `tmp/<project>/chats` at the most, below whatever somebody pointed at.
  if (at === -1 || at > 3 || parts.length > at + 2) return undefined;
  const chats = path.join(path.dirname(root), ...parts.slice(0, at + 1));
  const parent = parts[at + 1];
  return parent === undefined ? { chats } : { chats, parent };
}

/** Whether a folder may be that of a project: `readProjects` looks for a mark in it. Or the one around all of them. */
export function mayBeProject(root: string, folder: string): boolean {
  return folder === path.join(root, 'tmp') || path.dirname(folder) === path.join(root, 'tmp');
}

/** Whether a folder may be one of chats, of a session's agents, or on the way there. */
export function mayHoldChats(root: string, folder: string): boolean {
  const parts = path.relative(root, folder).split(path.sep);
  if (path.basename(root) === CHATS) return parts.length === 1;
  const at = parts.indexOf(CHATS);
  if (at !== -1) return at <= 2 && parts.length <= at + 2;
  // The projects' own folders: `bin`, `logs` and the like below them are of no use.
  return parts[0] === 'tmp' ? parts.length <= 2 : parts.length === 1;
}
