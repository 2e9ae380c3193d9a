// A conversation line by line: of the main agent, or of a sub-agent.

import { mainAgentOf, NO_USAGE, toSessionId, toToolCallId } from '../../core/index.ts';
import {
  asAmount,
  asInstant,
  asObject,
  asText,
  isObject,
  type JsonObject,
  known,
  parseJsonBytes,
  recordInLine,
} from '../../lib/json.ts';
import type { LocatedSession, LocatedSource, SourceReader } from '../index.ts';
import {
  atOf,
  callsIn,
  changesIn,
  createAskedCommands,
  emitPrompt,
  emitTimed,
  type FactPlace,
  factsInLine,
  fileWrittenBy,
  firstLine,
  hasRecord,
  isShell,
  type PartCall,
  type PartResponse,
  parseShort,
  readResult,
  responsesIn,
  spokenIn,
  summarise,
  usageIn,
} from '../shared/index.ts';
import {
  ABOUT_AGENTS,
  displayOf,
  outcomeOf,
  parseNotification,
  readAgentResult,
  readSpawn,
  SPAWNING,
} from './agents.ts';
import {
  agentIdOf,
  BEGINNINGS,
  type ConversationState,
  HOST,
  idOf,
  kindOf,
  type LineContext,
  partsIn,
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
  const parse = (record: JsonObject, place: FactPlace): void => {
    const context = { ...place, agent, isMain, record, state, ...known({ at: asInstant(record['timestamp']) }) };
    const kind = kindOf(record);
    if (isKnownKind(kind)) {
      if (isMain) noteCopy(context);
      emitChanges(context);
      PARSERS.get(kind)?.(context);
    } else {
      const { origin } = place;
      place.emit({ kind: 'problem-found', diagnostic: { code: 'unknown-record', detail: kind.slice(0, 80), origin } });
    }
  };
  return {
    read(line) {
      const parseBytes = state.commands.areNamedIn(line.bytes) ? parseJsonBytes : parseShort;
      return factsInLine(session, source.id, line, recordInLine(line, parseBytes, BEGINNINGS), parse);
    },
  };
}

/** `--fork-session` (0.23.4): the new session begins with copies of the other's lines, and each names the other session. */
function noteCopy({ record, origin, at, state, emit }: LineContext): void {
  const from = asText(asObject(record['forkedFrom'])?.['sessionId']);
  if (from !== undefined) {
    state.copiedFrom = toSessionId(HOST, from);
    const isReply = kindOf(record) === 'assistant';
    emit({ kind: 'session-forked', from: state.copiedFrom, replies: isReply ? [idOf({ record, origin })] : [] });
  } else if (state.copiedFrom && at !== undefined) {
    emit({ kind: 'session-forked', from: state.copiedFrom, replies: [], at });
    delete state.copiedFrom;
  }
}

/** Every line repeats where the agent works: only changes are emitted. */
function emitChanges(context: LineContext): void {
  const { record, isMain, state, emit } = context;
  const fields = {
    cwd: asText(record['cwd']),
    branch: asText(record['gitBranch']),
    hostVersion: asText(record['version']),
  };
  const changes = changesIn(fields, state.lastSeen);
  if (!changes) return;
  const { hostVersion: _version, ...ofAgent } = changes;
  emitTimed(context, { kind: 'agent-seen', ...ofAgent, ...(!isMain && { agentKind: 'task' }) });
  if (isMain) emit({ kind: 'session-seen', ...atOf(context), ...changes });
}

function parsePrompt(context: LineContext): void {
  const { record, state } = context;
  delete state.reply;
  const text = spokenIn(partsIn(record));
  emitTimed(context, { kind: 'entry-added', entry: 'prompt', id: idOf(context) });
  // By the mark, not by the text: anyone can type the text.
  if (record['subtype'] === 'notification') parseEnd(text, context);
  else if (text.trim() !== '') emitPrompt(context, text);
}

function parseEnd(text: string, context: LineContext): void {
  const notice = parseNotification(text);
  if (!notice) return;
  const { outcome, summary } = notice;
  // The notification names the call that made the agent, even if a later call resumed it: without a call, the time decides which run it ends.
  emitTimed(context, {
    kind: 'run-ended',
    agent: agentIdOf(notice.agent),
    signal: 'notification',
    outcome,
    ...(outcome !== 'completed' && known({ reason: summary })),
  });
}

