import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Sessions } from '../core/index.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { thisMachine } from './places.ts';

/** Drains the queue of hook events before sessions are read, if any wait. */
export function drainFirst(sessions: Sessions, drain: () => Promise<void>): Sessions {
  const drainWaiting = async (): Promise<void> => {
    // A full disk must not keep sessions from being shown.
    if (isQueued()) await drain().catch(() => undefined);
  };
  return {
    async list(options) {
      await drainWaiting();
      return sessions.list(options);
    },
    async open(prefix, onFound) {
      await drainWaiting();
      return sessions.open(prefix, onFound);
    },
  };
}

function isQueued(): boolean {
  try {
    return readdirSync(path.join(stateFolder(thisMachine()), 'spool')).some((name) => name.endsWith('.json'));
  } catch {
    return false;
  }
}
