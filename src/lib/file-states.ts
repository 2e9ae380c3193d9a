import { statSync } from 'node:fs';
import path from 'node:path';

/** How each file of a folder is, by its name: two states that differ mean that it was written to. */
export type FileStates = ReadonlyMap<string, string>;

/** Looks at files without opening any. What is no file, or gone by now, has no state. */
export function fileStates(folder: string, names: Iterable<string>): FileStates {
  const states = new Map<string, string>();
  for (const name of names) {
    const state = stateOf(path.join(folder, name));
    if (state !== undefined) states.set(name, state);
  }
  return states;
}

function stateOf(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : undefined;
  } catch {
    return undefined;
  }
}
