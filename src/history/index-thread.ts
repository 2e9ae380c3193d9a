// A thread that reads sessions into the index, the oldest first, while the one that started it reads the newest.

import { workerData } from 'node:worker_threads';
import { systemClock } from '../lib/clock.ts';
import { createSessions, dataFoldersFor } from '../sessions/index.ts';
import type { ThreadOrder } from './control.ts';
import { openHistory } from './history.ts';

const { folder, build, where, stop } = workerData as ThreadOrder;

class Stopped extends Error {}

const history = await openHistory({ folder, build, clock: systemClock });
if (history) {
  const sessions = createSessions(dataFoldersFor(where), {
    clock: systemClock,
    openCache: async () => history,
    isHelper: true,
  });
  const onProgress = (): void => {
    if (Atomics.load(stop, 0) !== 0) throw new Stopped();
  };
  try {
    await sessions.list({ limit: Number.MAX_SAFE_INTEGER, withEmpty: true, onProgress });
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  } finally {
    history.close();
  }
}
