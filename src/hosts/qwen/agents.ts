// How an agent is requested, linked to its call, and ended: in calls and their results, in notifications, in its sidecar file.

import { type AgentId, mainAgentOf, type RunOutcome, toToolCallId } from '../../core/index.ts';
import {
  asAmount,
  asFlag,
  asInstant,
  asObject,
  asText,
  type JsonObject,
  known,
  parseJsonBytes,
  recordInLine,
} from '../../lib/json.ts';
import type { LocatedSession, LocatedSource, SourceReader, SpawnExchange } from '../index.ts';
import {
  type CallEnd,
  emitTimed,
  type FactPlace,
  factsInLine,
  firstLine,
  type PartCall,
  type PartResponse,
  promptFact,
  readResult,
} from '../shared/index.ts';
import { agentIdOf, type LineContext } from './record.ts';

/** `task` up to about 0.10. */
export const SPAWNING: ReadonlySet<string> = new Set(['agent', 'task']);
export const ABOUT_AGENTS: ReadonlySet<string> = new Set([...SPAWNING, 'send_message', 'task_stop']);

export function readSpawn(input: JsonObject) {
  const prompt = asText(input['prompt']);
  return known({
    type: asText(input['subagent_type']),
    description: asText(input['description']),
    prompt: prompt === undefined ? undefined : promptFact(prompt),
    background: asFlag(input['run_in_background']),
  });
}

export const LAUNCHED = /^Background agent launched/;

/**
 * `display`: what the host shows on the screen; only the main agent's file has it. The outcome is the agent's: the call itself
 * succeeded.
 */
export function readAgentResult(
  call: PartCall,
  { text, isError }: PartResponse,
  display: JsonObject | undefined,
  context: LineContext,
) {
  const outcome = outcomeOfStatus(asText(display?.['status']));
  const spawns = SPAWNING.has(call.tool);
  if (!isError) linkAgent(call, text, display, context);
  return {
    isLaunch: spawns && (display?.['status'] === 'background' || LAUNCHED.test(text)),
    ...known({
      outcome: spawns ? outcome : undefined,
      reason: outcome === 'completed' ? undefined : asText(display?.['terminateReason']),
    }),
  };
}

function linkAgent(
  { tool, id = '', input }: PartCall,
  text: string,
  display: JsonObject | undefined,
  context: LineContext,
): void {
  const { agent, emit } = context;
  const call = toToolCallId(id);
  const other = asText(input['task_id']);
  if (tool === 'send_message' && other !== undefined)
    emitTimed(context, { kind: 'run-resumed', agent: agentIdOf(other), id, call });
  if (tool === 'task_stop' && other !== undefined)
    emitTimed(context, { kind: 'run-ended', agent: agentIdOf(other), signal: 'stop-call', outcome: 'stopped' });
  if (!SPAWNING.has(tool)) return;
  const named = agentNamedIn(text) ?? agentByDisplay(display, id);
  if (named === undefined) return;
  const child = agentIdOf(named);
  emit({ kind: 'agent-linked', agent: child, evidence: 'result', call, parent: agent });
  if (outcomeOfStatus(asText(display?.['status'])) === 'stopped')
    emitTimed(context, { kind: 'run-ended', agent: child, signal: 'result', outcome: 'stopped', call });
}

/** `task_id:` (0.2x), `agentId:` before. */
function agentNamedIn(text: string): string | undefined {
  return LAUNCHED.test(text) ? /^(?:task_id|agentId): (\S+)/m.exec(text)?.[1] : undefined;
}

/** 0.21 reports the call as successful although there is no such agent. */
const NO_SUCH_AGENT = /^Subagent "[^"]*" not found/;

/** Up to about 0.20 an agent that its parent waits for leaves no file. All versions build its id from type and call. */
function agentByDisplay(display: JsonObject | undefined, call: string): string | undefined {
  const type = asText(display?.['subagentName']);
  if (display?.['type'] !== 'task_execution' || type === undefined) return undefined;
  return NO_SUCH_AGENT.test(asText(display['terminateReason']) ?? '') ? undefined : `${type}-${call}`;
}

export function readSpawnExchange(input: unknown, result: string | undefined): SpawnExchange {
  const answer = result === undefined || LAUNCHED.test(result) ? undefined : result;
  return known({ prompt: asText(asObject(input)?.['prompt']), answer });
}

