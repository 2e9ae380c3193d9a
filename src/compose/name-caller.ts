import { setTimeout as pause } from 'node:timers/promises';
import { ADAPTERS } from '../adapters/registry.ts';
import type { Clock } from '../base/clock.ts';
import type { AuditAgent } from '../model/audit.ts';
import type { HookEvent } from '../model/hook.ts';
import { computeAuditAgent } from '../reports/compute-audit-agent.ts';
import { createIdentifier } from '../tracker/identify.ts';
import { createCallerIdentifier } from '../tracker/identify-caller.ts';
import type { OpenSession } from './caller-sessions.ts';

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
