// The data folder of Qwen Code. A root may also be a part of it.

import path from 'node:path';
import { isFolder } from '../../lib/folders.ts';
import { foldersIn } from '../shared/index.ts';

/** In a project's folder: `chats/<session>.jsonl` and `subagents/<session>/agent-<agent>…`. */
export const CHATS = 'chats';
export const AGENTS = 'subagents';

/** `projects/<project>`; the root may be `projects` itself, or one project. */
export async function projectFolders(root: string): Promise<readonly string[]> {
  const candidates = [...(await foldersIn(path.join(root, 'projects'))), root, ...(await foldersIn(root))];
  const found: string[] = [];
  for (const project of candidates)
    if ((await isFolder(path.join(project, CHATS))) || (await isFolder(path.join(project, AGENTS))))
      found.push(project);
  return found;
}

/** The session that a file belongs to by its path, and its project's folder. */
export function fileLocation(
  root: string,
  file: string,
): { readonly project: string; readonly session: string } | undefined {
  const parts = path.relative(root, file).split(path.sep);
  const name = parts.at(-1) ?? '';
  const isChat = parts.at(-2) === CHATS && name.endsWith('.jsonl');
  const isAgent = parts.at(-3) === AGENTS;
  const depth = parts.length - (isChat ? 2 : 3);
  if ((!isChat && !isAgent) || depth > (parts[0] === 'projects' ? 2 : 1)) return undefined;
  const session = isChat ? name.slice(0, -'.jsonl'.length) : parts.at(-2);
  return session === undefined ? undefined : { project: path.join(root, ...parts.slice(0, depth)), session };
}

/** Whether a folder may be a project's, one in it with conversations, or a parent of these. */
export function mayHoldSessions(root: string, folder: string): boolean {
  const parts = path.relative(root, folder).split(path.sep);
  const at = parts.findIndex((name) => name === CHATS || name === AGENTS);
  if (at !== -1) return at <= 2 && parts.length <= at + (parts[at] === AGENTS ? 2 : 1);
  return parts[0] === 'projects' ? parts.length <= 2 : parts.length === 1;
}
