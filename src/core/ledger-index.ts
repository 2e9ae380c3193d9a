// What follows from a ledger: the calls and messages of each agent, whose a copied one is, and their sums.

import { getOrAdd } from '../lib/group.ts';
import { type AgentId, mainAgentOf, type SourceId } from './ids.ts';
import type { AgentRecord, CallRecord, MessageRecord, SessionLedger } from './ledger.ts';
import { isLongRequest } from './reports/prices.ts';
import {
  addTo,
  addUsage,
  type ModelUsage,
  NO_USAGE,
  slotOf,
  sumByModel,
  type TimedUsage,
  type Usage,
  type UsageSum,
} from './usage.ts';

const indexes = new WeakMap<SessionLedger, LedgerIndex>();

export function indexOf(ledger: SessionLedger): LedgerIndex {
  return getOrAdd(indexes, ledger, () => new LedgerIndex(ledger));
}

/** Lookups that follow from a ledger: kept up as facts are written, so that one new line does not cost a full scan. */
export class LedgerIndex {
  /** Calls that asked for an agent. */
  readonly spawns: Set<CallRecord>;
  readonly #agents = new Map<AgentId, AgentIndex>();

  /** The ledger may hold facts already, as one from a snapshot does. */
  constructor(ledger: SessionLedger) {
    this.spawns = new Set([...ledger.calls.values()].filter((call) => call.spawn));
    for (const call of ledger.calls.values())
      for (const agent of takeAgents(call)) this.changeCall(call, agent, () => {});
    for (const message of ledger.messages.values())
      for (const agent of takeAgents(message)) this.changeMessage(message, agent, () => {});
  }

  of(agent: AgentId): AgentIndex {
    return getOrAdd(this.#agents, agent, createAgentIndex);
  }

  /** Something about the agent was written. */
  touch(agent: AgentId): void {
    const entry = this.#agents.get(agent);
    if (entry) entry.own = undefined;
  }

  /** Calls and messages that are no longer in the ledger, by id. */
  remove(ids: ReadonlySet<string>): void {
    for (const call of this.spawns) if (ids.has(call.id)) this.spawns.delete(call);
    for (const entry of this.#agents.values()) {
      entry.calls = entry.calls.filter(({ id }) => !ids.has(id));
      entry.messages = entry.messages.filter(({ id }) => !ids.has(id));
      // What was forgotten is in the tally alone.
      if (!entry.forgotten) entry.tally = undefined;
      entry.own = undefined;
    }
  }

  /** Changes a call that stands in the agent's sources. */
  changeCall(call: CallRecord, agent: AgentId, change: (call: CallRecord) => void): void {
    const entry = this.of(agent);
    if (this.#note(call, agent, entry)) entry.calls.push(call);
    change(call);
    if (call.agents === entry.alone) entry.tally?.noteCall(call);
    else for (const each of call.agents) this.of(each).tally?.noteCall(call);
  }

  changeMessage(message: MessageRecord, agent: AgentId, change: (message: MessageRecord) => void): void {
    const entry = this.of(agent);
    const isNew = this.#note(message, agent, entry);
    if (isNew) entry.messages.push(message);
    else entry.tally?.takeMessage(message);
    const { origin } = message;
    change(message);
    // The file was read backwards: sums by place have to be counted again.
    if (!isNew && message.origin !== origin) entry.tally = undefined;
    entry.tally?.addMessage(message);
  }

  /** Whether the record is new to the agent. Updates the record's other agents too: it may have been theirs alone until now. */
  #note(record: CallRecord | MessageRecord, agent: AgentId, entry: AgentIndex): boolean {
    entry.own = undefined;
    // Nearly all are one agent's alone.
    if (record.agents === entry.alone) return false;
    if (record.agents.size === 0) {
      record.agents = entry.alone;
      return true;
    }
    for (const each of record.agents) this.touch(each);
    if (record.agents.has(agent)) return false;
    record.agents = new Set([...record.agents, agent]);
    for (const each of record.agents) {
      const shared = this.of(each);
      shared.hasShared = true;
      shared.tally = undefined;
    }
    return true;
  }
}

function createAgentIndex(agent: AgentId): AgentIndex {
  return { calls: [], messages: [], alone: new Set([agent]), hasShared: false };
}

function takeAgents(record: CallRecord | MessageRecord): ReadonlySet<AgentId> {
  const { agents } = record;
  record.agents = NOBODY;
  return agents;
}

export interface AgentIndex {
  /** Those that stand in its sources, in no order; `createOwnerOf` says whose a shared one is. */
  calls: CallRecord[];
  messages: MessageRecord[];
  /** How many more there were (`forgetSettled`): they are in the tally. */
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

/** Whose call or message it is, where copies of it stand in the sources of several agents. */
export type OwnerOf = (agents: ReadonlySet<AgentId>) => AgentId | undefined;

/**
 * A fork's file repeats the reply that made it; a compaction's may repeat the whole conversation. What is copied is
 * older than the copy's agent: the main agent's if it is among them, else that of the agent that began first.
 */
export function createOwnerOf(ledger: SessionLedger): OwnerOf {
  const main = mainAgentOf(ledger.id);
  const isOlder = (a: AgentId, b: AgentId): boolean => {
    const [one, other] = [ledger.agents.get(a), ledger.agents.get(b)];
    if (!one?.internal !== !other?.internal) return !one?.internal;
    const [began, otherBegan] = [
      one?.startedAt ?? Number.POSITIVE_INFINITY,
      other?.startedAt ?? Number.POSITIVE_INFINITY,
    ];
    return began === otherBegan ? a < b : began < otherBegan;
  };
  return (agents) => {
    if (agents.has(main)) return main;
    let oldest: AgentId | undefined;
    for (const id of agents) if (oldest === undefined || isOlder(id, oldest)) oldest = id;
    return oldest;
  };
}

/**
 * Running sums over the calls and messages of one agent: a line changes one of them, and an agent of a long day has fifty
 * thousand. What a changed record counted before is subtracted first.
 */
export class Tally {
  /** Asked for, and without a result. */
  readonly unended = new Set<CallRecord>();
  /** Messages of which only the numbers of their start are known. */
  placeholders = 0;
  readonly #usage: UsageSum = { ...NO_USAGE };
  /** By time, then by model; under '' those that name none. */
  readonly #byTime = new Map<number, Map<string, ModelSum>>();
  readonly #begins = new Map<SourceId, number>();
  readonly #lastIn = new Map<SourceId, MessageRecord>();

