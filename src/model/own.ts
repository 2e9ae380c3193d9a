import type { SourceId } from './ids.ts';
import type { AgentRecord, CallRecord, MessageRecord, SessionLedger } from './ledger.ts';
import { indexOf } from './ledger-index.ts';
import type { OwnerOf } from './owner.ts';
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
  let isShared = false;
  const isOwn = ({ agents }: CallRecord | MessageRecord): boolean => {
    if (agents === entry.alone) return true;
    isShared = true;
    return ownerOf(agents) === agent.id;
  };
  const own = sumUp(entry.calls.filter(isOwn), entry.messages.filter(isOwn), agent, ledger);
  // Whose a shared record is hangs on the other agents, too: such agents are few, and counted anew.
  if (!isShared) entry.own = own;
  return own;
}

function sumUp(
  calls: readonly CallRecord[],
  messages: readonly MessageRecord[],
  agent: AgentRecord,
  ledger: SessionLedger,
): Own {
  const begins = firstTimes(messages);
  let usage = NO_USAGE;
  const byModel = new Map<string, Usage>();
  let hasPlaceholder = false;
  let lastRequest: MessageRecord | undefined;
  for (const message of messages) {
    if (!message.usage) continue;
    usage = addUsage(usage, message.usage);
    const model = message.model?.value;
    if (model !== undefined) byModel.set(model, addUsage(byModel.get(model) ?? NO_USAGE, message.usage));
    hasPlaceholder ||= message.placeholder;
    if (message.model && (!lastRequest || isBehind(message, lastRequest, begins))) lastRequest = message;
  }
  return {
    callCount: calls.length,
    openCalls: calls.filter((call) => isOpen(call, agent, ledger)).sort(byStart),
    messageCount: messages.length,
    usage,
    usageByModel: [...byModel]
      .map(([model, used]) => ({ model, usage: used }))
      .sort((a, b) => (a.model < b.model ? -1 : 1)),
    hasPlaceholder,
    ...(lastRequest && { lastRequest }),
  };
}

/** A kill leaves calls without a result for ever: only those of the last reply, with no word since, can be open. */
function isOpen(call: CallRecord, agent: AgentRecord, ledger: SessionLedger): boolean {
  if (!call.started || call.ended) return false;
  const { source, offset } = call.started.origin;
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

function firstTimes(messages: readonly MessageRecord[]): ReadonlyMap<SourceId, number> {
  const begins = new Map<SourceId, number>();
  for (const { origin, at = 0 } of messages) begins.set(origin.source, Math.min(begins.get(origin.source) ?? at, at));
  return begins;
}

/**
 * In the order of the file, not of the clock: 4 % of the time stamps of the recorded corpus run backwards. Of several
 * files, the one that begins first comes first.
 */
function isBehind(
  { origin: a }: MessageRecord,
  { origin: b }: MessageRecord,
  begins: ReadonlyMap<SourceId, number>,
): boolean {
  if (a.source === b.source) return a.offset > b.offset;
  const difference = (begins.get(a.source) ?? 0) - (begins.get(b.source) ?? 0);
  return difference === 0 ? a.source > b.source : difference > 0;
}
