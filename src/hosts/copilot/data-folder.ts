// The data folder of Copilot CLI. A root may also be a part of it.

import path from 'node:path';
import { foldersIn } from '../shared/index.ts';

export const SESSIONS = 'session-state';
export const EVENTS = 'events.jsonl';
export const WORKSPACE = 'workspace.yaml';

/**
 * Whether a folder may be that of a session: in `session-state`; or the root is `session-state` itself, a folder with a few sessions,
 * or one session. By path alone, so the answer does not change with other files.
 */
export function mayBeSession(root: string, folder: string): boolean {
  const [first = '', ...below] = path.relative(root, folder).split(path.sep);
  return first === SESSIONS ? below.length === 1 : first !== '..' && below.length === 0;
}

export async function sessionFolders(root: string): Promise<readonly string[]> {
  const sessions = path.join(root, SESSIONS);
  return [root, ...(await foldersIn(root)).filter((folder) => folder !== sessions), ...(await foldersIn(sessions))];
}

export function lockOf(process: number): string {
  return `inuse.${process}.lock`;
}

/** `inuse.<pid>.lock`: a running process has the session open. Since about 1.0.9x an empty `.hold` is beside it. */
export function processInName(file: string): number | undefined {
  const pid = /^inuse\.(\d+)\.lock$/.exec(path.basename(file))?.[1];
  return pid === undefined ? undefined : Number(pid);
}
