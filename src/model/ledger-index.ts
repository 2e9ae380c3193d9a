import type { AgentId } from './ids.ts';
import type { CallRecord, MessageRecord, SessionLedger } from './ledger.ts';
import type { Own } from './own.ts';

/** Ways into a ledger that follow from it: kept as facts are written, so that one new line does not cost the whole. */
export interface LedgerIndex {
  /** Calls that asked for an agent. */
  readonly spawns: Set<CallRecord>;
  of(agent: AgentId): AgentIndex;
  /** Something about the agent was written. */
  touch(agent: AgentId): void;
  noteCall(call: CallRecord, agent: AgentId): void;
  noteMessage(message: MessageRecord, agent: AgentId): void;
}

export interface AgentIndex {
  /** Those that stand in its sources, in no order; `owner.ts` says whose a shared one is. */
  readonly calls: CallRecord[];
  readonly messages: MessageRecord[];
  /** The set of it alone, that all its calls and messages have in common: one for each would be half of the memory. */
  readonly alone: ReadonlySet<AgentId>;
  /** What was computed from them; gone with the next write. */
  own?: Own | undefined;
}

/** Before its first agent is noted. */
export const NOBODY: ReadonlySet<AgentId> = new Set();

const indexes = new WeakMap<SessionLedger, LedgerIndex>();

export function indexOf(ledger: SessionLedger): LedgerIndex {
  let index = indexes.get(ledger);
  if (!index) {
    index = createIndex(ledger);
    indexes.set(ledger, index);
  }
  return index;
}

/** A ledger may come from a snapshot with facts in it. */
function createIndex(ledger: SessionLedger): LedgerIndex {
  const agents = new Map<AgentId, AgentIndex>();
  const of = (agent: AgentId): AgentIndex => {
    let entry = agents.get(agent);
    if (!entry) {
      entry = { calls: [], messages: [], alone: new Set([agent]) };
      agents.set(agent, entry);
    }
    return entry;
  };
  const touch = (agent: AgentId): void => {
    const entry = agents.get(agent);
    if (entry) entry.own = undefined;
  };
  /** Tells the record's other agents, too: it may have been theirs alone until now. */
  const note = <R extends CallRecord | MessageRecord>(
    record: R,
    agent: AgentId,
    list: (of: AgentIndex) => R[],
  ): void => {
    const entry = of(agent);
    for (const each of record.agents) touch(each);
    entry.own = undefined;
    if (record.agents.has(agent)) return;
    record.agents = record.agents.size === 0 ? entry.alone : new Set([...record.agents, agent]);
    list(entry).push(record);
  };
  const index: LedgerIndex = {
    spawns: new Set([...ledger.calls.values()].filter((call) => call.spawn)),
    of,
    touch,
    noteCall: (call, agent) => note(call, agent, ({ calls }) => calls),
    noteMessage: (message, agent) => note(message, agent, ({ messages }) => messages),
  };
  const adopt = (record: CallRecord | MessageRecord, noteOne: (agent: AgentId) => void): void => {
    const { agents: all } = record;
    record.agents = NOBODY;
    for (const agent of all) noteOne(agent);
  };
  for (const call of ledger.calls.values()) adopt(call, (agent) => index.noteCall(call, agent));
  for (const message of ledger.messages.values()) adopt(message, (agent) => index.noteMessage(message, agent));
  return index;
}
