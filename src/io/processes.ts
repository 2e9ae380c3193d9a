import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** What a host noted of one of its processes when it started. */
export interface ProcessMark {
  readonly pid: number;
  /** On Linux the start time in clock ticks since boot, field 22 of /proc/<pid>/stat. */
  readonly procStart?: string;
  /** Epoch milliseconds. */
  readonly startedAt?: number;
}

/** A process with that number may be somebody else's by now: its start must match as well. */
export async function isProcessAlive(mark: ProcessMark): Promise<boolean> {
  if (!isRunning(mark.pid)) return false;
  if (process.platform === 'linux' && mark.procStart !== undefined)
    return (await linuxStart(mark.pid)) === mark.procStart;
  if (mark.startedAt === undefined) return true;
  const startedAt = await startFromPs(mark.pid);
  // The host notes its own start a moment after the system does; ps counts whole seconds.
  return startedAt === undefined || Math.abs(startedAt - mark.startedAt) < 60_000;
}

/** Some process has that number. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** When it started, as Linux counts it: tells a process from a later one with the same number. None on other systems. */
export async function linuxStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command's name stands in brackets and may hold spaces and brackets itself.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

async function startFromPs(pid: number): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C' } });
    const at = Date.parse(stdout.trim());
    return Number.isNaN(at) ? undefined : at;
  } catch {
    return undefined;
  }
}
