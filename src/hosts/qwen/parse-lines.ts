// A conversation line by line: of the main agent, or of a sub-agent.

import { type AgentEvent, mainAgentOf, NO_USAGE, toToolCallId, type Usage } from '../../core/index.ts';
import {
  asAmount,
  asObject,
  asText,
  isObject,
  type JsonObject,
  known,
  parseJsonBytes,
  recordInLine,
} from '../../lib/json.ts';
import { createLineSplitter } from '../../lib/lines.ts';
import type { ByteRange, LocatedSession, LocatedSource, SourceReader } from '../index.ts';
import {
  callsIn,
  createAskedCommands,
  fileWrittenBy,
  firstLine,
  isShell,
  type PartCall,
  type PartResponse,
  readResult,
  responsesIn,
  spokenIn,
  summarise,
  toUsage,
} from '../shared/index.ts';
import { displayOf, isAboutAgents, outcomeOf, parseNotification, readAgentResult, requestAgent } from './agents.ts';
import {
  agentIdOf,
  atOf,
  BEGINNINGS,
  type ConversationState,
  idOf,
  kindOf,
  type LineContext,
  parseShort,
  partsIn,
  promptFact,
} from './record.ts';

/** Parsers never throw on data. */
const PARSERS: ReadonlyMap<string, (context: LineContext) => void> = new Map([
  ['user', parsePrompt],
  ['assistant', parseReply],
  ['tool_result', parseResult],
  ['system/custom_title', parseTitle],
  ['system/chat_compression', parseCompression],
  ['system/ui_telemetry', parseTelemetry],
]);

/** Known kinds without facts. Any other is counted as `unknown-record`. */
const IGNORED = new Set(
  [
    'agent_session_ready',
    'at_command',
    'attribution_snapshot',
    'background_task_completed',
    'branch_checkpoint',
    'continue_last_turn',
    'file_history_snapshot',
    'goal_runtime',
    'goal_state',
    'goal_turn_end',
    'parent_session',
    'rewind',
    'session_artifact_event',
    'session_artifact_snapshot',
    'session_model',
    'session_recording_degraded',
    'session_source',
    'session_sources_snapshot',
    'slash_command',
    'turn_result',
    'user_text_elements',
  ].map((subtype) => `system/${subtype}`),
);

export function isKnownKind(kind: string): boolean {
  return PARSERS.has(kind) || IGNORED.has(kind);
}

export function createConversationReader({ id: session }: LocatedSession, source: LocatedSource): SourceReader {
  const agent = source.agent ?? mainAgentOf(session);
  const isMain = source.agent === undefined;
  const state: ConversationState = { asked: new Map(), commands: createAskedCommands(), lastSeen: new Map() };
  const readRecord = (record: JsonObject, place: ByteRange): readonly AgentEvent[] => {
    const events: AgentEvent[] = [];
    const origin = { source: source.id, offset: place.offset, length: place.length };
    const emit: LineContext['emit'] = (event) => events.push(Object.assign(event, { session, origin }) as AgentEvent);
    const context = { session, agent, isMain, record, origin, state, emit };
    const kind = kindOf(record);
    if (isKnownKind(kind)) {
      emitChanges(context);
      PARSERS.get(kind)?.(context);
    } else emit({ kind: 'problem-found', diagnostic: { code: 'unknown-record', detail: kind.slice(0, 80), origin } });
    return events;
  };
  return {
    read(line) {
      const { record, problem, ...place } = recordInLine(
        line,
        state.commands.areNamedIn(line.bytes) ? parseJsonBytes : parseShort,
        BEGINNINGS,
      );
      const events = record ? readRecord(record, place) : [];
      if (!problem) return events;
      const origin = { source: source.id, offset: line.offset, length: line.length };
      return [{ kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } }, ...events];
    },
  };
}