  constructor(calls: Iterable<CallRecord>, messages: Iterable<MessageRecord>) {
    for (const call of calls) this.noteCall(call);
    for (const message of messages) this.addMessage(message);
  }

  get usage(): Usage {
    return { ...this.#usage };
  }

  /** In the order of time, then of names. */
  usageByTime(): readonly TimedUsage[] {
    return [...this.#byTime]
      .sort(([a], [b]) => a - b)
      .flatMap(([at, byModel]) =>
        [...byModel]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([model, sum]) => ({
            at,
            ...toModelUsage(model, sum),
            requests: sum.messages,
            ...(sum.placeholders > 0 && { isLowerBound: true as const }),
          })),
      );
  }

  /** The last reply that names a model. */
  lastRequest(): MessageRecord | undefined {
    let last: MessageRecord | undefined;
    for (const message of this.#lastIn.values()) if (!last || isBehind(message, last, this.#begins)) last = message;
    return last;
  }

  addMessage(message: MessageRecord): void {
    const { origin, at = 0, usage, model } = message;
    this.#begins.set(origin.source, Math.min(this.#begins.get(origin.source) ?? at, at));
    this.#count(message, 1);
    if (!usage || !model) return;
    const last = this.#lastIn.get(origin.source);
    if (!last || last.origin.offset < origin.offset) this.#lastIn.set(origin.source, message);
  }

  /** Before it changes. It must be added again, and its place must not have changed: places are not subtracted. */
  takeMessage(message: MessageRecord): void {
    this.#count(message, -1);
  }

  /** After it changed. */
  noteCall(call: CallRecord): void {
    if (call.started && !call.ended) this.unended.add(call);
    else this.unended.delete(call);
  }

  #count({ at, usage, placeholder, model: said, nanoUsd }: MessageRecord, step: 1 | -1): void {
    if (!usage) return;
    const model = said?.value ?? '';
    addTo(this.#usage, usage, step);
    if (placeholder) this.placeholders += step;
    const slot = slotOf(at);
    const byModel = getOrAdd(this.#byTime, slot, () => new Map<string, ModelSum>());
    const sum = getOrAdd(byModel, model, createModelSum);
    sum.messages += step;
    if (placeholder) sum.placeholders += step;
    const isLong = isLongRequest(model, usage);
    addPart(sum.all, usage, isLong, step);
    if (nanoUsd !== undefined) {
      sum.billed ??= { nanoUsd: 0, ...createPart() };
      sum.billed.nanoUsd += step * nanoUsd;
      addPart(sum.billed, usage, isLong, step);
    }
    if (sum.messages === 0) byModel.delete(model);
    if (byModel.size === 0) this.#byTime.delete(slot);
  }
}

/** `requests` and `longRequests`: how many are in it. */
interface Part {
  readonly usage: UsageSum;
  long?: UsageSum;
  requests: number;
  longRequests: number;
}

interface ModelSum {
  readonly all: Part;
  billed?: Part & { nanoUsd: number };
  messages: number;
  placeholders: number;
}

function createModelSum(): ModelSum {
  return { all: createPart(), messages: 0, placeholders: 0 };
}

function createPart(): Part {
  return { usage: { ...NO_USAGE }, requests: 0, longRequests: 0 };
}

function addPart(part: Part, usage: Usage, isLong: boolean, step: 1 | -1): void {
  addTo(part.usage, usage, step);
  part.requests += step;
  if (!isLong) return;
  part.long ??= { ...NO_USAGE };
  part.longRequests += step;
  addTo(part.long, usage, step);
}

function toModelUsage(model: string, { all, billed }: ModelSum): ModelUsage {
  return {
    model,
    ...copyOf(all),
    ...(billed && billed.requests > 0 && { billed: { nanoUsd: billed.nanoUsd, ...copyOf(billed) } }),
  };
}

function copyOf({ usage, long, longRequests }: Part): Pick<ModelUsage, 'usage' | 'long'> {
  return { usage: { ...usage }, ...(long && longRequests > 0 && { long: { ...long } }) };
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
  /** The same by time, also of messages that name no model. */
  readonly usageByTime: readonly TimedUsage[];
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
    entry.tally ??= new Tally(calls, messages);
    const counts = [calls.length + forgotten.calls, messages.length + forgotten.messages] as const;
    entry.own = toOwn(entry.tally, ...counts, agent, ledger);
    return entry.own;
  }
  // Whose a shared record is hangs on the other agents, too: such agents are few, and counted anew.
  const isOwn = ({ agents }: CallRecord | MessageRecord): boolean => agents === alone || ownerOf(agents) === agent.id;
  const ownCalls = calls.filter(isOwn);
  const ownMessages = messages.filter(isOwn);
  return toOwn(new Tally(ownCalls, ownMessages), ownCalls.length, ownMessages.length, agent, ledger);
}

/** Copies in its sources left out. */
export function messagesOf(agent: AgentId, ledger: SessionLedger, ownerOf: OwnerOf): readonly MessageRecord[] {
  return indexOf(ledger)
    .of(agent)
    .messages.filter(({ agents }) => ownerOf(agents) === agent);
}

function toOwn(tally: Tally, callCount: number, messageCount: number, agent: AgentRecord, ledger: SessionLedger): Own {
  const lastRequest = tally.lastRequest();
  const timed = tally.usageByTime();
  const total = totalOf(agent, timed);
  return {
    callCount,
    openCalls: [...tally.unended].filter((call) => isOpen(call, agent, ledger)).sort(byStart),
    messageCount,
    usage: total?.usage ?? tally.usage,
    usageByModel: total?.usageByModel ?? sumByModel(timed.filter(({ model }) => model !== '')),
    usageByTime: total?.usageByTime ?? timed,
    hasPlaceholder: !total && tally.placeholders > 0,
    ...(lastRequest && { lastRequest }),
  };
}

/** The host's own sums, where nothing was said since. */
function totalOf(
  { totals, lastAt = 0 }: AgentRecord,
  timed: readonly TimedUsage[],
): Pick<Own, 'usage' | 'usageByModel' | 'usageByTime'> | undefined {
  if (!totals || totals.at < lastAt) return undefined;
  return {
    usage: totals.value.map(({ usage }) => usage).reduce(addUsage, NO_USAGE),
    usageByModel: totals.value,
    usageByTime: spread(totals.value, timed, slotOf(lastAt || totals.at)),
  };
}

/** The host's own sums over the times of the messages. What no message holds is of the last time. */
function spread(totals: readonly ModelUsage[], timed: readonly TimedUsage[], last: number): readonly TimedUsage[] {
  const rest = totals.map(({ model, usage }) => {
    const counted = timed.filter((one) => one.model === model).map((one) => one.usage);
    return { at: last, model, usage: counted.reduce((left, one) => addTo(left, one, -1), { ...usage }) };
  });
  const amounts = rest.flatMap(({ usage }) => [usage.input, usage.output, usage.cacheRead, usage.cacheWrite]);
  const named = new Set(totals.map(({ model }) => model));
  // Messages that the host counts otherwise, or under other names.
  if (amounts.some((amount) => amount < 0) || timed.some(({ model }) => !named.has(model)))
    return totals.map((one, index) => ({ at: last, ...one, ...(index === 0 && { requests: requestsOf(timed) }) }));
  return [...timed, ...rest.filter(({ usage }) => Object.values(usage).some((amount) => amount !== 0))];
}

function requestsOf(timed: readonly TimedUsage[]): number {
  return timed.reduce((sum, { requests = 0 }) => sum + requests, 0);
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
    entry.tally ??= new Tally(entry.calls, entry.messages);
    // Their lines may still come.
    const last = new Set([...agent.lastReply.values()].map(({ id }) => id));
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
