import type { SessionLedger } from '../core/index.ts';
import type { LocatedSession } from '../hosts/index.ts';
import { isRunning } from '../lib/processes.ts';

/** One of the host's processes is at it, by what lies beside the session. */
export function hasLiveProcess({ facts }: LocatedSession): boolean {
  return facts.some((fact) => fact.kind === 'process-seen' && fact.alive);
}

/** A process that was alive is there no more. A kill leaves no trace on disk: somebody has to look. */
export function hasLostProcess({ processes }: SessionLedger): boolean {
  return [...processes.values()].some(({ pid, alive }) => alive && !isRunning(pid));
}
