import { setTimeout as sleep } from 'node:timers/promises';
import type { CallerChain } from '../hosts/index.ts';

/** Older hosts write the line of a call about when they run its hook: who made it may be known a moment later. */
const WRITTEN_WITHIN_MS = 300;
const PAUSE_MS = 20;

export async function callerSoon(look: () => CallerChain, now: CallerChain): Promise<CallerChain> {
  let caller = now;
  for (let waited = 0; !caller.agent && waited < WRITTEN_WITHIN_MS; waited += PAUSE_MS) {
    await sleep(PAUSE_MS);
    caller = look();
  }
  return caller;
}
