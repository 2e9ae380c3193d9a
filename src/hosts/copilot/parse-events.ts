// `events.jsonl` line by line: one file for all agents of a session. Every kind of line has its parser in lines/.

import {
  type AgentEvent,
  type AgentId,
  mainAgentOf,
  NO_USAGE,
  nativeId,
  type SessionId,
  type SourceId,
  type ToolCallId,
  type Usage,
} from '../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject, known } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { SourceReader } from '../index.ts';
import { createAskedCommands } from '../shared/index.ts';
import {
  type AgentState,
  agentIdOf,
  agentOf,
  atOf,
  createAgentState,
  eventId,
  type LineContext,
  type LineParser,
  promptFact,
  tellNews,
} from './line-context.ts';
import {
  parseAgentCompleted,
  parseAgentConfigured,
  parseAgentFailed,
  parseAgentStarted,
  parseCallEnd,
  parseCallStart,
  parsePermissionAsked,
  parsePermissionGiven,
} from './parse-calls.ts';
import { type EventRecord, isWithoutNews, parseLine, parseWhole, recordsIn } from './record.ts';
import { firstLine } from './tools.ts';

/** `session.start`, `session.resume`, `session.context_changed`. */
export const parseStart: LineParser = (context) => {
  const { agent, isMain, record } = context;
  const { data } = record;
  const place = asObject(data['context']) ?? data;
  const cwd = asText(place['cwd']);
  const branch = asText(place['branch']);
  context.emit({ kind: 'agent-seen', agent, ...atOf(context), ...known({ cwd, branch }) });
  tellNews(context, { model: asText(data['selectedModel']), effort: asText(data['reasoningEffort']) });
  if (!isMain) return;
  const hostVersion = asText(data['copilotVersion']);
  // Every version that writes such files leaves a lock beside them while it runs.
  const keepsProcessRecords = record.type === 'session.start' ? true : undefined;
  context.emit({ kind: 'session-seen', ...atOf(context), ...known({ cwd, branch, hostVersion, keepsProcessRecords }) });
};

export const parseModelChange: LineParser = (context) => {
  const { data } = context.record;
  tellNews(context, { model: asText(data['newModel']), effort: asText(data['reasoningEffort']) });
};

/** Errors of a request to the model; others (a server of tools that does not answer) end no turn. */
const OF_REQUEST = new Set([
  'query',
  'authentication',
  'authorization',
  'policy',
  'quota',
  'rate_limit',
  'context_limit',
]);

export const parseError: LineParser = (context) => {
  const { agent, record } = context;
  if (!OF_REQUEST.has(asText(record.data['errorType']) ?? '')) return;
  context.emit({ kind: 'entry-added', agent, entry: 'failure', id: eventId(record), ...atOf(context) });
};

/** The person stopped the turn. */
export const parseAbort: LineParser = (context) => {
  const { agent, record } = context;
  context.emit({ kind: 'entry-added', agent, entry: 'interruption', id: eventId(record), ...atOf(context) });
};

export const parseCompaction: LineParser = (context) => {
  const { agent, record } = context;
  const { data } = record;
  if (data['success'] !== true) return;
  const parts = ['systemTokens', 'conversationTokens', 'toolDefinitionsTokens'].map((key) => asAmount(data[key]));
  const sum = parts.some((part) => part === undefined) ? undefined : parts.reduce((a = 0, b = 0) => a + b, 0);
  context.emit({
    kind: 'agent-compacted',
    agent,
    ...atOf(context),
    ...known({
      tokensBefore: asAmount(data['preCompactionTokens']),
      tokensAfter: sum ?? asAmount(data['postCompactionTokens']),
    }),
  });
};

export const parseTruncation: LineParser = (context) => {
  const { agent, record } = context;
  context.emit({
    kind: 'agent-compacted',
    agent,
    ...atOf(context),
    ...known({
      tokensBefore: asAmount(record.data['preTruncationTokensInMessages']),
      tokensAfter: asAmount(record.data['postTruncationTokensInMessages']),
    }),
  });
};

/** The process ended in good order. */
export const parseShutdown: LineParser = (context) => {
  if (!context.isMain) return;
  context.emit({ kind: 'session-closed' });
  noteTotals(context);
};

