// Which programs run. Known on Linux only, and of one's own processes.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

export interface RunningProgram {
  /** The file's name, without its folder. */
  readonly program: string;
  /** Its first argument: of an interpreter, what it runs. */
  readonly first: string;
}

/** Without this process. Undefined where it cannot be told. */
export function runningPrograms(): readonly RunningProgram[] | undefined {
  if (process.platform !== 'linux') return undefined;
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      // Of processes of others, the system does not say it. A program that was replaced meanwhile is marked behind its name.
      const program = path.basename(readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '');
      const [, first = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return [{ program, first }];
    } catch {
      return [];
    }
  });
}
