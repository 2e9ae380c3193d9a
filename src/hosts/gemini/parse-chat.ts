// A chat record by record: of the main agent, or of a sub-agent.

import path from 'node:path';
import { type AgentEvent, mainAgentOf, NO_USAGE, nativeId, toToolCallId, type Usage } from '../../core/index.ts';
import {
  asAmount,
  asInstant,
  asObject,
  asText,
  type ElementPlace,
  isObject,
  type JsonObject,
  known,
  type LineProblem,
  parseJsonBytes,
  placesOfElements,
  recordInLine,
} from '../../lib/json.ts';
import { createLineSplitter, type Line } from '../../lib/lines.ts';
import type { LocatedSession, LocatedSource, SourceReader } from '../index.ts';
import {
  callsIn,
  fileWrittenBy,
  firstLine,
  isShell,
  partsOf,
  readResult,
  responsesIn,
  sessionsPrinted,
  spokenIn,
  summarise,
  toUsage,
} from '../shared/index.ts';
import { type AgentCall, agentCallIn, type ChatCall, callsOf, outcomeOf } from './calls.ts';
import { sessionInHead } from './data-folder.ts';
import {
  agentIdOf,
  atOf,
  BEGINNINGS,
  folderIn,
  isHead,
  isHostText,
  type MessageContext,
  parseShort,
  promptFact,
  toRecord,
} from './record.ts';

export function createChatReader(session: LocatedSession, source: LocatedSource): SourceReader {
  const records = createRecordReader(session, source);
  return { read: (line) => (source.shape === 'document' ? readDocument(line, records) : readLine(line, records)) };
}

function readLine(line: Line, records: RecordReader): readonly AgentEvent[] {
  const { record, problem, ...place } = recordInLine(line, parseShort, BEGINNINGS);
  return [...(problem ? [records.problem(line, problem)] : []), ...(record ? records.read(record, place) : [])];
}

/** Messages of a document have byte ranges, too, so their facts are ordered like those of lines. */
function readDocument(line: Line, records: RecordReader): readonly AgentEvent[] {
  const { record, problem } = recordInLine(line, parseShort);
  if (problem) return [records.problem(line, problem)];
  if (!record) return [];
  const { messages, ...head } = record;
  const list = Array.isArray(messages) ? messages : [];
  const places = placesOfElements(line.bytes, 'messages');
  return [
    ...records.read(head, line),
    ...list.flatMap((message, index) => (isObject(message) ? records.read(message, places[index] ?? line) : [])),
  ];
}

interface RecordReader {
  read(value: JsonObject, place: ElementPlace): readonly AgentEvent[];
  problem(place: ElementPlace, problem: LineProblem): AgentEvent;
}

function createRecordReader({ id: session }: LocatedSession, source: LocatedSource): RecordReader {
  const agent = source.agent ?? mainAgentOf(session);
  const isMain = source.agent === undefined;
  const originOf = ({ offset, length }: ElementPlace) => ({ source: source.id, offset, length });
  return {
    problem(place, problem) {
      const origin = originOf(place);
      return { kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } };
    },
    read(value, place) {
      const events: AgentEvent[] = [];
      const origin = originOf(place);
      const emit: MessageContext['emit'] = (event) =>
        events.push(Object.assign(event, { session, origin }) as AgentEvent);
      const context = { session, agent, isMain, emit };
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
          if (!isMain) linkToParent(source, context);
          break;
        case 'unknown':
          emit({ kind: 'problem-found', diagnostic: { code: 'unknown-record', detail: record.name, origin } });
          break;
        case 'rewind':
        // Removed messages were sent and billed all the same.
      }
      return events;
    },
  };
}

function readHead(head: JsonObject, { agent, isMain, emit }: MessageContext): void {
  const at = asInstant(head['startTime']);
  const directories = head['directories'];
  const cwd = Array.isArray(directories) ? asText(directories[0]) : undefined;
  if (at !== undefined || cwd !== undefined) {
    emit({ kind: 'agent-seen', agent, ...atOf(at), ...known({ cwd }) });
    if (isMain) emit({ kind: 'session-seen', ...atOf(at), ...known({ cwd }) });
  }
  // In an agent's chat `summary` is its answer.
  const title = asText(head['summary']);
  if (isMain && title !== undefined)
    emit({ kind: 'session-titled', title, titleKind: 'generated', ...atOf(asInstant(head['lastUpdated'])) });
}

/** The parent is in the name of the folder only. */
function linkToParent(source: LocatedSource, { session, agent, emit }: MessageContext): void {
  emit({ kind: 'agent-seen', agent, agentKind: 'task', background: false, awaited: true });
  const parent = path.basename(path.dirname(source.path));
  const isOfMain = parent === nativeId(session);
  emit({
    kind: 'agent-linked',
    agent,
    evidence: 'folder',
    parent: isOfMain ? mainAgentOf(session) : agentIdOf(parent),
  });
}

