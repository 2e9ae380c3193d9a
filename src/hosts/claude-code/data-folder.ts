// The data folder of Claude Code, and somebody who points at a part of it.

import path from 'node:path';
import { isFolder, listFolder } from '../../lib/folders.ts';
import type { Machine } from '../index.ts';

/** `CLAUDE_CONFIG_DIR` takes the place of `~/.claude`; `~/.config/claude` is where some versions and systems keep it. */
export function rootsOf({ env, home }: Machine): readonly string[] {
  const set = env['CLAUDE_CONFIG_DIR'];
  if (set) return set.split(',').flatMap((root) => root.trim() || []);
  const config = env['XDG_CONFIG_HOME'] || path.join(home, '.config');
  return [path.join(home, '.claude'), path.join(config, 'claude')];
}

/** Somebody may point at `projects/` itself, or at one project's folder: what counts is what the files hold. */
export async function projectFolders(root: string): Promise<readonly string[]> {
  const projects = path.join(root, 'projects');
  const above = (await isFolder(projects)) ? projects : root;
  const entries = await listFolder(above);
  const folders = entries.filter((entry) => entry.kind === 'folder').map(({ name }) => path.join(above, name));
  return above === projects ? folders : [root, ...folders];
}

/** A folder beside `projects/`, also where the root is that folder itself, or one project in it. */
export async function besideProjects(root: string, name: string): Promise<string> {
  const beside = path.join(root, name);
  if (await isFolder(path.join(root, 'projects'))) return beside;
  for (const above of [path.dirname(root), path.dirname(path.dirname(root))]) {
    if (root.startsWith(path.join(above, 'projects'))) return path.join(above, name);
  }
  return beside;
}
