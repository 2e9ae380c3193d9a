import type { AuditFilter, SessionDetail } from '../../../src/core/index.ts';
import { known } from '../../../src/lib/json.ts';

/** Its first line may be written a little later than its first hook is called. */
const EARLIER_MS = 60_000;

/** The calls of one session. What is older than it is not looked through: an audit may be of months. */
export function sessionFilter({ id, startedAt }: Pick<SessionDetail, 'id' | 'startedAt'>): AuditFilter {
  return { session: id, ...known({ since: startedAt === null ? undefined : Date.parse(startedAt) - EARLIER_MS }) };
}
