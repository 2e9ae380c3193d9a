// `events.jsonl` line by line: one file for all agents of a session. Parsers of calls and agents are in `parse-calls.ts`.

import {
  type AgentId,
  type ModelUsage,
  mainAgentOf,
  NO_USAGE,
  nativeId,
  type SessionId,
  type SourceId,
  type ToolCallId,
  type Usage,
} from '../../core/index.ts';
import {
  asAmount,
  asInstant,
  asObject,
  asText,
  isObject,
  type JsonObject,
  known,
  parseJson,
  parseJsonBytes,
} from '../../lib/json.ts';
import type { SourceReader } from '../index.ts';
import {
  atOf,
  createAskedCommands,
  emitPrompt,
  emitTimed,
  emitTitle,
  type FactPlace,
  factsInLine,
  parseShort,
} from '../shared/index.ts';
import { type AgentState, agentIdOf, agentOf, emitChanges, eventId, type LineContext } from './line-context.ts';
import {
  endAgent,
  parseAgentCompleted,
  parseAgentConfigured,
  parseAgentFailed,
  parseAgentStarted,
  parseCallEnd,
  parseCallStart,
  parsePermissionAsked,
  parsePermissionGiven,
} from './parse-calls.ts';
import { type EventRecord, eventInLine, isIgnored } from './record.ts';

/** Parsers never throw on data. */
const PARSERS: ReadonlyMap<string, (context: LineContext) => void> = new Map([
  ['session.start', parseStart],
  ['session.resume', parseStart],
  ['session.context_changed', parseStart],
  ['session.model_change', parseModelChange],
  ['session.error', parseError],
  ['session.compaction_complete', parseCompaction],
  ['session.truncation', parseTruncation],
  ['session.usage_record', parseUsage],
  ['session.shutdown', parseShutdown],
  ['user.message', parsePrompt],
  ['assistant.message', parseReply],
  ['system.notification', (context) => emitEntry(context, 'note')],
  ['abort', (context) => emitEntry(context, 'interruption')],
  ['tool.execution_start', parseCallStart],
  ['tool.user_requested', parseCallStart],
  ['tool.execution_complete', parseCallEnd],
  ['permission.requested', parsePermissionAsked],
  ['permission.completed', parsePermissionGiven],
  ['subagent.started', parseAgentStarted],
  ['subagent.configured', parseAgentConfigured],
  ['subagent.completed', parseAgentCompleted],
  ['subagent.failed', parseAgentFailed],
]);

export function isKnownType(type: string): boolean {
  return PARSERS.has(type) || isIgnored(type);
}

export function createEventReader(session: SessionId, source: SourceId): SourceReader {
  const main = mainAgentOf(session);
  const states = new Map<AgentId, AgentState>();
  const writtenTo = new Map<AgentId, ToolCallId>();

  const isAwaited = (bytes: Uint8Array): boolean =>
    [...states.values()].some(({ commands }) => commands.areNamedIn(bytes));
  const parse = (record: EventRecord, place: FactPlace): void => {
    const { type, data } = record;
    const parser = PARSERS.get(type);
    if (!parser) {
      const diagnostic = { code: 'unknown-record', detail: type.slice(0, 80), origin: place.origin } as const;
      if (!isIgnored(type)) place.emit({ kind: 'problem-found', diagnostic });
      return;
    }
    const agent = agentOf(record, session);
    const state = states.get(agent) ?? createAgentState();
    states.set(agent, state);
    parser({ ...place, agent, isMain: agent === main, record, ...atOf(record), data, state, writtenTo });
  };

  return {
    read: (line) =>
      factsInLine(session, source, line, eventInLine(line, isAwaited(line.bytes) ? parseJsonBytes : parseShort), parse),
  };
}

function createAgentState(): AgentState {
  const commands = createAskedCommands();
  return { isPrompted: false, isOver: false, isResumed: false, toolOf: new Map(), commands, lastSeen: new Map() };
}

function emitEntry(context: LineContext, entry: 'failure' | 'interruption' | 'note'): void {
  emitTimed(context, { kind: 'entry-added', entry, id: eventId(context.record) });
}

/** `session.start`, `session.resume`, `session.context_changed`. */
function parseStart(context: LineContext): void {
  const { isMain, record, data } = context;
  const place = asObject(data['context']) ?? data;
  const cwd = asText(place['cwd']);
  const branch = asText(place['branch']);
  emitTimed(context, { kind: 'agent-seen', ...known({ cwd, branch }) });
  emitChanges(context, { model: asText(data['selectedModel']), effort: asText(data['reasoningEffort']) });
  if (!isMain) return;
  const hostVersion = asText(data['copilotVersion']);
  // Every version that writes such files keeps a lock beside them while it runs.
  const keepsProcessRecords = record.type === 'session.start' ? true : undefined;
  context.emit({ kind: 'session-seen', ...atOf(context), ...known({ cwd, branch, hostVersion, keepsProcessRecords }) });
}

