import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
  const seen = await askPs(mark.pid);
  if (seen && isOver(seen.state)) return false;
  // The host notes its own start a moment after the system does; ps counts whole seconds.
  return seen?.startedAt === undefined || Math.abs(seen.startedAt - mark.startedAt) < 60_000;
}

/** Some process has that number, and has not ended. */
export function isRunning(pid: number): boolean {
  return hasNumber(pid) && !isOver(statOf(pid)?.state ?? '');
}

/**
 * The process that left a mark of its number at that time is still there: whoever has the number now, and began only
 * afterwards, is somebody else. Epoch milliseconds.
 */
export async function isStillRunning(pid: number, markedAt: number): Promise<boolean> {
  if (!isRunning(pid)) return false;
  const seen = await askPs(pid);
  // ps counts whole seconds, and clocks are set.
  return seen?.startedAt === undefined || seen.startedAt < markedAt + 5_000;
}

/** Somebody stopped it (Ctrl-Z, SIGSTOP), and it goes on where it is told to. Known on Linux only. */
export function isPaused(pid: number): boolean {
  return /^[Tt]/.test(statOf(pid)?.state ?? '');
}

/** When it started, as Linux counts it: tells a process from a later one with the same number. None on other systems. */
export async function linuxStart(pid: number): Promise<string | undefined> {
  return statOf(pid)?.start;
}

/** A variable of the environment that a process of ours was started with. Known on Linux only. */
export function variableOf(pid: number, name: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const words = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  } catch {
    return undefined;
  }
}

function hasNumber(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Z and X: it has ended, but keeps its number until its parent has asked how. */
function isOver(state: string): boolean {
  return /^[ZX]/.test(state);
}

/** A read from memory, so at once: it is asked each second of every process. Nothing where there is no /proc. */
function statOf(pid: number): { readonly state: string; readonly start: string | undefined } | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name stands in brackets and may hold spaces and brackets itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: fields[19] };
  } catch {
    return undefined;
  }
}

async function askPs(pid: number): Promise<{ readonly state: string; readonly startedAt?: number } | undefined> {
  try {
    const args = ['-o', 'state=,lstart=', '-p', String(pid)];
    const { stdout } = await promisify(execFile)('ps', args, { env: { LC_ALL: 'C' } });
    const [state = '', ...start] = stdout.trim().split(/\s+/);
    const at = Date.parse(start.join(' '));
    return { state, ...(!Number.isNaN(at) && { startedAt: at }) };
  } catch {
    return undefined;
  }
}
