import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentId, formatStartedBy, hostOf, nativeId, type SessionId } from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { takeLock } from '../lib/lock-file.ts';
import { createHookLineWriter, type HookLine } from './hook-lines.ts';
import { lockPath } from './log-files.ts';

export interface Continued {
  /** The session that goes on. */
  readonly session: SessionId;
  /** From whom, and whose session that is. */
  readonly agent: AgentId;
  readonly of: SessionId;
}

const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;

/**
 * Keeps which agent a session goes on from, in the files of both, so that whoever looks at one finds the other. False where it
 * could not be kept: an id that is no name of a file, or somebody who drains for ever.
 */
export async function noteContinued(folder: string, continued: Continued, clock: Clock): Promise<boolean> {
  const { session, of, agent } = continued;
  const startedBy = formatStartedBy(of, agent);
  if (startedBy === undefined || session === of) return false;
  const id = `continued ${nativeId(session)}`;
  const common = { id, at: clock(), startedBy, isContinued: true } as const;
  const lines: readonly HookLine[] = [
    { ...common, host: hostOf(session), session },
    { ...common, host: hostOf(of), session: of, started: session },
  ];
  for (let waitedMs = 0; waitedMs <= PATIENCE_MS; waitedMs += PAUSE_MS) {
    const lock = await takeLock(lockPath(folder), clock);
    if (!lock) {
      await sleep(PAUSE_MS);
      continue;
    }
    try {
      await createHookLineWriter(folder).append(lines);
      return true;
    } finally {
      await lock.release();
    }
  }
  return false;
}