function parseResult(context: LineContext): void {
  delete context.state.reply;
  emitTimed(context, { kind: 'entry-added', entry: 'result', id: idOf(context) });
  for (const response of responsesIn(partsIn(context.record))) parseResponse(response, context);
}

function parseResponse(response: PartResponse, context: LineContext): void {
  const { agent, record, state, emit } = context;
  const details = asObject(record['toolCallResult']);
  const id = response.id ?? asText(details?.['callId']);
  if (id === undefined) return;
  const call = toToolCallId(id);
  const asked = state.asked.get(id);
  const about = asked && readAgentResult(asked, response, displayOf(details), context);
  const ended = outcomeOf(response, details);
  const outcome = about?.outcome === 'failed' ? 'error' : about?.outcome === 'stopped' ? 'refused' : ended.outcome;
  const reason = about?.reason ?? firstLine(response.text);
  emitTimed(context, {
    kind: 'tool-ended',
    call,
    ...ended,
    outcome,
    ...(about?.isLaunch && { launched: true }),
    ...(outcome !== 'ok' && known({ reason })),
  });
  for (const printed of state.commands.printed(call, readResult(response.text).text))
    emit({ kind: 'session-printed', agent, call, printed });
}

const TOKENS = {
  prompt: 'promptTokenCount',
  answer: 'candidatesTokenCount',
  thoughts: 'thoughtsTokenCount',
  cached: 'cachedContentTokenCount',
  tool: 'toolUsePromptTokenCount',
};

/**
 * In a sub-agent's file a reply is several lines: its text with the tokens first, then a line for each call (0.2x; before, there are
 * no tokens).
 */
function parseReply(context: LineContext): void {
  const { record, state } = context;
  const usage = usageIn(record['usageMetadata'], TOKENS);
  const isNew = state.reply === undefined || usage !== undefined;
  const id = isNew ? idOf(context) : (state.reply as string);
  state.reply = id;
  const parts = partsIn(record);
  const calls = callsIn(parts);
  // A line without text and calls has only the tokens; the calls follow on the next lines.
  const isCalling = calls.length > 0 || spokenIn(parts).trim() === '';
  emitTimed(context, { kind: 'entry-added', entry: 'reply', id, ...(isCalling && { end: 'tools' }) });
  if (isNew)
    emitTimed(context, {
      kind: 'usage-counted',
      message: id,
      usage: usage ?? NO_USAGE,
      final: usage !== undefined,
      ...known({ model: asText(record['model']) }),
    });
  for (const [index, call] of calls.entries()) parseCall(call, call.id ?? `${idOf(context)}#${index}`, context);
}

function parseCall(made: PartCall, id: string, context: LineContext): void {
  const { agent, state, emit } = context;
  const { tool, input } = made;
  const call = toToolCallId(id);
  const facts = known({ summary: summarise(tool, input), writes: fileWrittenBy(tool, input) });
  emitTimed(context, { kind: 'tool-started', call, tool, ...facts });
  if (isShell(tool)) state.commands.ask(call, input['command']);
  if (ABOUT_AGENTS.has(tool)) state.asked.set(id, { ...made, id });
  if (SPAWNING.has(tool)) emit({ kind: 'spawn-requested', agent, call, ...readSpawn(input) });
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
  emitTimed(context, { kind: 'agent-compacted', ...known({ tokensBefore, tokensAfter }) });
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
  emitTimed(context, { kind: 'entry-added', entry: 'failure', id: idOf(context) });
}

/** The envelope is like Claude Code's: only the parts inside and the program's own notes tell them apart. */
export function sniffConversation(head: Uint8Array): boolean {
  return hasRecord(head, isOwn);
}

function isOwn(record: JsonObject): boolean {
  if (asText(record['uuid']) === undefined || asText(record['sessionId']) === undefined) return false;
  if (kindOf(record).startsWith('system/')) return isObject(record['systemPayload']);
  return partsIn(record).length > 0 && kindOf(record) !== 'no type';
}
