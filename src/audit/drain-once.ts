import { ADAPTERS } from '../hosts/registry.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { maskValue } from '../redact/index.ts';
import { createCallerNaming, type OpenSession } from '../sessions/index.ts';
import { type Drained, drain } from './drain.ts';

export interface DrainOnceOptions {
  /** Where troupe keeps its state. */
  readonly folder: string;
  readonly clock: Clock;
  /** Of the followed ones, or from the disk (`createCallerSessions`). */
  readonly open: OpenSession;
  /** How long to wait for another process that drains right now. */
  readonly patienceMs?: number;
}

/** Takes over what waits in the spool, with the names of those who made the calls. */
export function drainOnce({ folder, clock, open, patienceMs }: DrainOnceOptions): Promise<Drained> {
  return drain({
    folder,
    clock,
    hostOf: (name) => ADAPTERS.find(({ host }) => host === name)?.hooks,
    identify: createCallerNaming(open, clock),
    mask: maskValue,
    ...known({ patienceMs }),
  });
}
