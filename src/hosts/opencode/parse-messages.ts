// Facts from the records of sessions, messages and permission requests.

import {
  type AgentEvent,
  type EntryAdded,
  type EventOrigin,
  mainAgentOf,
  type ReplyEnd,
  type RunOutcome,
  type SessionId,
  type Usage,
  type UsageCounted,
} from '../../core/index.ts';
import { asAmount, asObject, asText, type JsonObject, known } from '../../lib/json.ts';
import { agentIdOf, type Draft, originOf, type RecordContext, type SessionInfo } from './record.ts';
import { firstLine } from './tools.ts';

interface MessageKey {
  readonly id: string;
  readonly session: string;
}

/** An unfinished reply has neither its end nor its tokens. */
export function isOver(info: JsonObject): boolean {
  if (info['role'] !== 'assistant') return true;
  return asAmount(asObject(info['time'])?.['completed']) !== undefined || asObject(info['error']) !== undefined;
}

export function createdAtOf(info: JsonObject | undefined): number | undefined {
  return asAmount(asObject(info?.['time'])?.['created']);
}

export function messageFacts(
  { id, session }: MessageKey,
  info: JsonObject,
  context: RecordContext,
): readonly AgentEvent[] {
  const isReply = info['role'] === 'assistant';
  const createdAt = createdAtOf(info);
  const agent = agentIdOf(session);
  const place = { session: context.session, origin: originOf(context, createdAt, isReply), agent };
  const copied = context.isEcho;
  if (info['role'] === 'user')
    return [
      { kind: 'entry-added', ...place, entry: 'prompt', id, ...known({ at: createdAt, copied }) },
      ...seenBy(info, context, agent, place, asText(asObject(info['model'])?.['providerID'])),
    ];
  if (!isReply || !isOver(info)) return [];
  const seen = seenBy(info, context, agent, place, asText(info['providerID']));
  const at = asAmount(asObject(info['time'])?.['completed']) ?? createdAt;
  const used = usageFacts(id, info, place, createdAt, copied);
  const error = asObject(info['error']);
  const isMain = agent === mainAgentOf(context.session);
  if (error) return [...seen, ...errorFacts(id, error, { ...place, ...known({ at, copied }) }, isMain), ...used];
  if (info['summary'] === true)
    return [
      ...used,
      { kind: 'agent-compacted', ...place, ...known({ at }) },
      // The conversation continues after it, so it is not a last reply.
      { kind: 'entry-added', ...place, entry: 'note', id, ...known({ at, copied }) },
    ];
  const end = endOf(asText(info['finish']));
  const facts = [replyFact(id, place, at, copied, end)];
  for (const one of seen) facts.push(one);
  for (const one of used) facts.push(one);
  if (!isMain && end !== undefined && end !== 'tools')
    facts.push(endFact({ ...place, ...known({ at }) }, 'completed', 'its turn ended'));
  return facts;
}

function replyFact(
  id: string,
  { session, origin, agent }: FactPlace,
  at: number | undefined,
  copied: true | undefined,
  end: ReplyEnd | undefined,
): AgentEvent {
  const fact: Draft<EntryAdded> = { kind: 'entry-added', session, origin, agent, entry: 'reply', id };
  if (at !== undefined) fact.at = at;
  if (copied) fact.copied = copied;
  if (end !== undefined) fact.end = end;
  return fact;
}

interface FactPlace {
  readonly session: RecordContext['session'];
  readonly origin: AgentEvent['origin'];
  readonly agent: ReturnType<typeof agentIdOf>;
  readonly at?: number;
  readonly copied?: true;
}

interface UsagePlace extends Omit<FactPlace, 'at' | 'copied'> {
  readonly at?: number | undefined;
  readonly copied?: true | undefined;
}

const NO_FACTS: readonly AgentEvent[] = [];

/** A main agent has no type. */
function seenBy(
  info: JsonObject,
  { session, settings }: RecordContext,
  agent: FactPlace['agent'],
  place: Omit<FactPlace, 'at'>,
  provider: string | undefined,
): readonly AgentEvent[] {
  const type = agent === mainAgentOf(session) ? undefined : asText(info['agent']);
  const effort = asText(info['variant']);
  const last = settings?.get(agent);
  if (last && last.provider === provider && last.type === type && last.effort === effort) return NO_FACTS;
  settings?.set(agent, { provider, type, effort });
  const at = createdAtOf(info);
  return [{ kind: 'agent-seen', ...place, ...known({ at, provider, type, effort }) }];
}

function errorFacts(id: string, error: JsonObject, place: FactPlace, isMain: boolean): readonly AgentEvent[] {
  const isStop = error['name'] === 'MessageAbortedError';
  const entry = { kind: 'entry-added', ...place, entry: isStop ? 'interruption' : 'failure', id } as const;
  if (isMain) return [entry];
  if (isStop) return [entry, endFact(place, 'stopped', 'interrupted')];
  const said = asText(asObject(error['data'])?.['message']) ?? asText(error['name']);
  return [entry, endFact(place, 'failed', firstLine(said))];
}