function readMessage(message: JsonObject, id: string, context: MessageContext): void {
  const at = asInstant(message['timestamp']);
  const entry = { agent: context.agent, id, ...atOf(at) };
  switch (message['type']) {
    case 'user':
      readPrompt(message, entry, context);
      return;
    case 'gemini':
      readReply(message, entry, context);
      return;
    case 'error':
      context.emit({ kind: 'entry-added', entry: 'failure', ...entry });
      return;
    default: {
      const isStop = /^Request cancelled\.?$/.test(spokenIn(partsOf(message['content'])));
      context.emit({ kind: 'entry-added', entry: isStop ? 'interruption' : 'note', ...entry });
    }
  }
}

interface EntryKey {
  readonly agent: MessageContext['agent'];
  readonly id: string;
  readonly at?: number;
}

function readPrompt(message: JsonObject, entry: EntryKey, context: MessageContext): void {
  const parts = partsOf(message['content']);
  const text = spokenIn(parts);
  const { agent, isMain, emit } = context;
  if (text === '' && responsesIn(parts).length > 0) {
    emit({ kind: 'entry-added', entry: 'result', ...entry });
    return;
  }
  if (isHostText(text)) {
    emit({ kind: 'entry-added', entry: 'note', ...entry });
    const cwd = folderIn(text);
    if (cwd === undefined) return;
    emit({ kind: 'agent-seen', agent, cwd, ...atOf(entry.at) });
    if (isMain) emit({ kind: 'session-seen', cwd, ...atOf(entry.at) });
    return;
  }
  emit({ kind: 'entry-added', entry: 'prompt', ...entry });
  if (text.trim() === '') return;
  emit({ kind: 'agent-prompted', agent, prompt: promptFact(text), ...atOf(entry.at) });
  const title = firstLine(text);
  if (isMain && title !== undefined) emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(entry.at) });
}

function readReply(message: JsonObject, entry: EntryKey, context: MessageContext): void {
  const calls = callsOf(message);
  const { agent, emit } = context;
  // Calls are written when they have ended. A reply without text is waiting for one; one with text and without calls may be, too.
  const parts = partsOf(message['content']);
  const isCalling = calls.length > 0 || callsIn(parts).length > 0 || spokenIn(parts).trim() === '';
  emit({ kind: 'entry-added', entry: 'reply', ...entry, ...(isCalling && { end: 'tools' }) });
  const usage = usageIn(message);
  emit({
    kind: 'usage-counted',
    agent,
    message: entry.id,
    usage: usage ?? NO_USAGE,
    final: usage !== undefined,
    ...atOf(entry.at),
    ...known({ model: asText(message['model']) }),
  });
  for (const call of calls) readCall(call, entry, context);
}

function usageIn(message: JsonObject): Usage | undefined {
  const tokens = asObject(message['tokens']);
  const count = (field: string): number => asAmount(tokens?.[field]) ?? 0;
  return (
    tokens &&
    toUsage({
      prompt: count('input'),
      answer: count('output'),
      thoughts: count('thoughts'),
      cached: count('cached'),
      tool: count('tool'),
    })
  );
}

/** An agent calls it to finish. */
const COMPLETE = 'complete_task';

function readCall(made: ChatCall, { agent, at }: EntryKey, context: MessageContext): void {
  const { emit, isMain } = context;
  const call = toToolCallId(made.id);
  const facts = known({ summary: summarise(made.tool, made.input), writes: fileWrittenBy(made.tool, made.input) });
  emit({ kind: 'tool-started', agent, call, tool: made.tool, ...atOf(at), ...facts });
  const asked = agentCallIn(made);
  if (asked) readAgentCall(asked, made, context);
  const ended = outcomeOf(made);
  if (!ended) return;
  const outcome = asked?.outcome === 'failed' ? 'error' : asked?.outcome === 'stopped' ? 'refused' : ended.outcome;
  const reason = asked?.reason ?? firstLine(made.result);
  emit({
    kind: 'tool-ended',
    agent,
    call,
    ...ended,
    outcome,
    ...atOf(made.endedAt ?? at),
    ...(outcome !== 'ok' && known({ reason })),
  });
  const command = isShell(made.tool) ? asText(made.input['command']) : undefined;
  for (const printed of command === undefined ? [] : sessionsPrinted(command, readResult(made.result).text))
    emit({ kind: 'session-printed', agent, call, printed });
  if (made.tool === COMPLETE && !isMain && ended.outcome === 'ok')
    emit({
      kind: 'run-ended',
      agent,
      signal: 'transcript',
      outcome: 'completed',
      ...atOf(made.endedAt ?? at),
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
  if (asked.outcome === 'stopped')
    emit({ kind: 'run-ended', agent: child, signal: 'result', outcome: 'stopped', call, ...atOf(made.endedAt) });
}

/** The head of a chat comes first in documents and in lines; no other host writes its first two fields together. */
export function sniffChat(head: Uint8Array): boolean {
  if (sessionInHead(head) !== undefined) return true;
  return createLineSplitter()
    .push(head)
    .some((line) => {
      const record = parseJsonBytes(line.bytes);
      return isObject(record) && isOwn(record);
    });
}

/** If the head is damaged, other records decide. */
function isOwn(record: JsonObject): boolean {
  const isReply = record['type'] === 'gemini' && asText(record['id']) !== undefined;
  return isHead(record) || isReply || asText(asObject(record['$set'])?.['lastUpdated']) !== undefined;
}
