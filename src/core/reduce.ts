// Writing a fact into the ledger, and taking one back.

import { getOrAdd } from '../lib/group.ts';
import { known } from '../lib/json.ts';
import {
  type AgentEvent,
  type AgentFacts,
  type CallOutcome,
  type Diagnostic,
  type EntryAdded,
  type EventOf,
  type EventOrigin,
  MAX_EXAMPLES,
  type RunEnded,
  type UsageCounted,
} from './events.ts';
import type { AgentId, ToolCallId } from './ids.ts';
import {
  type AgentRecord,
  type CallEnd,
  type CallRecord,
  type CallStart,
  createAgentRecord,
  type GroupRecord,
  isLater,
  LATEST_FIELDS,
  type LatestFields,
  type MessageRecord,
  type QuestionRecord,
  type Said,
  type SessionLedger,
} from './ledger.ts';
import { indexOf, NOBODY } from './ledger-index.ts';
import { largestUsage } from './usage.ts';

/**
 * Writes one fact into the ledger of its session. Never throws on data. Every write is idempotent and commutes with
 * every other, but for two that have an order of their own: the record of a process is the one that was read last, and
 * problems are counted as a source is read. The property tests shuffle and repeat everything else.
 */
export function reduce(ledger: SessionLedger, event: AgentEvent): void {
  const write: (ledger: SessionLedger, event: never) => void = WRITERS[event.kind];
  write(ledger, event as never);
}

/**
 * Takes back a fact that is no longer said: a torn line has grown, a document was written anew. Not every fact can be
 * taken back (what it replaced is gone): false says so, and whoever asked reads everything again.
 */
export function retract(ledger: SessionLedger, event: AgentEvent): boolean {
  if (event.kind === 'run-ended') {
    indexOf(ledger).touch(event.agent);
    ledger.agents.get(event.agent)?.ends.delete(endKey(event));
    return true;
  }
  if (event.kind === 'session-seen') return retractProcessRecords(ledger, event);
  if (event.kind !== 'problem-found') return false;
  const key = problemKey(event.diagnostic);
  const problem = ledger.problems.get(key);
  if (!problem) return true;
  const offset = event.diagnostic.origin?.offset ?? 0;
  const examples = problem.examples.filter(({ origin }) => origin?.offset !== offset);
  if (problem.count === 1) ledger.problems.delete(key);
  else ledger.problems.set(key, { count: problem.count - 1, lastOffset: offset - 1, examples });
  return true;
}

/** Whether nothing runs may be known now and unknown a moment later; whatever else a line says of a session stays said. */
function retractProcessRecords(ledger: SessionLedger, event: EventOf<'session-seen'>): boolean {
  const { cwd, branch, hostVersion, keepsProcessRecords, origin } = event;
  if (keepsProcessRecords === undefined || cwd !== undefined || branch !== undefined || hostVersion !== undefined)
    return false;
  if (ledger.keepsProcessRecords?.origin.source === origin.source) delete ledger.keepsProcessRecords;
  return true;
}

/** With its source: an end that two of them tell stays known when one takes it back. */
function endKey({ signal, outcome, call, at, byCallOnly, origin }: RunEnded): string {
  return `${origin.source} ${signal} ${outcome} ${call ?? ''} ${at ?? ''} ${byCallOnly ?? ''}`;
}

function problemKey({ code, origin }: Diagnostic): string {
  return `${code} ${origin?.source ?? ''}`;
}

type Writers = { readonly [E in AgentEvent as E['kind']]: (ledger: SessionLedger, event: E) => void };

