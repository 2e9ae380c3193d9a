// The data folder of Copilot CLI, and somebody who points at a part of it.

import path from 'node:path';
import { listFolder } from '../../lib/folders.ts';
import type { Machine } from '../index.ts';

/** `COPILOT_HOME` takes the place of `~/.copilot`. */
export function rootsOf({ env, home }: Machine): readonly string[] {
  return [env['COPILOT_HOME'] || path.join(home, '.copilot')];
}

export const SESSIONS = 'session-state';
export const EVENTS = 'events.jsonl';
export const WORKSPACE = 'workspace.yaml';

/**
 * Whether a folder may be that of a session: in `session-state` of the data folder; or somebody points at
 * `session-state` itself, at a folder with a few sessions, or at one session. By its place alone, so that it stays the same
 * whatever else comes and goes.
 */
export function mayBeSession(root: string, folder: string): boolean {
  const [first = '', ...below] = path.relative(root, folder).split(path.sep);
  return first === SESSIONS ? below.length === 1 : first !== '..' && below.length === 0;
}

/** All of them that are there, in order. */
export async function sessionFolders(root: string): Promise<readonly string[]> {
  const below = async (folder: string): Promise<readonly string[]> =>
    (await listFolder(folder)).flatMap(({ name, kind }) => (kind === 'folder' ? [path.join(folder, name)] : []));
  const sessions = path.join(root, SESSIONS);
  return [root, ...(await below(root)).filter((folder) => folder !== sessions), ...(await below(sessions))];
}

export function lockOf(process: number): string {
  return `inuse.${process}.lock`;
}

/** `inuse.<pid>.lock`: a running process has the session open. From about 1.0.9x on an empty `.hold` lies beside it. */
export function processInName(file: string): number | undefined {
  const pid = /^inuse\.(\d+)\.lock$/.exec(path.basename(file))?.[1];
  return pid === undefined ? undefined : Number(pid);
}