/** In front of the reply that it is about. */
export const parseUsage: LineParser = (context) => {
  const { agent, record } = context;
  const raw = asObject(record.data['usage']);
  if (!raw) return;
  const message = asText(raw['apiCallId']) ?? eventId(record);
  const model = known({ model: asText(raw['model']) });
  context.emit({ kind: 'usage-counted', agent, message, usage: toUsage(raw), final: true, ...model, ...atOf(context) });
  tellNews(context, { contextWindow: asAmount(raw['maxPromptTokens']) });
};

/** `inputTokens` holds what came from the cache, too. */
function toUsage(raw: JsonObject): Usage {
  const cacheRead = asAmount(raw['cacheReadTokens']) ?? 0;
  const cacheWrite = asAmount(raw['cacheWriteTokens']) ?? 0;
  const input = Math.max(0, (asAmount(raw['inputTokens']) ?? 0) - cacheRead - cacheWrite);
  return { ...NO_USAGE, input, output: asAmount(raw['outputTokens']) ?? 0, cacheRead, cacheWrite };
}

/** Sums since the session began, also over processes that took it up again; the main agent is `main`. */
export function noteTotals(context: LineContext): void {
  const { record, session } = context;
  if (record.at === undefined) return;
  for (const [native, metrics] of Object.entries(asObject(record.data['agentMetrics']) ?? {})) {
    const agent = native === 'main' ? mainAgentOf(session) : agentIdOf(native);
    const models = Object.entries(asObject(asObject(metrics)?.['modelMetrics']) ?? {});
    const byModel = models.map(([model, sums]) => ({
      model,
      usage: toUsage(asObject(asObject(sums)?.['usage']) ?? {}),
    }));
    byModel.sort((a, b) => (a.model < b.model ? -1 : 1));
    if (byModel.length > 0) context.emit({ kind: 'usage-totalled', agent, at: record.at, byModel });
  }
}

export const parsePrompt: LineParser = (context) => {
  const { agent, isMain, state, record } = context;
  const { data } = record;
  const id = messageIdOf(record);
  if (state.isOver) {
    state.isOver = false;
    state.isResumed = true;
    context.emit({
      kind: 'run-resumed',
      agent,
      id,
      ...known({ call: context.writtenTo.get(agent) }),
      ...atOf(context),
    });
  }
  context.emit({ kind: 'entry-added', agent, entry: 'prompt', id, ...atOf(context) });
  const text = asText(data['content']) ?? '';
  if (state.isPrompted || text.trim() === '' || isHostPrompt(data)) return;
  state.isPrompted = true;
  context.emit({ kind: 'agent-prompted', agent, prompt: promptFact(text), ...atOf(context) });
  const title = firstLine(text);
  if (isMain && title !== undefined)
    context.emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(context) });
  if (!isMain) noteSender(data, context);
};

/** `agent-<id>`: who gave an agent its task (about 1.0.9x and later). The main agent has the session's id. */
function noteSender(data: JsonObject, { agent, session, emit }: LineContext): void {
  const native = /^agent-(.+)$/.exec(asText(data['source']) ?? '')?.[1];
  if (native === undefined) return;
  const parent = native === nativeId(session) ? mainAgentOf(session) : agentIdOf(native);
  emit({ kind: 'agent-linked', agent, evidence: 'own-record', parent });
}

/** Put into the conversation by the program itself: a skill's text, a push to go on. */
export function isHostPrompt(data: JsonObject): boolean {
  const source = asText(data['source']);
  const isFromSomebody = source === undefined || source === 'user' || source.startsWith('agent-');
  return !isFromSomebody || data['isAutopilotContinuation'] === true;
}

export const parseReply: LineParser = (context) => {
  const { agent, record } = context;
  const { data } = record;
  const id = messageIdOf(record);
  const end = hasCalls(data) || !isLastChunk(data) ? 'tools' : 'turn';
  context.emit({ kind: 'entry-added', agent, entry: 'reply', id, end, ...atOf(context) });
  tellNews(context, { model: asText(data['model']) });
  noteOutput(id, data, context);
  if (end === 'turn' && context.state.isResumed) endAgain(context);
};

/** An agent that was set to work again comes to its end without an event: its last words are all there is. */
function endAgain(context: LineContext): void {
  context.state.isOver = true;
  const { agent } = context;
  context.emit({ kind: 'run-ended', agent, signal: 'transcript', outcome: 'completed', ...atOf(context) });
}

/** All parts of one answer of the model share the id of its request; what the host says in the model's place has none. */
export function messageIdOf(record: EventRecord): string {
  return asText(record.data['apiCallId']) ?? asText(record.data['messageId']) ?? eventId(record);
}

