import { known } from '../base/json.ts';
import type { AgentEvent, AgentGrouped, EntryAdded, EventOrigin, GroupStarted, UsageCounted } from './event.ts';
import type { AgentId, ToolCallId } from './ids.ts';
import {
  type AgentRecord,
  type CallRecord,
  createAgentRecord,
  type GroupRecord,
  isLater,
  type MessageRecord,
  type Said,
  type SessionLedger,
} from './ledger.ts';
import { largestUsage } from './usage.ts';

/**
 * Writes one fact into the ledger of its session. Never throws on data. Every write is idempotent and commutes with
 * every other: the property tests feed the same facts in any order, twice, and expect the same tree.
 */
export function reduce(ledger: SessionLedger, event: AgentEvent): void {
  const write: (ledger: SessionLedger, event: never) => void = WRITERS[event.kind];
  write(ledger, event as never);
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
  'session-closed'(ledger, { origin }) {
    ledger.closings.set(origin.source, Math.max(ledger.closings.get(origin.source) ?? -1, origin.offset));
  },
  'session-forked'(ledger, { from, replies }) {
    ledger.forkedFrom = from;
    for (const reply of replies) ledger.inherited.add(reply);
  },
  'process-seen'(ledger, { pid, alive, startedAt, state, waitingFor }) {
    ledger.processes.set(pid, { pid, alive, ...known({ startedAt, state, waitingFor }) });
  },
  'agent-seen'(ledger, event) {
    const agent = agentIn(ledger, event.agent);
    noteTime(agent, event.at);
    for (const field of LATEST_FIELDS) {
      const value = event[field];
      if (value !== undefined) keepLatest(agent, field, said(value, event));
    }
  },
  'agent-prompted'(ledger, event) {
    const agent = agentIn(ledger, event.agent);
    agent.prompt = earlier(agent.prompt, said(event.prompt, event));
  },
  'agent-linked'(ledger, { agent, evidence, call, parent }) {
    const claim = { evidence, ...known({ call, parent }) };
    agentIn(ledger, agent).links.set(`${evidence} ${call ?? ''} ${parent ?? ''}`, claim);
  },
  'spawn-requested'(ledger, { agent, call, type, name, description, prompt, background }) {
    callIn(ledger, call, agent).spawn = known({ type, name, description, prompt, background });
  },
  'run-resumed'(ledger, { agent, id, call, at }) {
    agentIn(ledger, agent).resumes.set(id, known({ call, at }));
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
  'run-ended'(ledger, { agent, signal, outcome, call, at, reason, origin }) {
    const { ends } = agentIn(ledger, agent);
    const key = `${signal} ${outcome} ${call ?? ''} ${at ?? ''}`;
    const told = ends.get(key);
    if (told && !isBefore(origin, told.origin)) return;
    ends.set(key, { signal, outcome, origin, ...known({ call, at, reason }) });
  },
  'entry-added'(ledger, event) {
    const agent = agentIn(ledger, event.agent);
    const { entry, origin, at, end, copied = false } = event;
    if (!copied) agent.sources.add(origin.source);
    noteTime(agent, at);
    if (entry !== 'result')
      noteMessage(ledger, event, event.id, entry === 'reply' || entry === 'failure' ? 'assistant' : 'user');
    if (entry === 'note') return;
    const last = agent.tails.get(origin.source);
    if (last && last.offset > origin.offset) return;
    agent.tails.set(origin.source, { entry, offset: origin.offset, at: at ?? 0, copied, ...known({ end }) });
  },
  'usage-counted'(ledger, event) {
    const message = noteMessage(ledger, event, event.message, 'assistant');
    message.usage = message.usage ? largestUsage(message.usage, event.usage) : event.usage;
    message.placeholder &&= !event.final;
    if (event.model !== undefined) message.model = event.model;
  },
  'tool-started'(ledger, event) {
    const call = callIn(ledger, event.call, event.agent);
    call.tool = event.tool;
    if (event.summary !== undefined) call.summary = event.summary;
    call.started = earlier(call.started, said(true, event));
  },
  'tool-ended'(ledger, event) {
    const call = callIn(ledger, event.call, event.agent);
    call.ended = earlier(call.ended, said(event.outcome, event));
    call.launched ||= event.launched ?? false;
    if (event.reason !== undefined) call.reason = event.reason;
  },
  'agent-compacted'(ledger, { agent, origin, at, tokensBefore, tokensAfter }) {
    const key = `${origin.source} ${origin.offset}`;
    agentIn(ledger, agent).compactions.set(key, known({ at, tokensBefore, tokensAfter }));
  },
  'agent-held'(ledger, event) {
    const agent = agentIn(ledger, event.agent);
    agent.heldUntil = later(agent.heldUntil, said(event.untilAt, event));
  },
  'problem-found'(ledger, { diagnostic }) {
    const { code, detail, origin } = diagnostic;
    ledger.problems.set(`${code} ${origin?.source ?? ''} ${origin?.offset ?? ''} ${detail}`, diagnostic);
  },
};

const LATEST_FIELDS = [
  'agentKind',
  'type',
  'name',
  'description',
  'model',
  'effort',
  'slug',
  'cwd',
  'branch',
  'worktree',
  'background',
  'depth',
  'internal',
] as const;

type LatestField = (typeof LATEST_FIELDS)[number];

function keepLatest(agent: AgentRecord, field: LatestField, value: Said<unknown>): void {
  const record = agent as unknown as Record<LatestField, Said<unknown> | undefined>;
  record[field] = later(record[field], value);
}

function noteMessage(
  ledger: SessionLedger,
  { agent, at, origin, copied = false }: EntryAdded | UsageCounted,
  id: string,
  role: MessageRecord['role'],
): MessageRecord {
  let message = ledger.messages.get(id);
  if (!message) {
    message = { id, role, agents: new Set(), placeholder: true, origin, copied };
    ledger.messages.set(id, message);
  }
  message.agents.add(agent);
  if (at !== undefined) message.at = Math.min(message.at ?? at, at);
  if (message.copied === copied ? isBefore(origin, message.origin) : message.copied) {
    message.origin = origin;
    message.copied = copied;
  }
  return message;
}

function isBefore(a: EventOrigin, b: EventOrigin): boolean {
  return a.source < b.source || (a.source === b.source && a.offset < b.offset);
}

function groupIn(ledger: SessionLedger, { group: id, groupKind: kind }: GroupStarted | AgentGrouped): GroupRecord {
  let group = ledger.groups.get(id);
  if (!group) {
    group = { kind };
    ledger.groups.set(id, group);
  }
  return group;
}

function agentIn(ledger: SessionLedger, id: AgentId): AgentRecord {
  let agent = ledger.agents.get(id);
  if (!agent) {
    agent = createAgentRecord(id);
    ledger.agents.set(id, agent);
  }
  return agent;
}

function callIn(ledger: SessionLedger, id: ToolCallId, agent: AgentId): CallRecord {
  let call = ledger.calls.get(id);
  if (!call) {
    call = { id, agents: new Set(), launched: false };
    ledger.calls.set(id, call);
  }
  call.agents.add(agent);
  return call;
}

function noteTime(agent: AgentRecord, at: number | undefined): void {
  if (at === undefined) return;
  agent.startedAt = Math.min(agent.startedAt ?? at, at);
  agent.lastAt = Math.max(agent.lastAt ?? at, at);
}

function said<T>(value: T, event: AgentEvent): Said<T> {
  return { value, at: ('at' in event ? event.at : undefined) ?? 0, origin: event.origin };
}

function later<T>(known: Said<T> | undefined, next: Said<T>): Said<T> {
  return known && !isLater(next, known) ? known : next;
}

function earlier<T>(known: Said<T> | undefined, next: Said<T>): Said<T> {
  return known && isLater(next, known) ? known : next;
}
