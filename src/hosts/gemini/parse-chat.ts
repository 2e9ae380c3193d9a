// A chat record by record: of the main agent, or of a sub-agent.

import path from 'node:path';
import { type AgentEvent, type AgentId, mainAgentOf, NO_USAGE, nativeId, toToolCallId } from '../../core/index.ts';
import {
  asInstant,
  asObject,
  asText,
  isObject,
  type JsonObject,
  known,
  placesOfElements,
  recordInLine,
} from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { ByteRange, LocatedSession, LocatedSource, SourceReader } from '../index.ts';
import {
  atOf,
  callsIn,
  emitPrompt,
  emitTimed,
  type FactPlace,
  factsAt,
  factsInLine,
  fileWrittenBy,
  firstLine,
  hasRecord,
  isShell,
  parseShort,
  partsOf,
  promptFact,
  readResult,
  responsesIn,
  sessionsPrinted,
  spokenIn,
  summarise,
  usageIn,
} from '../shared/index.ts';
import { type AgentCall, agentCallIn, type ChatCall, callsOf, outcomeOf } from './calls.ts';
import { sessionInHead } from './data-folder.ts';
import { agentIdOf, BEGINNINGS, folderIn, isHead, isHostText, toRecord } from './record.ts';

export function createChatReader({ id: session }: LocatedSession, source: LocatedSource): SourceReader {
  const isMain = source.agent === undefined;
  const agent = source.agent ?? mainAgentOf(session);
  const parse = (value: JsonObject, place: FactPlace): void => readRecord(value, source, { ...place, agent, isMain });
  const readLine = (line: Line): readonly AgentEvent[] =>
    factsInLine(session, source.id, line, recordInLine(line, parseShort, BEGINNINGS), parse);
  /** Messages of a document have byte ranges, too, so their facts are ordered like those of lines. */
  const readDocument = (line: Line): readonly AgentEvent[] => {
    const { record, ...found } = recordInLine(line, parseShort);
    if (!record) return factsInLine(session, source.id, line, found, parse);
    const { messages, ...head } = record;
    const list = Array.isArray(messages) ? messages : [];
    const places = placesOfElements(line.bytes, 'messages');
    const read = (value: unknown, range: ByteRange): readonly AgentEvent[] =>
      isObject(value) ? factsAt(session, source.id, range, (place) => parse(value, place)) : [];
    return [...read(head, line), ...list.flatMap((message, index) => read(message, places[index] ?? line))];
  };
  return { read: source.shape === 'document' ? readDocument : readLine };
}

interface ChatContext extends FactPlace {
  /** The agent that the chat belongs to. */
  readonly agent: AgentId;
  readonly isMain: boolean;
}

function readRecord(value: JsonObject, source: LocatedSource, context: ChatContext): void {
  const record = toRecord(value);
  switch (record.kind) {
    case 'message':
      readMessage(record.message, record.id, context);
      break;
    case 'change':
      for (const message of record.messages ?? []) {
        const id = asText(message['id']);
        if (id !== undefined) readMessage(message, id, context);
      }
      readHead(record.change, context);
      break;
    case 'head':
      readHead(record.head, context);
      if (!context.isMain) linkToParent(source, context);
      break;
    case 'unknown': {
      const { origin } = context;
      context.emit({ kind: 'problem-found', diagnostic: { code: 'unknown-record', detail: record.name, origin } });
      break;
    }
    case 'rewind':
    // Removed messages were sent and billed all the same.
  }
}

function readHead(head: JsonObject, { agent, isMain, emit }: ChatContext): void {
  const directories = head['directories'];
  const cwd = Array.isArray(directories) ? asText(directories[0]) : undefined;
  const facts = known({ at: asInstant(head['startTime']), cwd });
  if (Object.keys(facts).length > 0) {
    emit({ kind: 'agent-seen', agent, ...facts });
    if (isMain) emit({ kind: 'session-seen', ...facts });
  }
  // In an agent's chat `summary` is its answer.
  const title = asText(head['summary']);
  const at = asInstant(head['lastUpdated']);
  if (isMain && title !== undefined) emit({ kind: 'session-titled', title, titleKind: 'generated', ...known({ at }) });
}

/** The parent is in the name of the folder only. */
function linkToParent(source: LocatedSource, { session, agent, emit }: ChatContext): void {
  emit({ kind: 'agent-seen', agent, agentKind: 'task', background: false, awaited: true });
  const above = path.basename(path.dirname(source.path));
  const parent = above === nativeId(session) ? mainAgentOf(session) : agentIdOf(above);
  emit({ kind: 'agent-linked', agent, evidence: 'folder', parent });
}

interface MessageContext extends ChatContext {
  readonly id: string;
  readonly at?: number;
}

function readMessage(message: JsonObject, id: string, chat: ChatContext): void {
  const context: MessageContext = { ...chat, id, ...known({ at: asInstant(message['timestamp']) }) };
  if (message['type'] === 'user') readPrompt(message, context);
  else if (message['type'] === 'gemini') readReply(message, context);
  else emitTimed(context, { kind: 'entry-added', entry: entryOf(message), id });
}

