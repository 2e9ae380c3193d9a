import type { AgentId } from './ids.ts';
import type { CallRecord, MessageRecord, SessionLedger } from './ledger.ts';
import type { Own } from './own.ts';
import type { Tally } from './tally.ts';

/** Ways into a ledger that follow from it: kept as facts are written, so that one new line does not cost the whole. */
export interface LedgerIndex {
  /** Calls that asked for an agent. */
  readonly spawns: Set<CallRecord>;
  of(agent: AgentId): AgentIndex;
  /** Something about the agent was written. */
  touch(agent: AgentId): void;
  /** Writes into a call, or a message, that stands in the agent's sources. */
  changeCall(call: CallRecord, agent: AgentId, change: (call: CallRecord) => void): void;
  changeMessage(message: MessageRecord, agent: AgentId, change: (message: MessageRecord) => void): void;
}

export interface AgentIndex {
  /** Those that stand in its sources, in no order; `owner.ts` says whose a shared one is. */
  calls: CallRecord[];
  messages: MessageRecord[];
  /** How many more there were (`forget.ts`): they are in the tally. */
  forgotten?: { readonly calls: number; readonly messages: number };
  /** The set of it alone, that all its calls and messages have in common: one for each would be half of the memory. */
  readonly alone: ReadonlySet<AgentId>;
  /** Some of them stand in another agent's sources as well. */
  hasShared: boolean;
  /** Their sums, kept up as they change; of those that have none shared. */
  tally?: Tally | undefined;
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
      entry = { calls: [], messages: [], alone: new Set([agent]), hasShared: false };
      agents.set(agent, entry);
    }
    return entry;
  };
  const touch = (agent: AgentId): void => {
    const entry = agents.get(agent);
    if (entry) entry.own = undefined;
  };
  /** Whether it is new to the agent. Tells the record's other agents, too: it may have been theirs alone until now. */
  const note = (record: CallRecord | MessageRecord, agent: AgentId, entry: AgentIndex): boolean => {
    entry.own = undefined;
    // Nearly all are one agent's alone.
    if (record.agents === entry.alone) return false;
    if (record.agents.size === 0) {
      record.agents = entry.alone;
      return true;
    }
    for (const each of record.agents) touch(each);
    if (record.agents.has(agent)) return false;
    record.agents = new Set([...record.agents, agent]);
    for (const each of record.agents) share(of(each));
    return true;
  };
  const index: LedgerIndex = {
    spawns: new Set([...ledger.calls.values()].filter((call) => call.spawn)),
    of,
    touch,
    changeCall(call, agent, change) {
      const entry = of(agent);
      if (note(call, agent, entry)) entry.calls.push(call);
      change(call);
      if (call.agents === entry.alone) entry.tally?.noteCall(call);
      else for (const each of call.agents) of(each).tally?.noteCall(call);
    },
    changeMessage(message, agent, change) {
      const entry = of(agent);
      const isNew = note(message, agent, entry);
      if (isNew) entry.messages.push(message);
      else entry.tally?.takeMessage(message);
      const { origin } = message;
      change(message);
      // It was read backwards: sums by place are counted anew.
      if (!isNew && message.origin !== origin) entry.tally = undefined;
      entry.tally?.addMessage(message);
    },
  };
  const adopt = (record: CallRecord | MessageRecord, noteOne: (agent: AgentId) => void): void => {
    const { agents: all } = record;
    record.agents = NOBODY;
    for (const agent of all) noteOne(agent);
  };
  for (const call of ledger.calls.values()) adopt(call, (agent) => index.changeCall(call, agent, NOTHING));
  for (const message of ledger.messages.values())
    adopt(message, (agent) => index.changeMessage(message, agent, NOTHING));
  return index;
}

function share(entry: AgentIndex): void {
  entry.hasShared = true;
  entry.tally = undefined;
}

const NOTHING = (): void => {};
