import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Sessions } from '../core/index.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { thisMachine, type Where } from '../sessions/index.ts';

/** What hooks told, and nobody has taken over yet, is part of what is read. Where nothing waits, nothing is loaded. */
export function drained(sessions: Sessions, where: Where): Sessions {
  return {
    async list(options) {
      await drainWaiting(where);
      return sessions.list(options);
    },
    async open(prefix, onFound) {
      await drainWaiting(where);
      return sessions.open(prefix, onFound);
    },
  };
}

async function drainWaiting(where: Where): Promise<void> {
  if (!isWaiting()) return;
  const { createGuardLog } = await import('./guard-log.ts');
  // A full disk, say, is no reason not to show what can be read.
  await createGuardLog(where)
    .drain()
    .catch(() => undefined);
}

function isWaiting(): boolean {
  try {
    return readdirSync(path.join(stateFolder(thisMachine()), 'spool')).some((name) => name.endsWith('.json'));
  } catch {
    return false;
  }
}
