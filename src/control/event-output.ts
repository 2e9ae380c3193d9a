import { fstatSync, openSync } from 'node:fs';
import { createSpillingWriter } from '../lib/spilling-writer.ts';
import { messageOf, UserError } from '../lib/user-error.ts';
import type { StreamEvent } from '../sessions/index.ts';

/** Events as lines. A slow reader holds up nobody. Throws a `UserError` where they cannot be written there. */
export function openEvents(target: string | number, onClosed?: () => void) {
  const fd = typeof target === 'number' ? existing(target) : create(target);
  const writer = createSpillingWriter(fd, { isOwn: typeof target === 'string', ...(onClosed && { onClosed }) });
  return {
    write: (events: readonly StreamEvent[]): void =>
      writer.write(Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))),
    /** When whoever reads them has taken them all. */
    end: (): Promise<void> => writer.end(),
  };
}

/** A number is a descriptor. */
export function toTarget(events: string): string | number {
  return /^\d{1,4}$/.test(events) ? Number(events) : events;
}

function existing(fd: number): number {
  try {
    fstatSync(fd);
    return fd;
  } catch (error) {
    throw new UserError(
      'no-descriptor',
      `Nothing is open under the number ${fd}.`,
      `Open it where you start troupe, as in: troupe stream --events ${fd} ${fd}> events.jsonl`,
      { cause: error },
    );
  }
}

/** What agents are asked may be private. */
function create(file: string): number {
  try {
    return openSync(file, 'w', 0o600);
  } catch (error) {
    throw new UserError(
      'events-file',
      `The events cannot be written: ${messageOf(error)}.`,
      'Name another file with --events.',
      {
        cause: error,
      },
    );
  }
}
