import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { codeOf } from '../user-error.ts';

const made: string[] = [];

/** A new folder, e.g. `/tmp/troupe-log-x1Y2z3`. Removed when all tests of the file have ended (`setup.ts`). */
export function makeTemporaryFolder(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `troupe-${name}-`));
  made.push(folder);
  return folder;
}

/** Remembers what is in a folder now. The function it returns puts everything back: cheaper than to set it up again. */
export function keepContents(folder: string): () => void {
  const options = { recursive: true, preserveTimestamps: true };
  const copy = makeTemporaryFolder('kept');
  cpSync(folder, copy, options);
  return () => {
    for (const name of readdirSync(folder)) removeFolder(path.join(folder, name));
    cpSync(copy, folder, options);
  };
}

/** When the tests of a file have ended. */
export function removeTemporaryFolders(): void {
  made.splice(0).forEach(removeFolder);
}

/** Programs that a test has ended may still be writing: tries again for a moment. */
function removeFolder(folder: string): void {
  for (let left = 50; ; left--) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (codeOf(error) !== 'ENOTEMPTY' || left === 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}
