import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** How many files and connections this process may have open at once; nothing where there is no limit, or none is known. */
export function openFilesLimit(): number | undefined {
  try {
    const text = process.platform === 'linux' ? fromProc() : process.platform === 'win32' ? '' : fromShell();
    const limit = Number.parseInt(text, 10);
    return Number.isNaN(limit) ? undefined : limit;
  } catch {
    return undefined;
  }
}

function fromProc(): string {
  return /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? '';
}

/** A child has the limits of its parent. */
function fromShell(): string {
  return execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8', timeout: 1_000 });
}
