import { variableOf } from '../io/processes.ts';
import type { ProcessSeen, SessionBegun } from '../model/event.ts';
import { parseStartedBy } from '../model/started-by.ts';

/** Which agent started a process that runs, as it was told (judge/tell-identity.ts): for hosts whose hooks are not ours. */
export function startOf({ pid, session, origin }: ProcessSeen): SessionBegun | undefined {
  const by = parseStartedBy(variableOf(pid, 'TROUPE_PARENT') ?? '');
  return by && { kind: 'session-begun', session, origin, by };
}