const OUTCOMES: ReadonlyMap<string, RunOutcome> = new Map(
  Object.entries({ completed: 'completed', failed: 'failed', cancelled: 'stopped' } as const),
);

/** `status` in notifications, results and sidecar files; undefined while the agent is working. */
export function outcomeOfStatus(status: string | undefined): RunOutcome | undefined {
  return OUTCOMES.get(status ?? '');
}

/**
 * `<task-notification>`: a summary in one line by the host, and a report, which is the agent's last message. That is free text and may
 * contain the same tags: only those before it count.
 */
export function parseNotification(text: string) {
  const from = text.indexOf('<result>');
  const to = text.lastIndexOf('</result>');
  const head = from === -1 ? text : text.slice(0, from);
  const agent = tagIn(head, 'task-id');
  const outcome = outcomeOfStatus(tagIn(head, 'status'));
  if (agent === undefined || outcome === undefined) return undefined;
  const report = from === -1 ? undefined : text.slice(from + '<result>'.length, to < from ? undefined : to).trim();
  return { agent, outcome, ...known({ summary: tagIn(head, 'summary'), report }) };
}

function tagIn(text: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(text)?.[1]?.trim() || undefined;
}

/** A hook, a rule or the user denied it, or the turn was cancelled: only the text says so. */
const REFUSED =
  /^(?:Tool call cancelled|\[Operation Cancelled\]|.{0,200}\b(?:denied|blocked) by (?:hook|permission|user))/i;

/** `details`: `toolCallResult`, which is almost empty in the files of sub-agents. */
export function outcomeOf({ text, isError }: PartResponse, details: JsonObject | undefined): CallEnd {
  const status = asText(details?.['status']);
  const errorType = asText(details?.['errorType']);
  if (status === 'cancelled' || errorType === 'execution_denied' || (isError && REFUSED.test(text)))
    return { outcome: 'refused' };
  const isUnrun = errorType === 'invalid_tool_params' || errorType === 'tool_not_registered';
  if (isError || status === 'error') return isUnrun ? { outcome: 'error', unrun: true } : { outcome: 'error' };
  // A command that failed is reported as a success.
  return { outcome: readResult(text).exitCode === undefined ? 'ok' : 'error' };
}

export function displayOf(details: JsonObject | undefined): JsonObject | undefined {
  return asObject(details?.['resultDisplay']);
}

/** `agent-<agent>.meta.json`, beside an agent's conversation: its parent and its status. */
export function createSidecarReader({ id: session }: LocatedSession, source: LocatedSource): SourceReader {
  const agent = source.agent ?? mainAgentOf(session);
  return {
    read: (line) =>
      factsInLine(session, source.id, line, recordInLine(line, parseJsonBytes), (facts, place) =>
        readSidecar(facts, agent, place),
      ),
  };
}

function readSidecar(facts: JsonObject, agent: AgentId, { session, emit }: FactPlace): void {
  const call = asText(facts['toolUseId']);
  const parent = asText(facts['parentAgentId']);
  const outcome = outcomeOfStatus(asText(facts['status']));
  const depth = asAmount(facts['depth']);
  const flags = asObject(facts['persistedCliFlags']);
  emit({
    kind: 'agent-seen',
    agent,
    agentKind: 'task',
    ...known({
      at: asInstant(facts['createdAt']),
      type: asText(facts['agentType']) ?? asText(facts['subagentName']),
      description: asText(facts['description']),
      model: asText(facts['model']) ?? asText(flags?.['model']),
      background: asFlag(facts['isBackgrounded']),
      // The host counts from the first sub-agent, troupe from the main agent.
      depth: depth === undefined ? undefined : depth + 1,
    }),
  });
  emit({
    kind: 'agent-linked',
    agent,
    evidence: 'sidecar',
    parent: parent === undefined ? mainAgentOf(session) : agentIdOf(parent),
    ...(call !== undefined && { call: toToolCallId(call) }),
  });
  const ended = known({ at: asInstant(facts['lastUpdatedAt']), reason: firstLine(asText(facts['lastError'])) });
  if (outcome) emit({ kind: 'run-ended', agent, signal: 'sidecar', outcome, ...ended });
}
