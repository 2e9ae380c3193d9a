// The transcript of one agent: the positions of its messages in the file that all agents of a session share, and messages with
// their blocks.

import type {
  AgentId,
  FileChange,
  MediaBlock,
  NoticeBlock,
  SessionId,
  ToolResultBlock,
  ToolUseBlock,
  TranscriptBlock,
  TranscriptMessage,
} from '../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject, parseJsonBytes } from '../../lib/json.ts';
import type { LocatedSession, LocatedSource, OpenTranscript } from '../index.ts';
import {
  createKindCount,
  followPlaces,
  insertResult,
  MessagePlaces,
  type PlaceList,
  parseShort,
  readMessageLines,
  toNoticeBlock,
  toResultBlock,
} from '../shared/index.ts';
import { agentOf, eventId } from './line-context.ts';
import { isHostPrompt, isKnownType, messageIdOf, requestsIn } from './parse-events.ts';
import { type EventRecord, eventInLine } from './record.ts';
import { fileWrittenBy, isSpawning, outcomeOf, patchedFiles, shownResult, summarise } from './tools.ts';

export function openTranscript({ id: session }: LocatedSession, source: LocatedSource, agent: AgentId): OpenTranscript {
  return {
    ...followPlaces(source, () => createPlaces(session, agent)),
    async read(places) {
      const messages = await readMessageLines(source.path, places);
      return messages.flatMap(({ id, timestamp, lines }): readonly TranscriptMessage[] => {
        const records = lines.flatMap((line) => eventInLine(line, parseJsonBytes).record ?? []);
        const message = toMessage(records, session, agent);
        return message.content.length === 0 ? [] : [{ id, timestamp, ...message }];
      });
    },
  };
}

function toMessage(
  records: readonly EventRecord[],
  session: SessionId,
  agent: AgentId,
): Pick<TranscriptMessage, 'model' | 'role' | 'content'> {
  const task = taskIn(records[0], session, agent);
  if (task !== undefined) return { model: null, role: 'user', content: [{ type: 'text', text: task }] };
  const content: TranscriptBlock[] = [];
  for (const record of records) {
    if (record.type !== 'tool.execution_complete') {
      content.push(...toBlocks(record));
      continue;
    }
    insertResult(content, asText(record.data['toolCallId']), (call) => toResult(record.data, call));
  }
  const models = records.flatMap(({ type, data }) =>
    type === 'assistant.message' ? (asText(data['model']) ?? []) : [],
  );
  return { model: models.at(-1) ?? null, role: roleOf(records[0]), content };
}

/** The call that made this agent: the only place of its task in versions that do not repeat it. */
function taskIn(record: EventRecord | undefined, session: SessionId, agent: AgentId): string | undefined {
  if (!record || agentOf(record, session) === agent || !isSpawning(asText(record.data['toolName']))) return undefined;
  return asText(asObject(record.data['arguments'])?.['prompt']);
}

function roleOf(first: EventRecord | undefined): TranscriptMessage['role'] {
  if (!first) return 'system';
  if (first.type === 'user.message') return isHostPrompt(first.data) ? 'system' : 'user';
  return first.type === 'assistant.message' || first.type.startsWith('tool.') ? 'assistant' : 'system';
}

/** Besides replies, messages of their own. */
const MESSAGES = new Set([
  'user.message',
  'system.notification',
  'session.error',
  'session.compaction_complete',
  'abort',
]);

function createPlaces(session: SessionId, agent: AgentId): PlaceList {
  const places = new MessagePlaces();
  const replyOfCall = new Map<string, string>();
  const unknown = createKindCount();
  /** Calls that request agents: up to about 1.0.7x the task of an agent has no line of its own. */
  const taskAt = new Map<string, EventRecord>();
  let madeBy: EventRecord | undefined;

  const put = (id: string, record: EventRecord): void => places.add(id, record.at, record);
  const addReply = (record: EventRecord): void => {
    const id = messageIdOf(record);
    const task = places.isEmpty && madeBy && taskAt.get(asText(madeBy.data['toolCallId']) ?? '');
    if (task) put(eventId(task), task);
    put(id, record);
    for (const request of requestsIn(record.data)) replyOfCall.set(asText(request['toolCallId']) ?? '', id);
  };
  const addRecord = (record: EventRecord): void => {
    const { type, data } = record;
    const call = asText(data['toolCallId']) ?? '';
    const isStart = type === 'tool.execution_start' || type === 'tool.user_requested';
    if (isStart && isSpawning(asText(data['toolName']))) taskAt.set(call, record);
    if (agentOf(record, session) !== agent) return;
    if (!isKnownType(type)) unknown.add(type);
    if (type === 'subagent.started') madeBy = record;
    else if (type === 'assistant.message') addReply(record);
    else if (type === 'tool.execution_complete') put(replyOfCall.get(call) ?? eventId(record), record);
    else if (MESSAGES.has(type)) put(type === 'user.message' ? messageIdOf(record) : eventId(record), record);
    // Called by the user or by the program: no reply has requested it.
    else if (isStart && !replyOfCall.has(call)) {
      replyOfCall.set(call, eventId(record));
      put(eventId(record), record);
    }
  };
  return {
    add(line) {
      const { record } = eventInLine(line, parseShort);
      if (record) addRecord(record);
    },
    all: () => places.all(),
    leftOut: unknown.all,
  };
}