function parseModelChange(context: LineContext): void {
  const { data } = context;
  emitChanges(context, { model: asText(data['newModel']), effort: asText(data['reasoningEffort']) });
}

/** Errors of a request to the model; others, such as an MCP server that does not answer, do not end the turn. */
const OF_REQUEST = new Set([
  'query',
  'authentication',
  'authorization',
  'policy',
  'quota',
  'rate_limit',
  'context_limit',
]);

function parseError(context: LineContext): void {
  if (OF_REQUEST.has(asText(context.data['errorType']) ?? '')) emitEntry(context, 'failure');
}

function parseCompaction(context: LineContext): void {
  const { data } = context;
  if (data['success'] !== true) return;
  const parts = ['systemTokens', 'conversationTokens', 'toolDefinitionsTokens'].map((key) => asAmount(data[key]));
  const sum = parts.some((part) => part === undefined) ? undefined : parts.reduce((a = 0, b = 0) => a + b, 0);
  const tokensBefore = asAmount(data['preCompactionTokens']);
  const tokensAfter = sum ?? asAmount(data['postCompactionTokens']);
  emitTimed(context, { kind: 'agent-compacted', ...known({ tokensBefore, tokensAfter }) });
}

function parseTruncation(context: LineContext): void {
  const tokensBefore = asAmount(context.data['preTruncationTokensInMessages']);
  const tokensAfter = asAmount(context.data['postTruncationTokensInMessages']);
  emitTimed(context, { kind: 'agent-compacted', ...known({ tokensBefore, tokensAfter }) });
}

function parseShutdown(context: LineContext): void {
  if (!context.isMain) return;
  context.emit({ kind: 'session-closed' });
  emitTotals(context);
}

/** Tokens of a request (about 1.0.10x and later), before the reply that it belongs to. */
function parseUsage(context: LineContext): void {
  const raw = asObject(context.data['usage']);
  if (!raw) return;
  const message = asText(raw['apiCallId']) ?? eventId(context.record);
  const model = known({ model: asText(raw['model']) });
  emitTimed(context, { kind: 'usage-counted', message, usage: toUsage(raw), final: true, ...model });
  emitChanges(context, { contextWindow: asAmount(raw['maxPromptTokens']) });
}

/** `inputTokens` includes the tokens from the cache. */
function toUsage(raw: JsonObject): Usage {
  const cacheRead = asAmount(raw['cacheReadTokens']) ?? 0;
  const cacheWrite = asAmount(raw['cacheWriteTokens']) ?? 0;
  const input = Math.max(0, (asAmount(raw['inputTokens']) ?? 0) - cacheRead - cacheWrite);
  return { ...NO_USAGE, input, output: asAmount(raw['outputTokens']) ?? 0, cacheRead, cacheWrite };
}

/** Sums of each agent since the session began, across processes that resumed it (1.0.8x and later). The main agent is `main`. */
function emitTotals({ session, data, at, emit }: LineContext): void {
  if (at === undefined) return;
  const agents = Object.entries(asObject(data['agentMetrics']) ?? {});
  for (const [native, metrics] of agents) {
    const agent = native === 'main' ? mainAgentOf(session) : agentIdOf(native);
    const byModel = byModelIn(asObject(metrics));
    if (byModel.length > 0) emit({ kind: 'usage-totalled', agent, at, byModel });
  }
  // Up to 1.0.78 only the sum of all agents tells how many tokens went in: no record has the input of one agent (README.md).
  const [from, byModel] = [asAmount(data['sessionStartTime']), byModelIn(data)];
  if (agents.length === 0 && from !== undefined && byModel.length > 0)
    emit({ kind: 'session-totalled', from, at, byModel });
}

function byModelIn(metrics: JsonObject | undefined): readonly ModelUsage[] {
  return Object.entries(asObject(metrics?.['modelMetrics']) ?? {})
    .map(([model, sums]) => ({ model, usage: toUsage(asObject(asObject(sums)?.['usage']) ?? {}) }))
    .sort((a, b) => (a.model < b.model ? -1 : 1));
}