/** Every line repeats where the agent works: only changes are emitted. */
function emitChanges(context: LineContext): void {
  const { record, agent, isMain, state, emit } = context;
  const changes = known({
    cwd: changed('cwd', record, state.lastSeen),
    branch: changed('gitBranch', record, state.lastSeen),
    hostVersion: changed('version', record, state.lastSeen),
  });
  if (Object.keys(changes).length === 0) return;
  const { hostVersion: _version, ...ofAgent } = changes;
  emit({ kind: 'agent-seen', agent, ...atOf(context), ...ofAgent, ...(!isMain && { agentKind: 'task' }) });
  if (isMain) emit({ kind: 'session-seen', ...atOf(context), ...changes });
}

function changed(field: string, record: JsonObject, lastSeen: Map<string, unknown>): string | undefined {
  const value = asText(record[field]);
  if (value === undefined || lastSeen.get(field) === value) return undefined;
  lastSeen.set(field, value);
  return value;
}

function parsePrompt(context: LineContext): void {
  const { agent, isMain, record, state, emit } = context;
  delete state.reply;
  const text = spokenIn(partsIn(record));
  emit({ kind: 'entry-added', entry: 'prompt', agent, id: idOf(context), ...atOf(context) });
  // By the mark, not by the text: anyone can type the text.
  if (record['subtype'] === 'notification') parseEnd(text, context);
  if (record['subtype'] === 'notification' || text.trim() === '') return;
  emit({ kind: 'agent-prompted', agent, prompt: promptFact(text), ...atOf(context) });
  const title = firstLine(text);
  if (isMain && title !== undefined) emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(context) });
}

function parseEnd(text: string, context: LineContext): void {
  const notice = parseNotification(text);
  if (!notice) return;
  const { agent, outcome, summary } = notice;
  // The notification names the call that made the agent, even if a later call resumed it: without a call, the time decides which run it ends.
  context.emit({
    kind: 'run-ended',
    agent: agentIdOf(agent),
    signal: 'notification',
    outcome,
    ...atOf(context),
    ...(outcome !== 'completed' && summary !== undefined && { reason: summary }),
  });
}

function parseResult(context: LineContext): void {
  const { agent, record, state, emit } = context;
  delete state.reply;
  emit({ kind: 'entry-added', agent, entry: 'result', id: idOf(context), ...atOf(context) });
  for (const response of responsesIn(partsIn(record))) parseResponse(response, context);
}

function parseResponse(response: PartResponse, context: LineContext): void {
  const { agent, record, state, emit } = context;
  const details = asObject(record['toolCallResult']);
  const id = response.id ?? asText(details?.['callId']);
  if (id === undefined) return;
  const asked = state.asked.get(id);
  const about = asked && readAgentResult(asked, response, displayOf(details), context);
  const ended = outcomeOf(response, details);
  const outcome = about?.hasFailed ? 'error' : about?.isStopped ? 'refused' : ended.outcome;
  const reason = about?.reason ?? firstLine(response.text);
  emit({
    kind: 'tool-ended',
    agent,
    call: toToolCallId(id),
    ...ended,
    outcome,
    ...atOf(context),
    ...(about?.isLaunch && { launched: true }),
    ...(outcome !== 'ok' && reason !== undefined && { reason }),
  });
  for (const printed of state.commands.printed(toToolCallId(id), readResult(response.text).text))
    emit({ kind: 'session-printed', agent, call: toToolCallId(id), printed });
}

/**
 * In a sub-agent's file a reply is several lines: its text with the tokens first, then a line for each call (0.2x; before, there are
 * no tokens).
 */
