import { statSync } from 'node:fs';

/**
 * Two writes so close together may leave the same times behind: on a FAT disk, a file's clock ticks every two seconds. And what SQLite
 * has written to its log is seen by readers only when the disk has it, without another write.
 */
const REST_MS = 3_000;

/**
 * Tells this state of some files from every other one: whoever writes to one of them changes it. Undefined where that cannot be
 * relied on: something there is no file, cannot be looked at, or was written to just now.
 */
export function fingerprintOf(files: readonly string[]): string | undefined {
  const states = files.map(stateOf);
  return states.includes(undefined) ? undefined : states.join('\n');
}

function stateOf(file: string): string | undefined {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (!stats) return `${file} -`;
    if (!stats.isFile() || Date.now() - Number(stats.ctimeMs) < REST_MS) return undefined;
    return `${file} ${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
  } catch {
    return undefined;
  }
}