function endFact(
  { copied: _copied, ...place }: FactPlace,
  outcome: RunOutcome,
  reason: string | undefined,
): AgentEvent {
  return { kind: 'run-ended', ...place, signal: 'transcript', outcome, ...known({ reason }) };
}

function usageFacts(
  id: string,
  info: JsonObject,
  { session, origin, agent }: FactPlace,
  at: number | undefined,
  copied: true | undefined,
): readonly AgentEvent[] {
  const tokens = asObject(info['tokens']);
  if (!tokens) return [];
  const fact = usageFact(id, tokens, info['cost'], { session, origin, agent, at, copied }, asText(info['modelID']));
  // Before 0.6 one reply covers several requests to the model, and has the tokens of the last one only.
  const isWhole = asText(info['finish']) !== undefined || asObject(info['error']) !== undefined;
  return [isWhole ? fact : { ...fact, final: false }];
}

/** The program counts reasoning tokens separately, and bills them as output. */
export function usageFact(
  message: string,
  tokens: JsonObject,
  cost: unknown,
  { session, origin, agent, at, copied }: UsagePlace,
  model?: string,
): UsageCounted {
  const cache = asObject(tokens['cache']);
  const amount = (value: unknown): number => asAmount(value) ?? 0;
  const usage: Usage = {
    input: amount(tokens['input']),
    output: amount(tokens['output']) + amount(tokens['reasoning']),
    cacheRead: amount(cache?.['read']),
    cacheWrite: amount(cache?.['write']),
    cacheWrite5m: 0,
    cacheWrite1h: 0,
  };
  const fact: Draft<UsageCounted> = { kind: 'usage-counted', session, origin, agent, message, usage, final: true };
  if (at !== undefined) fact.at = at;
  if (copied) fact.copied = copied;
  if (model !== undefined) fact.model = model;
  // Zero: the program knows no price, or the user has a subscription; the price list applies.
  const usd = asAmount(cost);
  if (usd) fact.nanoUsd = Math.round(usd * 1e9);
  return fact;
}

/** After `tool-calls` and `unknown` the program calls its model again. */
export function endOf(finish: string | undefined): ReplyEnd | undefined {
  if (finish === undefined) return undefined;
  if (finish === 'tool-calls' || finish === 'unknown') return 'tools';
  return finish === 'stop' ? 'turn' : 'cut';
}

/** The title of a session until the model has found one. */
const UNTITLED = /^(?:New session|Child session) - \d{4}-\d\d-\d\dT/;
/** `<description> (@<agent> subagent)`. */
const OF_SUBAGENT = /^(.*) \(@(\S+) subagent\)$/s;
/** Agents that the program starts for itself. */
const INTERNAL = new Set(['compaction', 'title', 'summary']);

export function sessionFacts(info: SessionInfo, context: RecordContext): readonly AgentEvent[] {
  const { session } = context;
  const agent = agentIdOf(info.id);
  const { createdAt: at, deniedTools } = info;
  const place = { session, origin: originOf(context, at, false) };
  const cwd = info.directory;
  if (agent === mainAgentOf(session)) {
    return [
      { kind: 'session-seen', ...place, ...known({ at, cwd, hostVersion: info.version }) },
      { kind: 'agent-seen', ...place, agent, ...known({ at, cwd, deniedTools }) },
      ...titleFact(info, context),
    ];
  }
  const [, description, byTitle] = OF_SUBAGENT.exec(info.title ?? '') ?? [];
  const type = info.agent ?? byTitle;
  const internal = type !== undefined && INTERNAL.has(type) ? type : undefined;
  return [
    {
      kind: 'agent-seen',
      ...place,
      agent,
      ...known({ at, type, description, cwd, deniedTools, internal }),
      ...(internal !== undefined && { agentKind: 'internal' }),
    },
    ...(info.parent === undefined
      ? []
      : [
          {
            kind: 'agent-linked',
            ...place,
            agent,
            evidence: 'session-record',
            parent: agentIdOf(info.parent),
          } as const,
        ]),
  ];
}

function titleFact({ title, updatedAt: at, createdAt }: SessionInfo, context: RecordContext): readonly AgentEvent[] {
  if (title === undefined || UNTITLED.test(title)) return [];
  const place = { session: context.session, origin: originOf(context, createdAt, false) };
  return [{ kind: 'session-titled', ...place, title, titleKind: 'generated', ...known({ at }) }];
}

export interface PermissionRequest {
  readonly session: SessionId;
  readonly origin: EventOrigin;
  /** The program's id of the permission. */
  readonly question: string;
  /** The session that asks. */
  readonly by: string;
  readonly at: number;
}

export function askedFact({ by, question: id, ...place }: PermissionRequest): AgentEvent {
  return { kind: 'agent-asked', ...place, id, about: 'permission', holds: true, agent: agentIdOf(by) };
}

export function answeredFact({ by, question: id, session, origin }: PermissionRequest): AgentEvent {
  return { kind: 'agent-answered', session, origin, id, agent: agentIdOf(by) };
}