function parseReply(context: LineContext): void {
  const { agent, record, state, emit } = context;
  const usage = usageIn(record['usageMetadata']);
  const isNew = state.reply === undefined || usage !== undefined;
  const id = isNew ? idOf(context) : (state.reply as string);
  state.reply = id;
  const parts = partsIn(record);
  const calls = callsIn(parts);
  // A line without text and calls has only the tokens; the calls follow on the next lines.
  const isCalling = calls.length > 0 || spokenIn(parts).trim() === '';
  emit({ kind: 'entry-added', agent, entry: 'reply', id, ...atOf(context), ...(isCalling && { end: 'tools' }) });
  if (isNew)
    emit({
      kind: 'usage-counted',
      agent,
      message: id,
      usage: usage ?? NO_USAGE,
      final: usage !== undefined,
      ...atOf(context),
      ...known({ model: asText(record['model']) }),
    });
  for (const [index, call] of calls.entries()) parseCall(call, call.id ?? `${idOf(context)}#${index}`, context);
}

function usageIn(metadata: unknown): Usage | undefined {
  const counts = asObject(metadata);
  const count = (field: string): number => asAmount(counts?.[field]) ?? 0;
  return (
    counts &&
    toUsage({
      prompt: count('promptTokenCount'),
      answer: count('candidatesTokenCount'),
      thoughts: count('thoughtsTokenCount'),
      cached: count('cachedContentTokenCount'),
      tool: count('toolUsePromptTokenCount'),
    })
  );
}

function parseCall(call: PartCall, id: string, context: LineContext): void {
  const { agent, state, emit } = context;
  const { tool, input } = call;
  emit({
    kind: 'tool-started',
    agent,
    call: toToolCallId(id),
    tool,
    ...atOf(context),
    ...known({ summary: summarise(tool, input), writes: fileWrittenBy(tool, input) }),
  });
  if (isShell(tool)) state.commands.ask(toToolCallId(id), input['command']);
  if (!isAboutAgents(tool)) return;
  state.asked.set(id, { ...call, id });
  requestAgent(call, id, context);
}

function parseTitle(context: LineContext): void {
  const payload = asObject(context.record['systemPayload']);
  const title = asText(payload?.['customTitle']);
  if (title === undefined || !context.isMain) return;
  const titleKind = payload?.['titleSource'] === 'auto' ? 'generated' : 'custom';
  context.emit({ kind: 'session-titled', title, titleKind, ...atOf(context) });
}

function parseCompression(context: LineContext): void {
  const info = asObject(asObject(context.record['systemPayload'])?.['info']);
  const tokensBefore = asAmount(info?.['originalTokenCount']);
  const tokensAfter = asAmount(info?.['newTokenCount']);
  context.emit({
    kind: 'agent-compacted',
    agent: context.agent,
    ...atOf(context),
    ...known({ tokensBefore, tokensAfter }),
  });
}

/** Requests of sub-agents are logged here as well; those of the main agent have no such id. */
const OF_SUB_AGENT = /#[^#]+-[^#]+#\d+$/;

/** The only record of a failed request of the main agent. If it is retried, more lines follow. */
function parseTelemetry(context: LineContext): void {
  const event = asObject(asObject(context.record['systemPayload'])?.['uiEvent']);
  const isError = event?.['event.name'] === 'qwen-code.api_error';
  const ofOther = asText(event?.['subagent_id']) !== undefined || OF_SUB_AGENT.test(asText(event?.['prompt_id']) ?? '');
  if (!isError || ofOther) return;
  delete context.state.reply;
  context.emit({ kind: 'entry-added', agent: context.agent, entry: 'failure', id: idOf(context), ...atOf(context) });
}

/** The envelope is like Claude Code's: only the parts inside and the program's own notes tell them apart. */
export function sniffConversation(head: Uint8Array): boolean {
  return createLineSplitter()
    .push(head)
    .some((line) => {
      const record = parseJsonBytes(line.bytes);
      return isObject(record) && isOwn(record);
    });
}

function isOwn(record: JsonObject): boolean {
  if (asText(record['uuid']) === undefined || asText(record['sessionId']) === undefined) return false;
  if (kindOf(record).startsWith('system/')) return isObject(record['systemPayload']);
  return partsIn(record).length > 0 && kindOf(record) !== 'no type';
}