const WRITERS: Writers = {
  'session-seen'(ledger, event) {
    // The folder a session began in names its project; branch and version are those of its last line.
    if (event.cwd !== undefined) ledger.cwd = earlier(ledger.cwd, said(event.cwd, event));
    if (event.branch !== undefined) ledger.branch = later(ledger.branch, said(event.branch, event));
    if (event.hostVersion !== undefined) ledger.hostVersion = later(ledger.hostVersion, said(event.hostVersion, event));
    if (event.keepsProcessRecords !== undefined) {
      ledger.keepsProcessRecords = later(ledger.keepsProcessRecords, said(event.keepsProcessRecords, event));
    }
  },
  'session-titled'(ledger, event) {
    const choose = event.titleKind === 'prompt' ? earlier : later;
    ledger.titles.set(event.titleKind, choose(ledger.titles.get(event.titleKind), said(event.title, event)));
  },
  'session-closed'(ledger, { origin, at }) {
    if (at !== undefined) {
      ledger.closedAt = Math.max(ledger.closedAt ?? at, at);
      return;
    }
    ledger.closings.set(origin.source, Math.max(ledger.closings.get(origin.source) ?? -1, origin.offset));
  },
  'session-continued'(ledger, { from, isFirst }) {
    if (isFirst) ledger.begunIn = from;
    else ledger.continuedFrom = from;
  },
  'session-totalled'(ledger, event) {
    ledger.totals ??= new Map();
    ledger.totals.set(event.from, later(ledger.totals.get(event.from), said(event, event)));
  },
  'limits-told'(ledger, event) {
    ledger.limits = later(ledger.limits, said(event.windows, event));
  },
  'usage-unattributed'(ledger, event) {
    const { of, usage, nanoUsd } = event;
    ledger.unattributed ??= new Map();
    ledger.unattributed.set(of, later(ledger.unattributed.get(of), said({ usage, ...known({ nanoUsd }) }, event)));
  },
  'messages-removed'(ledger, { messages, calls }) {
    ledger.removed ??= new Set();
    const { removed } = ledger;
    for (const id of [...messages, ...calls]) removed.add(id);
    for (const id of messages) ledger.messages.delete(id);
    for (const id of calls) ledger.calls.delete(id);
    indexOf(ledger).remove(removed);
    for (const agent of ledger.agents.values())
      for (const begun of [agent.links, agent.resumes])
        for (const [key, { call }] of begun) if (call !== undefined && removed.has(call)) begun.delete(key);
  },
  'request-hidden'(ledger, { at, purpose, origin }) {
    ledger.hiddenRequests ??= new Map();
    ledger.hiddenRequests.set(`${origin.source} ${origin.offset}`, { purpose, ...known({ at }) });
  },
  'usage-elsewhere'(ledger, { message, usage, model, at }) {
    ledger.elsewhere ??= new Map();
    const told = ledger.elsewhere.get(message);
    ledger.elsewhere.set(message, {
      usage: told ? largestUsage(told.usage, usage) : usage,
      ...known({ model: model ?? told?.model, at: told?.at === undefined || (at ?? told.at) < told.at ? at : told.at }),
    });
  },
  'session-copied'(ledger, { at }) {
    ledger.copiedAt = Math.max(ledger.copiedAt ?? at, at);
  },
  'source-borrowed'(ledger, { origin }) {
    ledger.borrowed ??= new Set();
    ledger.borrowed.add(origin.source);
  },
  'session-emptied'(ledger, { at }) {
    ledger.wasEmptied = true;
    if (at !== undefined) ledger.emptiedAt = Math.max(ledger.emptiedAt ?? at, at);
  },
  'session-cleared'(ledger) {
    ledger.beganEmpty = true;
  },
  'session-suspected'(ledger) {
    ledger.mayBeCopy = true;
  },
  'session-forked'(ledger, { from, replies, at, totals }) {
    ledger.forkedFrom = from;
    if (at !== undefined) ledger.forkedAt = at;
    for (const total of totals ?? []) {
      ledger.inheritedTotals ??= new Map();
      ledger.inheritedTotals.set(total.from, total);
    }
    for (const reply of replies) ledger.inherited.add(reply);
  },
  'session-printed'(ledger, { printed, call }) {
    ledger.printed ??= new Map();
    ledger.printed.set(`${printed} ${call}`, { session: printed, call });
  },
  'session-begun'(ledger, { by }) {
    ledger.begunBy ??= new Map();
    ledger.begunBy.set(`${by.session} ${by.agent} ${by.call ?? ''}${by.isContinued ? ' continued' : ''}`, by);
  },
  'session-started'(ledger, { started }) {
    ledger.started ??= new Set();
    ledger.started.add(started);
  },
  'process-seen'(ledger, { pid, alive, ...about }) {
    const { startedAt, state, stateAt, waitingFor, movedTo, hasMoved, isOutOfSight, isShared, endsWithTurn } = about;
    const details = known({
      startedAt,
      state,
      stateAt,
      waitingFor,
      movedTo,
      hasMoved,
      isOutOfSight,
      isShared,
      endsWithTurn,
    });
    ledger.processes.set(pid, { pid, alive, ...details });
  },
  'agent-seen'(ledger, event) {
    const agent = agentIn(ledger, event.agent);
    noteTime(agent, event.at);
    const record: { [Field in keyof LatestFields]: Said<unknown> } = agent;
    for (const field of LATEST_FIELDS) {
      const value = event[field];
      if (value !== undefined) record[field] = later(record[field], said(value, event));
    }
  },
  'agent-prompted'(ledger, event) {
    const agent = agentIn(ledger, event.agent);
    agent.prompt = earlier(agent.prompt, said(event.prompt, event));
  },
  'agent-linked'(ledger, { agent, evidence, call, parent, origin }) {
    const { links } = agentIn(ledger, agent);
    if (call !== undefined && ledger.removed?.has(call)) return;
    const key = `${evidence} ${call ?? ''} ${parent ?? ''}`;
    const told = links.get(key)?.origin;
    if (!told || isBefore(origin, told)) links.set(key, { evidence, origin, ...known({ call, parent }) });
  },
  'spawn-requested'(ledger, event) {
    const { type, name, description, prompt, background } = event;
    const spawn = said(known({ type, name, description, prompt, background }), event);
    changeCall(ledger, event, (call) => {
      call.spawn = earlier(call.spawn, spawn);
      indexOf(ledger).spawns.add(call);
    });
  },
  'run-resumed'(ledger, { agent, id, call, at }) {
    const { resumes } = agentIn(ledger, agent);
    if (call !== undefined && ledger.removed?.has(call)) return;
    const told = resumes.get(id);
    if (!told || (at ?? 0) < (told.at ?? 0)) resumes.set(id, known({ call, at }));
  },
  'calls-counted'(ledger, { agent, call, count }) {
    const record = agentIn(ledger, agent);
    record.callCounts ??= new Map();
    record.callCounts.set(call, Math.max(record.callCounts.get(call) ?? 0, count));
  },
  'group-started'(ledger, event) {
    const group = groupIn(ledger, event);
    group.started = earlier(group.started, said({ agent: event.agent, call: event.call }, event));
    if (event.name !== undefined) group.name = event.name;
  },
  'agent-grouped'(ledger, event) {
    groupIn(ledger, event);
    const agent = agentIn(ledger, event.agent);
    agent.group = later(agent.group, said(event.group, event));
  },
  'run-ended'(ledger, event) {
    const { agent, signal, outcome, call, at, reason, byCallOnly, hearsay, isAssumed, origin } = event;
    const { ends } = agentIn(ledger, agent);
    const key = endKey(event);
    const told = ends.get(key);
    if (told && !isBefore(origin, told.origin)) return;
    ends.set(key, { signal, outcome, origin, ...known({ call, at, reason, byCallOnly, hearsay, isAssumed }) });
  },
  'entry-added'(ledger, event) {
    const agent = agentIn(ledger, event.agent);
    const { entry, origin, at, end, copied = false } = event;
    if (!copied) agent.sources.add(origin.source);
    noteTime(agent, at);
    if (entry !== 'result')
      changeMessage(ledger, event, event.id, entry === 'reply' || entry === 'failure' ? 'assistant' : 'user');
    if (entry === 'note') return;
    notePlaceInTurn(agent, event);
    const last = agent.tails.get(origin.source);
    if (last && last.offset > origin.offset) return;
    const tail = { entry, offset: origin.offset, at: at ?? 0, copied };
    agent.tails.set(origin.source, end === undefined ? tail : { ...tail, end });
  },
  'usage-counted'(ledger, event) {
    changeMessage(ledger, event, event.message, 'assistant', (message) => {
      message.usage = message.usage ? largestUsage(message.usage, event.usage) : event.usage;
      if (event.nanoUsd !== undefined) message.nanoUsd = Math.max(message.nanoUsd ?? 0, event.nanoUsd);
      message.placeholder &&= !event.final;
      if (event.model !== undefined) message.model = later(message.model, said(event.model, event));
    });
  },
  'usage-totalled'(ledger, event) {
    const agent = agentIn(ledger, event.agent);
    agent.totals = later(agent.totals, said(event.byModel, event));
  },
  'tool-started'(ledger, event) {
    const start = startOf(event);
    changeCall(ledger, event, (call) => {
      call.started = earlier(call.started, said(start, event));
    });
  },
  'tool-ended'(ledger, event) {
    const { outcome, reason, unrun, interrupted } = event;
    const end = reason === undefined ? ENDS[outcome] : { outcome, reason, ...known({ unrun, interrupted }) };
    changeCall(ledger, event, (call) => {
      call.ended = earlier(call.ended, said(end, event));
      call.launched ||= event.launched ?? false;
    });
  },
  'agent-compacted'(ledger, { agent, origin, at, tokensBefore, tokensAfter }) {
    const key = `${origin.source} ${origin.offset}`;
    agentIn(ledger, agent).compactions.set(key, known({ at, tokensBefore, tokensAfter }));
  },
  'agent-held'(ledger, event) {
    const agent = agentIn(ledger, event.agent);
    agent.heldUntil = later(agent.heldUntil, said(event.untilAt, event));
  },
  'agent-asked'(ledger, { agent, at, id, about, holds }) {
    const record = agentIn(ledger, agent);
    if (id === undefined) record.askedAt = Math.max(record.askedAt ?? at, at);
    else changeQuestion(record, id, { at, ...known({ about, holds }) });
  },
  'agent-answered'(ledger, { agent, id }) {
    changeQuestion(agentIn(ledger, agent), id, { isAnswered: true });
  },
  'problem-found'(ledger, { diagnostic }) {
    const { origin } = diagnostic;
    const key = problemKey(diagnostic);
    const problem = getOrAdd(ledger.problems, key, () => ({ count: 0, lastOffset: -1, examples: [] }));
    const offset = origin?.offset ?? problem.lastOffset + 1;
    if (offset <= problem.lastOffset) return;
    problem.count++;
    problem.lastOffset = offset;
    if (problem.examples.length < MAX_EXAMPLES) problem.examples.push(diagnostic);
  },
};