/** A message of the program itself. */
function entryOf(message: JsonObject): 'failure' | 'interruption' | 'note' {
  if (message['type'] === 'error') return 'failure';
  return /^Request cancelled\.?$/.test(spokenIn(partsOf(message['content']))) ? 'interruption' : 'note';
}

function readPrompt(message: JsonObject, context: MessageContext): void {
  const { id, isMain, emit } = context;
  const parts = partsOf(message['content']);
  const text = spokenIn(parts);
  if (text === '' && responsesIn(parts).length > 0) {
    emitTimed(context, { kind: 'entry-added', entry: 'result', id });
    return;
  }
  if (isHostText(text)) {
    emitTimed(context, { kind: 'entry-added', entry: 'note', id });
    const cwd = folderIn(text);
    if (cwd === undefined) return;
    emitTimed(context, { kind: 'agent-seen', cwd });
    if (isMain) emit({ kind: 'session-seen', cwd, ...atOf(context) });
    return;
  }
  emitTimed(context, { kind: 'entry-added', entry: 'prompt', id });
  if (text.trim() !== '') emitPrompt(context, text);
}

const TOKENS = { prompt: 'input', answer: 'output', thoughts: 'thoughts', cached: 'cached', tool: 'tool' };

function readReply(message: JsonObject, context: MessageContext): void {
  const calls = callsOf(message);
  // Calls are written when they have ended. A reply without text is waiting for one; one with text and without calls may be, too.
  const parts = partsOf(message['content']);
  const isCalling = calls.length > 0 || callsIn(parts).length > 0 || spokenIn(parts).trim() === '';
  emitTimed(context, { kind: 'entry-added', entry: 'reply', id: context.id, ...(isCalling && { end: 'tools' }) });
  const usage = usageIn(message['tokens'], TOKENS);
  emitTimed(context, {
    kind: 'usage-counted',
    message: context.id,
    usage: usage ?? NO_USAGE,
    final: usage !== undefined,
    ...known({ model: asText(message['model']) }),
  });
  for (const call of calls) readCall(call, context);
}

/** An agent calls it to finish. */
const COMPLETE = 'complete_task';

function readCall(made: ChatCall, context: MessageContext): void {
  const { agent, isMain, emit } = context;
  const call = toToolCallId(made.id);
  const facts = known({ summary: summarise(made.tool, made.input), writes: fileWrittenBy(made.tool, made.input) });
  emitTimed(context, { kind: 'tool-started', call, tool: made.tool, ...facts });
  const asked = agentCallIn(made);
  if (asked) readAgentCall(asked, made, context);
  const ended = outcomeOf(made);
  if (!ended) return;
  const outcome = asked?.outcome === 'failed' ? 'error' : asked?.outcome === 'stopped' ? 'refused' : ended.outcome;
  const reason = asked?.reason ?? firstLine(made.result);
  const atEnd = { ...context, ...known({ at: made.endedAt }) };
  emitTimed(atEnd, { kind: 'tool-ended', call, ...ended, outcome, ...(outcome !== 'ok' && known({ reason })) });
  const command = isShell(made.tool) ? asText(made.input['command']) : undefined;
  for (const printed of command === undefined ? [] : sessionsPrinted(command, readResult(made.result).text))
    emit({ kind: 'session-printed', agent, call, printed });
  if (made.tool === COMPLETE && !isMain && ended.outcome === 'ok')
    emitTimed(atEnd, {
      kind: 'run-ended',
      signal: 'transcript',
      outcome: 'completed',
      reason: 'it said that it was done',
    });
}

function readAgentCall(asked: AgentCall, made: ChatCall, { agent, emit }: MessageContext): void {
  const call = toToolCallId(made.id);
  const prompt = asked.prompt === undefined ? undefined : promptFact(asked.prompt);
  emit({ kind: 'spawn-requested', agent, call, background: false, ...known({ type: asked.type, prompt }) });
  if (asked.agent === undefined) return;
  const child = agentIdOf(asked.agent);
  emit({ kind: 'agent-linked', agent: child, evidence: 'result', call, parent: agent });
  const at = made.endedAt;
  if (asked.outcome === 'stopped')
    emit({ kind: 'run-ended', agent: child, signal: 'result', outcome: 'stopped', call, ...known({ at }) });
}

/** The head of a chat comes first in documents and in lines; no other host writes its first two fields together. */
export function sniffChat(head: Uint8Array): boolean {
  return sessionInHead(head) !== undefined || hasRecord(head, isOwn);
}

/** If the head is damaged, other records decide. */
function isOwn(record: JsonObject): boolean {
  const isReply = record['type'] === 'gemini' && asText(record['id']) !== undefined;
  return isHead(record) || isReply || asText(asObject(record['$set'])?.['lastUpdated']) !== undefined;
}
