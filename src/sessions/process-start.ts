import { type ProcessSeen, parseStartedBy, type SessionBegun } from '../core/index.ts';
import { variableOf } from '../lib/processes.ts';

/** Which agent started a process that runs, as it was told (guard/tell-identity.ts): for hosts whose hooks are not ours. */
export function startOf({ pid, session, origin }: ProcessSeen): SessionBegun | undefined {
  const by = parseStartedBy(variableOf(pid, 'TROUPE_PARENT') ?? '');
  return by && { kind: 'session-begun', session, origin, by };
}
