// What OpenCode 2 leaves out of its messages, session by session: ends of executions, and tokens of requests that have no message.

import {
  type AgentEvent,
  mainAgentOf,
  type RunOutcome,
  toToolCallId,
  type Usage,
  type UsageCounted,
} from '../../../core/index.ts';
import { asObject, asText, type JsonObject, known } from '../../../lib/json.ts';
import {
  createdAtOf,
  endFact,
  endOf,
  type FactPlace,
  isOver,
  placeAt,
  sessionFacts,
  usageFacts,
} from '../parse-messages.ts';
import {
  agentIdOf,
  isSessionId,
  objectsIn,
  originOf,
  problemFact,
  type RecordContext,
  type SessionInfo,
  sessionIdOf,
} from '../record.ts';
import { wholeMessageFacts } from '../whole-messages.ts';
import type { Change } from './events.ts';
import { callId, toWhole } from './messages.ts';

interface Told {
  info?: SessionInfo;
  /** The last message, and how it says that its execution ended. */
  last?: {
    readonly id: string;
    readonly at: number;
    readonly isReply: boolean;
    readonly outcome: RunOutcome | undefined;
  };
  readonly counted: Map<string, Pick<UsageCounted, 'usage' | 'nanoUsd' | 'at'>>;
}

export type Teller = ReturnType<typeof createTeller>;

export function createTeller(context: RecordContext) {
  const sessions = new Map<string, Told>();
  const unknown = new Set<string>();
  /** Once for each message, which may be told again with every change. */
  const unknownFacts = (raw: JsonObject): readonly AgentEvent[] => {
    const [id, what] = [asText(raw['id']) ?? '', unknownIn(raw)];
    if (what === undefined || unknown.has(id)) return [];
    unknown.add(id);
    return [problemFact(context, 'unknown-record', what, { offset: unknown.size, length: 0 })];
  };
  const of = (session: string): Told => {
    const known = sessions.get(session) ?? { counted: new Map() };
    sessions.set(session, known);
    return known;
  };
  return {
    session(info: SessionInfo): readonly AgentEvent[] {
      of(info.id).info = info;
      return [...sessionFacts(info, context), ...forkFacts(info, context)];
    },
    message(session: string, raw: JsonObject): readonly AgentEvent[] {
      const whole = toWhole(raw);
      if (!whole) return [];
      const { id, info } = whole;
      const told = of(session);
      if (info['role'] === 'idle') return idleFacts(session, id, info, told, context);
      noteLast(told, id, info);
      const { own, others } = withoutCopiedAgents(whole, told);
      const facts = [...unknownFacts(raw), ...wholeMessageFacts(own, session, context)];
      for (const agent of others)
        facts.push({ kind: 'agent-seen', ...placeOf(whole.info, context), agent, isOthers: true });
      for (const fact of facts) if (fact.kind === 'usage-counted') told.counted.set(fact.message, fact);
      return facts;
    },
    reverted(
      session: string,
      { removed, left }: NonNullable<Change['reverted']>,
      at: number | undefined,
    ): readonly AgentEvent[] {
      const told = of(session);
      delete told.last;
      for (const { id } of removed) told.counted.delete(String(id));
      for (const whole of left.flatMap((raw) => toWhole(raw) ?? [])) noteLast(told, whole.id, whole.info);
      return revertFacts(session, removed, told, at, context);
    },
    /** Only where all messages of the session were told. */
    leftover(session: string): readonly AgentEvent[] {
      return [...leftoverFacts(session, of(session), context), ...emptiedFacts(session, of(session), context)];
    },
    damage: (id: string | undefined): readonly AgentEvent[] => [
      problemFact(context, 'invalid-json', `the row ${id ?? '?'}`, { offset: 0, length: 0 }),
    ],
  };
}

/** What the program (2.0.15) writes. */
const MESSAGES = new Set([
  ...['user', 'assistant', 'synthetic', 'idle', 'system', 'skill', 'shell', 'compaction'],
  ...['agent-switched', 'model-switched', 'location-switched'],
]);
const CONTENTS = new Set(['text', 'reasoning', 'tool']);

/** A type of a later version, of the message or of something in it. */
function unknownIn({ type, content }: JsonObject): string | undefined {
  if (!MESSAGES.has(String(type))) return `message of type ${String(type)}`;
  const other = objectsIn(content).find((one) => !CONTENTS.has(String(one['type'])));
  return type === 'assistant' && other ? `content of type ${String(other['type'])}` : undefined;
}

function noteLast(told: Told, id: string, info: JsonObject): void {
  const role = info['role'];
  const at = createdAtOf(info) ?? 0;
  if ((role !== 'user' && role !== 'assistant') || (told.last && told.last.id !== id && told.last.at > at)) return;
  told.last = { id, at, isReply: role === 'assistant', outcome: role === 'assistant' ? outcomeOf(info) : undefined };
}

function outcomeOf(info: JsonObject): RunOutcome | undefined {
  if (!isOver(info)) return undefined;
  const error = info['error'] as JsonObject | undefined;
  if (error) return error['name'] === 'MessageAbortedError' ? 'stopped' : 'failed';
  const end = endOf(asText(info['finish']));
  return end === undefined || end === 'tools' ? undefined : 'completed';
}

const OUTCOMES: Readonly<Record<string, RunOutcome>> = {
  succeeded: 'completed',
  failed: 'failed',
  interrupted: 'stopped',
};
const ENTRIES = { completed: 'reply', failed: 'failure', stopped: 'interruption' } as const;
const REASONS = { completed: 'its turn ended', failed: 'its execution failed', stopped: 'interrupted' } as const;

