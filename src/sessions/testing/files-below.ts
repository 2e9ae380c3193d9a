import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Sorted: random operations with the same seed are the same on every disk. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
}
