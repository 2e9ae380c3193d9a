import { signal } from '@preact/signals';
import type { AuditDecision, AuditFilter, SessionDetail } from '../../../src/core/index.ts';
import { known } from '../../../src/lib/json.ts';
import type { AgentRef } from '../store.ts';

// What the person wants to see of the audit. Kept while they look at other views.

interface Wish {
  readonly isEverywhere: boolean;
  /** Counts in its own session only. */
  readonly agent: AgentRef | undefined;
  readonly tool: string | undefined;
  readonly decision: AuditDecision | undefined;
}

export const ALL: Wish = { isEverywhere: false, agent: undefined, tool: undefined, decision: undefined };

export const wish = signal<Wish>(ALL);

export function wishFor(part: Partial<Wish>): void {
  wish.value = { ...wish.value, ...part };
}

export function isNarrowed({ agent, tool, decision }: Wish): boolean {
  return agent !== undefined || tool !== undefined || decision !== undefined;
}

/** Its first line may be written a little later than its first hook is called. */
const EARLIER_MS = 60_000;

/** The calls of one session. What is older than it is not looked through: an audit may be of months. */
export function sessionFilter({ id, startedAt }: Pick<SessionDetail, 'id' | 'startedAt'>): AuditFilter {
  return { session: id, ...known({ since: startedAt === null ? undefined : Date.parse(startedAt) - EARLIER_MS }) };
}