function parsePrompt(context: LineContext): void {
  const { agent, isMain, state, record, data } = context;
  const id = messageIdOf(record);
  if (state.isOver) {
    state.isOver = false;
    state.isResumed = true;
    emitTimed(context, { kind: 'run-resumed', id, ...known({ call: context.writtenTo.get(agent) }) });
  }
  emitTimed(context, { kind: 'entry-added', entry: 'prompt', id });
  const text = asText(data['content']) ?? '';
  if (text.trim() === '' || isHostPrompt(data)) return;
  if (state.isPrompted) {
    emitTitle(context, text);
    return;
  }
  state.isPrompted = true;
  emitPrompt(context, text);
  if (!isMain) linkToSender(context);
}

/** `agent-<id>`: the agent that sent the task (about 1.0.9x and later). The main agent has the session's id. */
function linkToSender({ agent, session, data, emit }: LineContext): void {
  const native = /^agent-(.+)$/.exec(asText(data['source']) ?? '')?.[1];
  if (native === undefined) return;
  const parent = native === nativeId(session) ? mainAgentOf(session) : agentIdOf(native);
  emit({ kind: 'agent-linked', agent, evidence: 'own-record', parent });
}

/** Added by the program itself: a skill's text, an autopilot continuation. */
export function isHostPrompt(data: JsonObject): boolean {
  const source = asText(data['source']);
  const isFromSomebody = source === undefined || source === 'user' || source.startsWith('agent-');
  return !isFromSomebody || data['isAutopilotContinuation'] === true;
}

function parseReply(context: LineContext): void {
  const { record, data } = context;
  const id = messageIdOf(record);
  const end = requestsIn(data).length > 0 || !isLastChunk(data) ? 'tools' : 'turn';
  emitTimed(context, { kind: 'entry-added', entry: 'reply', id, end });
  emitChanges(context, { model: asText(data['model']) });
  emitOutput(id, context);
  // A resumed agent ends without an event: its last reply is the only sign.
  if (end === 'turn' && context.state.isResumed) endAgent(context, 'completed');
}

/** All parts of one reply share the id of its request; texts by the host in the model's place have none. */
export function messageIdOf(record: EventRecord): string {
  return asText(record.data['apiCallId']) ?? asText(record.data['messageId']) ?? eventId(record);
}

/** The calls of a reply. */
export function requestsIn(data: JsonObject): readonly JsonObject[] {
  return Array.isArray(data['toolRequests']) ? data['toolRequests'].filter(isObject) : [];
}

function isLastChunk(data: JsonObject): boolean {
  const count = asAmount(data['chunkCount']);
  return count === undefined || asAmount(data['chunkIndex']) === count - 1;
}

/**
 * Up to about 1.0.8x a reply has its output tokens, and nothing has its input tokens; later versions have neither until they write
 * `session.usage_record`. So the count is a minimum, and has no model, which keeps it out of the fill of the context.
 */
function emitOutput(message: string, context: LineContext): void {
  const output = asAmount(context.data['outputTokens']);
  // Texts by the host in the model's place cost nothing.
  if (output === undefined && asText(context.data['model']) === undefined) return;
  const usage = { ...NO_USAGE, output: output ?? 0 };
  emitTimed(context, { kind: 'usage-counted', message, usage, final: false });
}

/** `workspace.yaml`: a few fields of a session. Only the name given by the user or the program is used. */
export function createWorkspaceReader(session: SessionId, source: SourceId): SourceReader {
  return {
    read({ bytes, length }) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
      // `summary` up to about 1.0.3x.
      const name = fieldIn(text, 'name') ?? fieldIn(text, 'summary');
      if (name === undefined) return [];
      const titleKind = fieldIn(text, 'user_named') === 'true' ? 'custom' : 'generated';
      const at = asInstant(fieldIn(text, 'updated_at'));
      const origin = { source, offset: 0, length };
      return [{ kind: 'session-titled', session, origin, title: name, titleKind, ...known({ at }) }];
    },
  };
}

/**
 * A top-level field with a value on one line, bare or quoted: the program writes nothing else. A value on several lines is
 * ignored.
 */
function fieldIn(yaml: string, key: string): string | undefined {
  const raw = new RegExp(`^${key}: *(.*)$`, 'm').exec(yaml)?.[1]?.trim();
  if (raw === undefined || raw === '' || /^[|>&*!]/.test(raw)) return undefined;
  if (raw.startsWith("'")) return /^'((?:[^']|'')*)'$/.exec(raw)?.[1]?.replaceAll("''", "'");
  if (!raw.startsWith('"')) return raw;
  const value = parseJson(raw);
  return typeof value === 'string' ? value : undefined;
}
