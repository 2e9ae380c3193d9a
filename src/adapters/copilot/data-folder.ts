// The data folder of Copilot CLI, and somebody who points at a part of it.
import path from 'node:path';
import { isFolder } from '../../io/folders.ts';
import type { Machine } from '../adapter.ts';

/** `COPILOT_HOME` takes the place of `~/.copilot`. */
export function rootsOf({ env, home }: Machine): readonly string[] {
  return [env['COPILOT_HOME'] || path.join(home, '.copilot')];
}

export const SESSIONS = 'session-state';
export const EVENTS = 'events.jsonl';
export const WORKSPACE = 'workspace.yaml';

/** `session-state` in the data folder; somebody may point at that folder itself, or at one with a few sessions in it. */
export async function sessionsFolder(root: string): Promise<string> {
  const folder = path.join(root, SESSIONS);
  return (await isFolder(folder)) ? folder : root;
}

/** `inuse.<pid>.lock`: a running process has the session open. From about 1.0.9x on an empty `.hold` lies beside it. */
export function processInName(file: string): number | undefined {
  const pid = /^inuse\.(\d+)\.lock$/.exec(path.basename(file))?.[1];
  return pid === undefined ? undefined : Number(pid);
}
