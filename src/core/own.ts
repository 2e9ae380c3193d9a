import type { AgentRecord, CallRecord, MessageRecord, SessionLedger } from './ledger.ts';
import { indexOf } from './ledger-index.ts';
import type { OwnerOf } from './owner.ts';
import { createTally, type Tally } from './tally.ts';
import { addUsage, type ModelUsage, NO_USAGE, type Usage } from './usage.ts';

/** What follows from an agent's own calls and messages, copies in its sources left out. */
export interface Own {
  readonly callCount: number;
  /** In the order in which they began. */
  readonly openCalls: readonly CallRecord[];
  readonly messageCount: number;
  /** Each message once. */
  readonly usage: Usage;
  /** The same by model: an agent may change it, and models have prices. Messages that name none are left out. */
  readonly usageByModel: readonly ModelUsage[];
  /** Of some message only the numbers of its start are known. */
  readonly hasPlaceholder: boolean;
  readonly lastRequest?: MessageRecord;
}

/** A session of a day has a hundred thousand calls, and one line changes one agent: the others' sums are kept. */
export function ownOf(agent: AgentRecord, ledger: SessionLedger, ownerOf: OwnerOf): Own {
  const entry = indexOf(ledger).of(agent.id);
  if (entry.own !== undefined) return entry.own;
  const { calls, messages, alone, forgotten = { calls: 0, messages: 0 } } = entry;
  if (!entry.hasShared) {
    entry.tally ??= createTally(calls, messages);
    const counts = [calls.length + forgotten.calls, messages.length + forgotten.messages] as const;
    entry.own = toOwn(entry.tally, ...counts, agent, ledger);
    return entry.own;
  }
  // Whose a shared record is hangs on the other agents, too: such agents are few, and counted anew.
  const isOwn = ({ agents }: CallRecord | MessageRecord): boolean => agents === alone || ownerOf(agents) === agent.id;
  const ownCalls = calls.filter(isOwn);
  const ownMessages = messages.filter(isOwn);
  return toOwn(createTally(ownCalls, ownMessages), ownCalls.length, ownMessages.length, agent, ledger);
}

function toOwn(tally: Tally, callCount: number, messageCount: number, agent: AgentRecord, ledger: SessionLedger): Own {
  const lastRequest = tally.lastRequest();
  const total = totalOf(agent);
  return {
    callCount,
    openCalls: [...tally.unended].filter((call) => isOpen(call, agent, ledger)).sort(byStart),
    messageCount,
    usage: total?.usage ?? tally.usage,
    usageByModel: total?.usageByModel ?? tally.usageByModel(),
    hasPlaceholder: !total && tally.placeholders > 0,
    ...(lastRequest && { lastRequest }),
  };
}

/** The host's own sums, where nothing was said since. */
function totalOf({ totals, lastAt = 0 }: AgentRecord): Pick<Own, 'usage' | 'usageByModel'> | undefined {
  if (!totals || totals.at < lastAt) return undefined;
  return { usage: totals.value.map(({ usage }) => usage).reduce(addUsage, NO_USAGE), usageByModel: totals.value };
}

/** A kill leaves calls without a result for ever: only those of the last reply, with no word since, can be open. */
function isOpen({ started }: CallRecord, agent: AgentRecord, ledger: SessionLedger): boolean {
  if (!started) return false;
  const { source, offset } = started.origin;
  if (offset < (agent.lastTold.get(source) ?? -1)) return false;
  const reply = agent.lastReply.get(source);
  const begins = reply && ledger.messages.get(reply.id)?.origin;
  return !begins || begins.source !== source || offset >= begins.offset;
}

function byStart(a: CallRecord, b: CallRecord): number {
  return (
    (a.started?.at ?? 0) - (b.started?.at ?? 0) ||
    (a.started?.origin.offset ?? 0) - (b.started?.origin.offset ?? 0) ||
    (a.id < b.id ? -1 : 1)
  );
}
