import type { GuardLog } from '../audit/index.ts';
import { type ExplainPastOptions, explainPast } from '../guard/index.ts';
import type { ServedGuard } from './server-control.ts';

/** The audit, and why calls in it were decided as they were: the same as `troupe guard explain`. */
export function createServedGuard(log: GuardLog, options: ExplainPastOptions): ServedGuard {
  return {
    ...log,
    async explain(call) {
      await log.drain();
      return explainPast(call, options);
    },
  };
}