/** Each of them has a line of its own when it begins: there it stands in the order of the calls. */
function hasCalls(data: JsonObject): boolean {
  return Array.isArray(data['toolRequests']) && data['toolRequests'].some(isObject);
}

function isLastChunk(data: JsonObject): boolean {
  const count = asAmount(data['chunkCount']);
  return count === undefined || asAmount(data['chunkIndex']) === count - 1;
}

/**
 * Up to about 1.0.8x the reply says how much was said, and nobody how much was read; after that nobody says either, until
 * `session.usage_record` came: until a surer number is there, all of it is a least. Without a model the number stays out of
 * the fill of the context, which it says nothing about.
 */
function noteOutput(message: string, data: JsonObject, context: LineContext): void {
  const output = asAmount(data['outputTokens']);
  // What the host says in the model's place (a call of its own) costs nothing.
  if (output === undefined && asText(data['model']) === undefined) return;
  const usage = { ...NO_USAGE, output: output ?? 0 };
  context.emit({ kind: 'usage-counted', agent: context.agent, message, usage, final: false, ...atOf(context) });
}

/** The host tells the model about something in the background. */
export const parseNotification: LineParser = (context) => {
  const { agent, record } = context;
  context.emit({ kind: 'entry-added', agent, entry: 'note', id: eventId(record), ...atOf(context) });
};

const PARSERS: ReadonlyMap<string, LineParser> = new Map([
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
  ['system.notification', parseNotification],
  ['abort', parseAbort],
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
  return PARSERS.has(type) || isWithoutNews(type);
}

export function createEventReader(session: SessionId, source: SourceId): SourceReader {
  const main = mainAgentOf(session);
  const states = new Map<AgentId, AgentState>();
  const writtenTo = new Map<AgentId, ToolCallId>();

  const isAwaited = (bytes: Uint8Array): boolean =>
    [...states.values()].some(({ commands }) => commands.areNamedIn(bytes));
  const readRecord = (record: EventRecord): readonly AgentEvent[] => {
    const events: AgentEvent[] = [];
    const origin = { source, offset: record.offset, length: record.length };
    const place = { session, origin };
    const emit: LineContext['emit'] = (event) => events.push(Object.assign(event, place) as AgentEvent);
    const parser = PARSERS.get(record.type);
    if (!parser) {
      if (!isWithoutNews(record.type))
        emit({
          kind: 'problem-found',
          diagnostic: { code: 'unknown-record', detail: record.type.slice(0, 80), origin },
        });
      return events;
    }
    const agent = agentOf(record, session);
    const state = states.get(agent) ?? createAgentState(createAskedCommands());
    states.set(agent, state);
    parser({ session, agent, isMain: agent === main, record, origin, state, writtenTo, emit });
    return events;
  };

  return {
    read(line: Line) {
      const { records, problem } = recordsIn(line, isAwaited(line.bytes) ? parseWhole : parseLine);
      const events = records.flatMap(readRecord);
      if (!problem) return events;
      const origin = { source, offset: line.offset, length: line.length };
      return [{ kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } }, ...events];
    },
  };
}

export function createWorkspaceReader(session: SessionId, source: SourceId): SourceReader {
  return {
    read({ bytes, length }) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
      // `summary` up to about 1.0.3x.
      const name = fieldIn(text, 'name') ?? fieldIn(text, 'summary');
      if (name === undefined) return [];
      const titleKind = fieldIn(text, 'user_named') === 'true' ? 'custom' : 'generated';
      const at = Date.parse(fieldIn(text, 'updated_at') ?? '');
      const origin = { source, offset: 0, length };
      const titled = { kind: 'session-titled', session, origin, title: name, titleKind } as const;
      return [{ ...titled, ...known({ at: Number.isNaN(at) ? undefined : at }) } satisfies AgentEvent];
    },
  };
}

/**
 * A field of the topmost level with a value of one line: bare, or in quotes. The program writes nothing else there; a
 * value over several lines is left out rather than half read.
 */
function fieldIn(yaml: string, key: string): string | undefined {
  const raw = new RegExp(`^${key}: *(.*)$`, 'm').exec(yaml)?.[1]?.trim();
  if (raw === undefined || raw === '' || /^[|>&*!]/.test(raw)) return undefined;
  if (raw.startsWith("'")) return /^'((?:[^']|'')*)'$/.exec(raw)?.[1]?.replaceAll("''", "'");
  if (!raw.startsWith('"')) return raw;
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
