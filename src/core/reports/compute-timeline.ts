import { hostOf, nativeId } from '../ids.ts';
import { ledgerFor } from '../join-trees.ts';
import type { CallRecord, MessageRecord, SessionLedger } from '../ledger.ts';
import { indexOf } from '../ledger-index.ts';
import { createOwnerOf } from '../owner.ts';
import type { OpenedSession } from '../ports.ts';
import { selectAgents } from '../select.ts';
import type { AgentNode } from '../tree.ts';
import { contextOf } from '../usage.ts';
import { isoTime, orNull } from './json-values.ts';
import type { TimelineAgent, TimelineCall, TimelineReply, TimelineReport } from './timeline-shapes.ts';

/** `/api/sessions/:id/timeline`. `since`, in epoch milliseconds, leaves out what was over before. */
export function computeTimeline(
  opened: Omit<OpenedSession, 'ignoredFiles' | 'problems'>,
  { since = 0 }: { readonly since?: number } = {},
): TimelineReport {
  const { tree } = opened;
  const spawnedBy = new Map(tree.agents.map((agent) => [agent.link.call, agent]));
  const owners = new Map([opened.ledger, ...(opened.joined?.values() ?? [])].map((one) => [one, createOwnerOf(one)]));
  return {
    sessionId: nativeId(tree.id),
    host: hostOf(tree.id),
    startedAt: isoTime(tree.startedAt),
    endedAt: isoTime(tree.lastActivityAt),
    agents: selectAgents(tree).map((agent) => {
      const ledger = ledgerFor(agent, opened);
      const { calls, messages } = indexOf(ledger).of(agent.id);
      const isOwn = (record: CallRecord | MessageRecord): boolean => owners.get(ledger)?.(record.agents) === agent.id;
      return {
        id: nativeId(agent.id),
        calls: calls
          .filter((call) => isOwn(call) && lastTimeOf(call) >= since)
          .sort((a, b) => timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1))
          .map((call) => computeCall(call, spawnedBy.get(call.id))),
        replies: messages
          .filter((message) => isOwn(message) && message.usage !== undefined && (message.at ?? 0) >= since)
          .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
          .flatMap(computeReply),
        compactions: compactionsOf(agent, ledger),
      } satisfies TimelineAgent;
    }),
  };
}

function timeOf(call: CallRecord): number {
  return call.started?.at ?? call.ended?.at ?? 0;
}

/** A call that is still open has no end: it is never over. */
function lastTimeOf(call: CallRecord): number {
  return call.ended?.at ?? Number.POSITIVE_INFINITY;
}

function computeCall(call: CallRecord, made: AgentNode | undefined): TimelineCall {
  const { tool, summary, writes } = call.started?.value ?? { tool: 'unknown' };
  return {
    id: call.id,
    tool,
    summary: orNull(summary),
    writes: orNull(writes),
    startedAt: isoTime(call.started?.at),
    endedAt: isoTime(call.ended?.at),
    outcome: orNull(call.ended?.value.outcome),
    asksForAgent: call.spawn !== undefined,
    spawned: made ? nativeId(made.id) : null,
  };
}

function computeReply({ at, model, usage }: MessageRecord): readonly TimelineReply[] {
  if (!usage) return [];
  return [{ at: isoTime(at), model: orNull(model?.value), contextTokens: contextOf(usage), output: usage.output }];
}

function compactionsOf(agent: AgentNode, { agents }: SessionLedger) {
  return [...(agents.get(agent.id)?.compactions.values() ?? [])].map(({ at, tokensBefore, tokensAfter }) => ({
    at: isoTime(at),
    tokensBefore: orNull(tokensBefore),
    tokensAfter: orNull(tokensAfter),
  }));
}