/** Empty if the last message says the same. */
function idleFacts(
  session: string,
  id: string,
  info: JsonObject,
  { last }: Told,
  context: RecordContext,
): readonly AgentEvent[] {
  const outcome = OUTCOMES[asText(info['outcome']) ?? ''];
  const at = createdAtOf(info);
  // A message that came later begins another execution.
  if (outcome === undefined || last?.outcome === outcome || (last?.at ?? 0) > (at ?? 0)) return [];
  const agent = agentIdOf(session);
  const place = placeAt(context, { session: context.session, origin: originOf(context, at, true), agent }, at);
  if (agent !== mainAgentOf(context.session)) return [endFact(place, outcome, REASONS[outcome])];
  if (outcome === 'completed' && !last?.isReply) return [];
  // By the id of the last message: it is no message of its own.
  return [endEntry(place, outcome, last?.id ?? id)];
}

function endEntry(place: FactPlace, outcome: keyof typeof ENTRIES, id: string): AgentEvent {
  const end = outcome === 'completed' ? ('turn' as const) : undefined;
  return { kind: 'entry-added', ...place, entry: ENTRIES[outcome], id, ...known({ end }) };
}

function revertFacts(
  session: string,
  removed: readonly JsonObject[],
  { last }: Told,
  at: number | undefined,
  context: RecordContext,
): readonly AgentEvent[] {
  const messages = removed.map(({ id }) => String(id));
  const calls = removed.flatMap(({ id, content }) =>
    objectsIn(content).flatMap((one) =>
      one['type'] === 'tool' ? [toToolCallId(callId(String(id), String(one['id'])))] : [],
    ),
  );
  const about = { session: context.session, origin: originOf(context, at, true) };
  const gone: AgentEvent = { kind: 'messages-removed', ...about, messages, calls };
  if (last?.outcome === undefined) return [gone];
  // The session stands again where its last message left it.
  const place = placeAt(context, { ...about, agent: agentIdOf(session) }, undefined);
  return [gone, endEntry(place, last.outcome, last.id)];
}

/** Its copied messages are older than it: they are told apart by their times. */
function forkFacts({ id, fork, createdAt }: SessionInfo, context: RecordContext): readonly AgentEvent[] {
  const { session } = context;
  if (fork === undefined || sessionIdOf(id) !== session) return [];
  const origin = originOf(context, createdAt, false);
  return [{ kind: 'session-forked', session, origin, from: sessionIdOf(fork), replies: [] }];
}

/** A fork repeats the calls of its origin; their agents stay with the origin. */
function withoutCopiedAgents(own: NonNullable<ReturnType<typeof toWhole>>, { info }: Told) {
  const at = createdAtOf(own.info);
  const begun = info?.createdAt;
  if (info?.fork === undefined || at === undefined || begun === undefined || at >= begun) return { own, others: [] };
  const made = own.parts.flatMap(
    (part) => asText(asObject(asObject(part['state'])?.['metadata'])?.['sessionId']) ?? [],
  );
  const parts = own.parts.map((part) => {
    const state = part['state'] as JsonObject | undefined;
    return state ? { ...part, state: { ...state, metadata: {} } } : part;
  });
  return { own: { ...own, parts }, others: made.filter(isSessionId).map(agentIdOf) };
}

/** All that was said in it was taken back: it ends as its last execution did. */
function emptiedFacts(session: string, { info, last }: Told, context: RecordContext): readonly AgentEvent[] {
  const { outcome: said = '', at } = info?.ended ?? {};
  const outcome = OUTCOMES[said];
  const agent = agentIdOf(session);
  if (last || outcome === undefined || agent !== mainAgentOf(context.session)) return [];
  const about = { session: context.session, origin: originOf(context, at, true) };
  const id = `${session} ended`;
  // No message of its own, either.
  const gone: AgentEvent = { kind: 'messages-removed', ...about, messages: [id], calls: [] };
  return [gone, endEntry(placeAt(context, { ...about, agent }, at), outcome, id)];
}

const placeOf = (info: JsonObject, context: RecordContext) => ({
  session: context.session,
  origin: originOf(context, createdAtOf(info), true),
});

const FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const satisfies readonly (keyof Usage)[];

/** The session's own sum, less its messages: titles, and replies that were taken back. Empty if that is less than they say: one is not there yet. */
function leftoverFacts(session: string, { info, counted }: Told, context: RecordContext): readonly AgentEvent[] {
  const { total, createdAt, updatedAt, fork } = info ?? {};
  if (!total) return [];
  // A fork counts from zero: its copies, which are older than it, are not in its sum.
  const since = fork === undefined ? undefined : createdAt;
  const own = [...counted.values()].filter(({ at }) => since === undefined || (at ?? 0) >= since);
  const agent = agentIdOf(session);
  const origin = originOf(context, updatedAt ?? createdAt, false);
  const [sum] = usageFacts('', { ...total, cost: total.cost }, { session: context.session, origin, agent });
  if (!sum) return [];
  const usage = { ...sum.usage };
  let nanoUsd = sum.nanoUsd ?? 0;
  for (const one of own) {
    for (const field of FIELDS) usage[field] -= one.usage[field];
    nanoUsd -= one.nanoUsd ?? 0;
  }
  if (FIELDS.some((field) => usage[field] < 0)) return [];
  const at = Math.max(updatedAt ?? 0, createdAt ?? 0, counted.size);
  const cost = sum.nanoUsd === undefined || nanoUsd < 0 ? undefined : nanoUsd;
  return [
    { kind: 'usage-unattributed', session: context.session, origin, of: agent, usage, at, ...known({ nanoUsd: cost }) },
  ];
}