/** Field by field: of a hundred thousand calls, to leave out what is not there takes longer than all else. */
function startOf({ tool, summary, writes, awaitsAgents, heardAs }: CallStart): CallStart {
  const start: { -readonly [Key in keyof CallStart]: CallStart[Key] } = { tool };
  if (summary !== undefined) start.summary = summary;
  if (writes !== undefined) start.writes = writes;
  if (awaitsAgents !== undefined) start.awaitsAgents = awaitsAgents;
  if (heardAs !== undefined) start.heardAs = heardAs;
  return start;
}

/** A hundred thousand calls end well, and one object says it of all of them. */
const ENDS: { readonly [O in CallOutcome]: CallEnd } = {
  ok: { outcome: 'ok' },
  error: { outcome: 'error' },
  refused: { outcome: 'refused' },
};

/** A result closes its own call; a prompt, an interruption or another reply leaves earlier calls behind for good. */
function notePlaceInTurn(agent: AgentRecord, { entry, id, origin: { source, offset } }: EntryAdded): void {
  if (entry === 'reply') {
    const last = agent.lastReply.get(source);
    if (!last || last.offset < offset) agent.lastReply.set(source, { id, offset });
  } else if (entry !== 'result') {
    agent.lastTold.set(source, Math.max(agent.lastTold.get(source) ?? -1, offset));
  }
}

