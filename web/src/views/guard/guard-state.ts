import { computed, signal } from '@preact/signals';
import type { AuditDecision, AuditFilter, HeardCall } from '../../../../src/core/index.ts';
import { known } from '../../../../src/lib/json.ts';
import { sessionFilter } from '../../guard/session-filter.ts';
import { wish } from '../../guard/wish.ts';
import { currentSession } from '../../store.ts';

/** As the server takes it; by its text, so that it is another one only where it says something else. */
const filterText = computed(() => {
  const { isEverywhere, agent, tool, decision } = wish.value;
  const session = isEverywhere ? undefined : currentSession.value;
  const own = agent && agent.session === session?.id ? agent.agent : undefined;
  const filter: AuditFilter = { ...(session && sessionFilter(session)), ...known({ agent: own, tool, decision }) };
  return JSON.stringify(filter);
});

export const filter = computed<AuditFilter>(() => JSON.parse(filterText.value));

/** What there is to choose from: all that was ever seen, so that a choice does not take the others away. */
export const seen = signal<{ readonly tools: readonly string[]; readonly decisions: readonly AuditDecision[] }>({
  tools: [],
  decisions: [],
});

export function noteSeen(calls: readonly HeardCall[]): void {
  const { tools, decisions } = seen.peek();
  const allTools = new Set([...tools, ...calls.flatMap(({ tool }) => tool ?? [])]);
  const allDecisions = new Set([...decisions, ...calls.map(({ decision }) => decision)]);
  if (allTools.size === tools.length && allDecisions.size === decisions.length) return;
  seen.value = { tools: [...allTools].sort((a, b) => a.localeCompare(b)), decisions: [...allDecisions] };
}
