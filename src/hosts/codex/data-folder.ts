// The data folder of Codex, and somebody who points at a part of it.

import path from 'node:path';
import { isFileEntry, listFilesBelow, listFolder } from '../../lib/folders.ts';
import type { Machine } from '../index.ts';

/** `CODEX_HOME` takes the place of `~/.codex`. */
export function rootsOf({ env, home }: Machine): readonly string[] {
  const set = env['CODEX_HOME'];
  return [set || path.join(home, '.codex')];
}

/** `sessions/YYYY/MM/DD/` by the day a thread began; `archived_sessions/` holds all that were put away, in one heap. */
const HOMES = new Set(['sessions', 'archived_sessions']);
const DATE = /^\d{2,4}$/;
const YEAR_MONTH_DAY = 3;

/** Files that may be rollouts. Somebody may point at `sessions` itself, at a day of it, or at a folder with a few of them. */
export async function rolloutFiles(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  const walk = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await listFolder(folder)) {
      const { name } = entry;
      const place = path.join(folder, name);
      if (isFileEntry(entry)) files.push(place);
      else if (depth === 0 && HOMES.has(name)) files.push(...(await listFilesBelow(place)));
      else if (DATE.test(name) && depth < YEAR_MONTH_DAY) await walk(place, depth + 1);
    }
  };
  await walk(root, 0);
  return files.filter((file) => path.basename(file).startsWith('rollout-'));
}

/** Whether a folder below the root may hold rollouts. */
export function mayHoldRollouts(root: string, folder: string): boolean {
  const [first = '', ...others] = path.relative(root, folder).split(path.sep);
  if (HOMES.has(first)) return true;
  return [first, ...others].every((name) => DATE.test(name)) && others.length < YEAR_MONTH_DAY;
}

/** One lock for each thread that a process works on (0.15x and later). */
export const LOCKS_FOLDER = 'thread-writer-locks';

/** Threads that a person gave a name (about 0.11x and later). */
export const NAMES_FILE = 'session_index.jsonl';