function changeMessage(
  ledger: SessionLedger,
  { agent, at, origin, copied = false }: EntryAdded | UsageCounted,
  id: string,
  role: MessageRecord['role'],
  change?: (message: MessageRecord) => void,
): void {
  if (ledger.removed?.has(id)) return;
  const create = (): MessageRecord => ({ id, role, agents: NOBODY, placeholder: true, origin, copied });
  const found = getOrAdd(ledger.messages, id, create);
  indexOf(ledger).changeMessage(found, agent, (message) => {
    if (at !== undefined) message.at = Math.min(message.at ?? at, at);
    if (message.copied === copied ? isBefore(origin, message.origin) : message.copied) {
      message.origin = origin;
      message.copied = copied;
    }
    change?.(message);
  });
}

function isBefore(a: EventOrigin, b: EventOrigin): boolean {
  return a.source < b.source || (a.source === b.source && a.offset < b.offset);
}

function groupIn(ledger: SessionLedger, { group: id, groupKind: kind }: AgentFacts['agent-grouped']): GroupRecord {
  return getOrAdd(ledger.groups, id, () => ({ kind }));
}

function agentIn(ledger: SessionLedger, id: AgentId): AgentRecord {
  indexOf(ledger).touch(id);
  return getOrAdd(ledger.agents, id, createAgentRecord);
}

function changeCall(
  ledger: SessionLedger,
  { call: id, agent }: { readonly call: ToolCallId; readonly agent: AgentId },
  change: (call: CallRecord) => void,
): void {
  if (ledger.removed?.has(id)) return;
  const found = getOrAdd(ledger.calls, id, (): CallRecord => ({ id, agents: NOBODY, launched: false }));
  indexOf(ledger).changeCall(found, agent, change);
}

function changeQuestion(agent: AgentRecord, id: string, news: QuestionRecord): void {
  agent.questions ??= new Map();
  agent.questions.set(id, { ...agent.questions.get(id), ...news });
}

function noteTime(agent: AgentRecord, at: number | undefined): void {
  if (at === undefined) return;
  agent.startedAt = Math.min(agent.startedAt ?? at, at);
  agent.lastAt = Math.max(agent.lastAt ?? at, at);
}

function said<T>(value: T, event: AgentEvent): Said<T> {
  return { value, at: (event as { readonly at?: number }).at ?? 0, origin: event.origin };
}

function later<T>(known: Said<T> | undefined, next: Said<T>): Said<T> {
  return known && !isLater(next, known) ? known : next;
}

function earlier<T>(known: Said<T> | undefined, next: Said<T>): Said<T> {
  return known && isLater(next, known) ? known : next;
}
