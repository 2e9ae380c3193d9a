import { asAmount, asObject, asText, type JsonObject, known } from '../../../base/json.ts';
import type { AgentEvent, ReplyEnd, RunOutcome } from '../../../model/event.ts';
import { mainAgentOf } from '../../../model/ids.ts';
import type { Usage } from '../../../model/usage.ts';
import { agentIdOf, type Door, originOf } from '../record.ts';
import { firstLine } from '../tools.ts';

export interface MessageKey {
  readonly id: string;
  readonly session: string;
}

/** A reply that is still being written says nothing yet: neither how it ends nor what it used. */
export function isOver(info: JsonObject): boolean {
  if (info['role'] !== 'assistant') return true;
  return asAmount(asObject(info['time'])?.['completed']) !== undefined || asObject(info['error']) !== undefined;
}

export function createdAtOf(info: JsonObject | undefined): number | undefined {
  return asAmount(asObject(info?.['time'])?.['created']);
}

export function messageFacts({ id, session }: MessageKey, info: JsonObject, door: Door): readonly AgentEvent[] {
  const isReply = info['role'] === 'assistant';
  const createdAt = createdAtOf(info);
  const agent = agentIdOf(session);
  const place = { session: door.session, origin: originOf(door, createdAt, isReply), agent };
  const copied = door.isEcho;
  if (info['role'] === 'user')
    return [
      { kind: 'entry-added', ...place, entry: 'prompt', id, ...known({ at: createdAt, copied }) },
      ...seenBy(info, door, agent, place, asText(asObject(info['model'])?.['providerID'])),
    ];
  if (!isReply || !isOver(info)) return [];
  const seen = seenBy(info, door, agent, place, asText(info['providerID']));
  const at = asAmount(asObject(info['time'])?.['completed']) ?? createdAt;
  const when = known({ at, copied });
  const used = usageFacts(id, info, { ...place, ...known({ at: createdAt, copied }) });
  const error = asObject(info['error']);
  const isMain = agent === mainAgentOf(door.session);
  if (error) return [...seen, ...errorFacts(id, error, { ...place, ...when }, isMain), ...used];
  if (info['summary'] === true)
    return [
      ...used,
      { kind: 'agent-compacted', ...place, ...known({ at }) },
      // The conversation goes on behind it: it is nobody's last word.
      { kind: 'entry-added', ...place, entry: 'note', id, ...when },
    ];
  const end = endOf(asText(info['finish']));
  return [
    ...seen,
    { kind: 'entry-added', ...place, entry: 'reply', id, ...when, ...known({ end }) },
    ...used,
    ...(isMain || end === undefined || end === 'tools'
      ? []
      : [endFact({ ...place, ...known({ at }) }, 'completed', 'its turn ended')]),
  ];
}

interface FactPlace {
  readonly session: Door['session'];
  readonly origin: AgentEvent['origin'];
  readonly agent: ReturnType<typeof agentIdOf>;
  readonly at?: number;
  readonly copied?: true;
}

/** A main agent has no type: it is whoever the person speaks to. */
function seenBy(
  info: JsonObject,
  { session, told }: Door,
  agent: FactPlace['agent'],
  place: Omit<FactPlace, 'at'>,
  provider: string | undefined,
): readonly AgentEvent[] {
  const at = createdAtOf(info);
  const type = agent === mainAgentOf(session) ? undefined : asText(info['agent']);
  const effort = asText(info['variant']);
  const said = `${provider} ${type} ${effort}`;
  if (told?.get(agent) === said) return [];
  told?.set(agent, said);
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

function usageFacts(id: string, info: JsonObject, place: FactPlace): readonly AgentEvent[] {
  const tokens = asObject(info['tokens']);
  if (!tokens) return [];
  return [usageFact(id, tokens, info['cost'], place, asText(info['modelID']))];
}

/** The program counts what a model thought apart, and bills it like the rest of what it wrote. */
export function usageFact(
  message: string,
  tokens: JsonObject,
  cost: unknown,
  place: FactPlace,
  model?: string,
): AgentEvent {
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
  // Nothing: the program knows no price, or the person has a subscription. Then the price list decides.
  const usd = asAmount(cost) || undefined;
  const nanoUsd = usd === undefined ? undefined : Math.round(usd * 1e9);
  return { kind: 'usage-counted', ...place, message, usage, final: true, ...known({ model, nanoUsd }) };
}

/** Behind `tool-calls` and `unknown` the program asks its model again. */
export function endOf(finish: string | undefined): ReplyEnd | undefined {
  if (finish === undefined) return undefined;
  if (finish === 'tool-calls' || finish === 'unknown') return 'tools';
  return finish === 'stop' ? 'turn' : 'cut';
}
