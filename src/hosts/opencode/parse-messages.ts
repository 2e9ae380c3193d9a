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
import { firstLine } from '../shared/index.ts';
import { agentIdOf, type Draft, originOf, type RecordContext, type SessionInfo } from './record.ts';

/** An unfinished reply has neither its end nor its tokens. */
export function isOver(info: JsonObject): boolean {
  if (info['role'] !== 'assistant') return true;
  return asAmount(asObject(info['time'])?.['completed']) !== undefined || asObject(info['error']) !== undefined;
}

export function createdAtOf(info: JsonObject | undefined): number | undefined {
  return asAmount(asObject(info?.['time'])?.['created']);
}

/** What parts need of their message. */
export interface MessageNote {
  readonly createdAt?: number | undefined;
  readonly isPrompt: boolean;
}

export function noteOf(info: JsonObject | undefined): MessageNote {
  return { createdAt: createdAtOf(info), isPrompt: info?.['role'] === 'user' };
}

export function messageFacts(
  { id, session }: { readonly id: string; readonly session: string },
  info: JsonObject,
  context: RecordContext,
): readonly AgentEvent[] {
  const isReply = info['role'] === 'assistant';
  const createdAt = createdAtOf(info);
  const agent = agentIdOf(session);
  const place = { session: context.session, origin: originOf(context, createdAt, isReply), agent };
  const begun = placeAt(context, place, createdAt);
  if (info['role'] === 'user')
    return [
      ...copyFacts(context, place, createdAt),
      { kind: 'entry-added', ...begun, entry: 'prompt', id },
      ...seenBy(info, context, place, asText(asObject(info['model'])?.['providerID'])),
    ];
  if (!isReply || !isOver(info)) return [];
  const seen = seenBy(info, context, place, asText(info['providerID']));
  const error = asObject(info['error']);
  // Before 0.6 one reply covers several requests to the model, and has the tokens of the last one only.
  const final = asText(info['finish']) !== undefined || error !== undefined;
  const used = usageFacts(id, info, begun, final);
  const at = asAmount(asObject(info['time'])?.['completed']) ?? createdAt;
  const ended = placeAt(context, place, at);
  const isMain = agent === mainAgentOf(context.session);
  if (error) return [...seen, ...errorFacts(id, error, ended, isMain), ...used];
  if (info['summary'] === true)
    return [
      ...used,
      { kind: 'agent-compacted', ...place, ...known({ at }) },
      // The conversation continues after it, so it is not a last reply.
      { kind: 'entry-added', ...ended, entry: 'note', id },
    ];
  const end = endOf(asText(info['finish']));
  const reply: Draft<EntryAdded> = { kind: 'entry-added', ...ended, entry: 'reply', id };
  if (end !== undefined) reply.end = end;
  const isLast = !isMain && end !== undefined && end !== 'tools';
  return [reply, ...seen, ...used, ...(isLast ? [endFact(ended, 'completed', 'its turn ended')] : [])];
}

/** `--fork` copies messages under new ids; they keep their times, so they are older than their session. */
function copyFacts(
  { begun, session }: RecordContext,
  { agent, origin }: FactPlace,
  createdAt: number | undefined,
): readonly AgentEvent[] {
  const at = begun?.at;
  if (!begun || at === undefined || createdAt === undefined || createdAt >= at || agent !== mainAgentOf(session))
    return [];
  begun.at = undefined;
  return [{ kind: 'session-copied', session, origin, at }];
}

export type FactPlace = Pick<EntryAdded, 'session' | 'origin' | 'agent' | 'at' | 'copied'>;

export function placeAt({ isEcho }: RecordContext, { session, origin, agent }: FactPlace, at?: number): FactPlace {
  const place: Draft<FactPlace> = { session, origin, agent };
  if (at !== undefined) place.at = at;
  if (isEcho) place.copied = isEcho;
  return place;
}

/** A main agent has no type. */
function seenBy(
  info: JsonObject,
  { session, settings }: RecordContext,
  place: FactPlace,
  provider: string | undefined,
): readonly AgentEvent[] {
  const { agent } = place;
  const type = agent === mainAgentOf(session) ? undefined : asText(info['agent']);
  const effort = asText(info['variant']);
  const said = `${provider}\n${type}\n${effort}`;
  if (settings?.get(agent) === said) return [];
  settings?.set(agent, said);
  return [{ kind: 'agent-seen', ...place, ...known({ at: createdAtOf(info), provider, type, effort }) }];
}

function errorFacts(id: string, error: JsonObject, place: FactPlace, isMain: boolean): readonly AgentEvent[] {
  const isStop = error['name'] === 'MessageAbortedError';
  const entry = { kind: 'entry-added', ...place, entry: isStop ? 'interruption' : 'failure', id } as const;
  if (isMain) return [entry];
  return [
    entry,
    isStop ? endFact(place, 'stopped', 'interrupted') : endFact(place, 'failed', firstLine(errorText(error))),
  ];
}

export function errorText(error: JsonObject | undefined): string | undefined {
  return asText(asObject(error?.['data'])?.['message']) ?? asText(error?.['name']);
}

export function endFact({ copied: _copied, ...place }: FactPlace, outcome: RunOutcome, reason?: string): AgentEvent {
  return { kind: 'run-ended', ...place, signal: 'transcript', outcome, ...known({ reason }) };
}

/** Empty without tokens. The program counts reasoning tokens separately, and bills them as output. */
export function usageFacts(
  message: string,
  record: JsonObject,
  place: FactPlace,
  final = true,
): readonly UsageCounted[] {
  const tokens = asObject(record['tokens']);
  if (!tokens) return [];
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
  // Zero: the program knows no price, or the user has a subscription; the price list applies.
  const usd = asAmount(record['cost']);
  const model = asText(record['modelID']);
  const fact: Draft<UsageCounted> = { kind: 'usage-counted', ...place, message, usage, final };
  if (model !== undefined) fact.model = model;
  if (usd) fact.nanoUsd = Math.round(usd * 1e9);
  return [fact];
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
  const { createdAt: at, updatedAt, title, directory: cwd, version: hostVersion, deniedTools } = info;
  const place = { session, origin: originOf(context, at, false) };
  if (agent === mainAgentOf(session)) {
    if (context.begun) context.begun.at = at;
    const seen: readonly AgentEvent[] = [
      { kind: 'session-seen', ...place, ...known({ at, cwd, hostVersion }) },
      { kind: 'agent-seen', ...place, agent, ...known({ at, cwd, deniedTools }) },
    ];
    if (title === undefined || UNTITLED.test(title)) return seen;
    return [...seen, { kind: 'session-titled', ...place, title, titleKind: 'generated', ...known({ at: updatedAt }) }];
  }
  const [, ofTitle, byTitle] = OF_SUBAGENT.exec(title ?? '') ?? [];
  const description = ofTitle ?? (info.isSecond ? title : undefined);
  const type = info.agent ?? byTitle;
  const internal = type !== undefined && INTERNAL.has(type) ? type : undefined;
  const seen: AgentEvent = {
    kind: 'agent-seen',
    ...place,
    agent,
    ...known({ at, type, description, cwd, deniedTools, internal }),
    ...(internal !== undefined && { agentKind: 'internal' }),
  };
  if (info.parent === undefined) return [seen];
  const parent = agentIdOf(info.parent);
  return [seen, { kind: 'agent-linked', ...place, agent, evidence: 'session-record', parent }];
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