function toBlocks({ type, data }: EventRecord): readonly TranscriptBlock[] {
  switch (type) {
    case 'assistant.message':
      return toReply(data);
    case 'user.message':
      return toTold(data);
    case 'tool.execution_start':
    case 'tool.user_requested':
      return toCall(data, asText(data['toolName']), data['arguments']);
    case 'system.notification':
      return [toNotice(data)];
    case 'session.compaction_complete':
      return asText(data['summaryContent']) ? [{ type: 'summary', text: String(data['summaryContent']) }] : [];
    case 'session.error':
      return [toNoticeBlock('note', 'the request failed', asText(data['message']) ?? '')];
    case 'abort':
      return [toNoticeBlock('interruption', 'interrupted', '')];
    default:
      return [];
  }
}

function toReply(data: JsonObject): readonly TranscriptBlock[] {
  const thought = asText(data['reasoningText']);
  const text = asText(data['content']);
  return [
    ...(thought === undefined ? [] : [{ type: 'thinking', text: thought } as const]),
    ...(text === undefined ? [] : [{ type: 'text', text } as const]),
    ...requestsIn(data).flatMap((request) => toCall(request, asText(request['name']), inputOf(request))),
  ];
}

function inputOf(request: JsonObject): unknown {
  return request['arguments'] ?? request['input'];
}

function toCall(data: JsonObject, tool: string | undefined, raw: unknown): readonly TranscriptBlock[] {
  const id = asText(data['toolCallId']);
  if (id === undefined || tool === undefined) return [];
  // The input of some tools is a text.
  const input = typeof raw === 'string' ? { input: raw } : (raw ?? {});
  return [{ type: 'tool_use', tool_use_id: id, name: tool, input, summary: summarise(tool, raw) ?? null }];
}

function toTold(data: JsonObject): readonly TranscriptBlock[] {
  const text = asText(data['content']);
  const attachments = Array.isArray(data['attachments']) ? data['attachments'].filter(isObject) : [];
  const media = attachments.map(toAttachment);
  if (text === undefined) return media;
  if (!isHostPrompt(data)) return [{ type: 'text', text }, ...media];
  return [toNoticeBlock('reminder', asText(data['source']) ?? null, text), ...media];
}

function toAttachment(attachment: JsonObject): MediaBlock {
  return {
    type: 'attachment',
    media_type: asText(attachment['mimeType']) ?? asText(attachment['type']) ?? 'file',
    name: asText(attachment['displayName']) ?? asText(attachment['path']) ?? null,
    bytes: asAmount(attachment['byteLength']) ?? null,
  };
}

function toNotice(data: JsonObject): NoticeBlock {
  const kind = asObject(data['kind']);
  const raw = asText(data['content']) ?? '';
  const text = /^<system_notification>\n?([\s\S]*?)\n?<\/system_notification>\s*$/.exec(raw)?.[1] ?? raw;
  const agent = asText(kind?.['agentId']) ?? null;
  const about = asText(kind?.['type']) ?? '';
  const isBackground = agent !== null || about.startsWith('shell_') || about.startsWith('workflow_');
  return toNoticeBlock(isBackground ? 'background' : 'note', about.replaceAll('_', ' ') || null, text, agent);
}

function toResult(data: JsonObject, call: ToolUseBlock | undefined): ToolResultBlock {
  const isError = outcomeOf(data).outcome !== 'ok';
  const changes = call && !isError ? changesBy(call, data) : [];
  return toResultBlock(asText(data['toolCallId']) ?? '', shownResult(data), isError, { changes });
}

function changesBy({ name: tool, input }: ToolUseBlock, data: JsonObject): readonly FileChange[] {
  const patched = patchedFiles(tool, input);
  if (patched.length > 0) return patched.map(({ path, added, removed }) => ({ path, added, removed }));
  const file = fileWrittenBy(tool, input);
  if (file === undefined) return [];
  const diff = asText(asObject(data['result'])?.['detailedContent']);
  return [{ path: file, ...countLines(diff) }];
}

/** The host keeps an edit as a diff with context lines. */
function countLines(diff: string | undefined): Pick<FileChange, 'added' | 'removed'> {
  const from = diff?.search(/^@@ /m) ?? -1;
  if (diff === undefined || from === -1) return { added: null, removed: null };
  const lines = diff.slice(from).split('\n');
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { added: count('+'), removed: count('-') };
}
