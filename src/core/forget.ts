import type { AgentRecord, CallRecord, SessionLedger } from './ledger.ts';
import { indexOf } from './ledger-index.ts';
import { createTally } from './tally.ts';

/**
 * Lets go of what can change nothing any more: calls that have ended and made nobody, replies that others have followed.
 * Numbers and sums stay. For ledgers that are told everything once and in order, as by a stream: what is told again would be
 * counted again.
 */
export function forgetSettled(ledger: SessionLedger): void {
  const index = indexOf(ledger);
  const wakes = new Set(
    [...ledger.agents.values()].flatMap(({ resumes }) => [...resumes.values()].map(({ call }) => call)),
  );
  const isSettled = (call: CallRecord): boolean =>
    call.started !== undefined && call.ended !== undefined && !call.spawn && !wakes.has(call.id);
  for (const agent of ledger.agents.values()) {
    const entry = index.of(agent.id);
    if (entry.hasShared) continue;
    entry.tally ??= createTally(entry.calls, entry.messages);
    const last = lastReplies(agent);
    const calls = entry.calls.filter((call) => !isSettled(call));
    const messages = entry.messages.filter(({ id }) => last.has(id));
    entry.forgotten = {
      calls: (entry.forgotten?.calls ?? 0) + entry.calls.length - calls.length,
      messages: (entry.forgotten?.messages ?? 0) + entry.messages.length - messages.length,
    };
    for (const call of entry.calls) if (isSettled(call)) ledger.calls.delete(call.id);
    for (const { id } of entry.messages) if (!last.has(id)) ledger.messages.delete(id);
    entry.calls = calls;
    entry.messages = messages;
    index.touch(agent.id);
  }
}

/** Their lines may still come. */
function lastReplies({ lastReply }: AgentRecord): ReadonlySet<string> {
  return new Set([...lastReply.values()].map(({ id }) => id));
}
