import { setTimeout as pause } from 'node:timers/promises';
import { type AuditAgent, computeAuditAgent } from '../core/index.ts';
import type { HookEvent } from '../hosts/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import type { Clock } from '../lib/clock.ts';
import type { OpenSession } from './caller-sessions.ts';
import { createIdentifier } from './identify.ts';
import { createCallerIdentifier } from './identify-caller.ts';

/** Who made the call, of a hook that was called at `at` (epoch milliseconds). May take a moment: hosts write late. */
export type NameCaller = (event: HookEvent, at: number) => Promise<AuditAgent>;

export function createCallerNaming(open: OpenSession, clock: Clock): NameCaller {
  const identifier = createIdentifier(ADAPTERS, clock);
  return async (event, at) => {
    const callers = createCallerIdentifier({
      adapters: ADAPTERS,
      clock,
      open: (one) => open(one, at),
      identifier,
      pause: (ms) => pause(ms),
    });
    const { identity, tree } = await callers.identify(event, at);
    return computeAuditAgent(identity, tree);
  };
}
