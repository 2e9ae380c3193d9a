// The conversation of one agent: where its messages stand, and some of them read at a time.

import type {
  AgentId,
  FileChange,
  MediaBlock,
  NoticeBlock,
  SessionId,
  ToolResultBlock,
  TranscriptBlock,
  TranscriptMessage,
} from '../../core/index.ts';
import { createLineCursor } from '../../lib/follow-file.ts';
import { asAmount, asObject, asText, isObject, type JsonObject } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import { openRegular } from '../../lib/regular-file.ts';
import type { Bodies, BodyPlace, ByteRange, LocatedSession, LocatedSource } from '../index.ts';
import { agentOf, eventId } from './line-context.ts';
import { isHostPrompt, isKnownType, messageIdOf } from './parse-events.ts';
import { type EventRecord, parseLine, parseWhole, recordsIn } from './record.ts';
import { fileWrittenBy, isSpawning, outcomeOf, patchedFiles, shownResult, summarise } from './tools.ts';

export function openBodies(session: LocatedSession, source: LocatedSource, agent: AgentId): Bodies {
  let list = createPlaceList(session.id, agent);
  let cursor = createLineCursor(source.path);
  const lookOn = async (): Promise<readonly BodyPlace[]> => {
    const look = await cursor.look((line) => list.add(line));
    if (look !== 'replaced' && look !== 'gone') return list.all();
    list = createPlaceList(session.id, agent);
    cursor = createLineCursor(source.path);
    await cursor.look((line) => list.add(line));
    return list.all();
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    // One after the other: who asks while the file is being read gets all of it, too.
    places() {
      const next = last.then(lookOn, lookOn);
      last = next;
      return next;
    },
    leftOut: () => list.leftOut(),
    files: [source.path],
    read: async (places) => {
      const handle = await openRegular(source.path);
      try {
        const messages: TranscriptMessage[] = [];
        for (const place of places) {
          const records: EventRecord[] = [];
          for (const { offset, length } of place.lines) {
            const bytes = Buffer.alloc(length);
            const { bytesRead } = await handle.read(bytes, 0, length, offset);
            const line = { bytes: bytes.subarray(0, bytesRead), offset, length, torn: false, tooLong: false };
            records.push(...recordsIn(line, parseWhole).records);
          }
          const { id, timestamp } = place;
          const told = toMessage(records, session.id, agent);
          if (told.content.length > 0) messages.push({ id, timestamp, model: list.modelOf(id), ...told });
        }
        return messages;
      } finally {
        await handle.close();
      }
    },
  };
}

function toMessage(
  records: readonly EventRecord[],
  session: SessionId,
  agent: AgentId,
): Pick<TranscriptMessage, 'role' | 'content'> {
  const task = taskIn(records[0], session, agent);
  if (task !== undefined) return { role: 'user', content: [{ type: 'text', text: task }] };
  const calls = callsIn(records);
  const content: TranscriptBlock[] = [];
  for (const record of records) {
    if (record.type !== 'tool.execution_complete') {
      content.push(...toBlocks(record));
      continue;
    }
    const native = asText(record.data['toolCallId']);
    const at = content.findIndex((block) => block.type === 'tool_use' && block.tool_use_id === native);
    content.splice(at === -1 ? content.length : at + 1, 0, toResult(record.data, calls.get(native ?? '')));
  }
  return { role: roleOf(records[0]), content };
}

/** The call of another agent that made this one: all there is of its task in versions that do not repeat it. */
function taskIn(record: EventRecord | undefined, session: SessionId, agent: AgentId): string | undefined {
  if (!record || agentOf(record, session) === agent || !isSpawning(asText(record.data['toolName']))) return undefined;
  return asText(asObject(record.data['arguments'])?.['prompt']);
}

function roleOf(first: EventRecord | undefined): TranscriptMessage['role'] {
  if (!first) return 'system';
  if (first.type === 'user.message') return isHostPrompt(first.data) ? 'system' : 'user';
  return first.type === 'assistant.message' || first.type.startsWith('tool.') ? 'assistant' : 'system';
}

export interface PlaceList {
  add(line: Line): void;
  all(): readonly BodyPlace[];
  leftOut(): Readonly<Record<string, number>>;
  modelOf(id: string): string | null;
}

const MAX_TYPE = 80;
/** What the host says in a conversation: messages of their own. */
const TOLD = new Set(['user.message', 'system.notification', 'session.error', 'session.compaction_complete', 'abort']);

export function createPlaceList(session: SessionId, agent: AgentId): PlaceList {
  const places = new Map<string, BodyPlace & { readonly lines: ByteRange[] }>();
  const models = new Map<string, string>();
  const replyOfCall = new Map<string, string>();
  const unknown = new Map<string, number>();
  /** Where calls stand that ask for agents: up to about 1.0.7x the task of an agent is in no line of its own. */
  const taskAt = new Map<string, EventRecord>();
  let madeBy: EventRecord | undefined;

  const put = (id: string, { offset, length, at }: EventRecord): void => {
    const timestamp = at === undefined ? null : new Date(at).toISOString();
    const place = places.get(id) ?? { id, timestamp, lines: [] };
    places.set(id, place);
    place.lines.push({ offset, length });
  };
  const addReply = (record: EventRecord): void => {
    const id = messageIdOf(record);
    const task = places.size === 0 && madeBy && taskAt.get(asText(madeBy.data['toolCallId']) ?? '');
    if (task) put(eventId(task), task);
    put(id, record);
    const model = asText(record.data['model']);
    if (model !== undefined) models.set(id, model);
    for (const request of requestsIn(record.data)) replyOfCall.set(asText(request['toolCallId']) ?? '', id);
  };
  const addRecord = (record: EventRecord): void => {
    const { type, data } = record;
    const call = asText(data['toolCallId']) ?? '';
    const isStart = type === 'tool.execution_start' || type === 'tool.user_requested';
    if (isStart && isSpawning(asText(data['toolName']))) taskAt.set(call, record);
    if (agentOf(record, session) !== agent) return;
    if (!isKnownType(type)) unknown.set(type.slice(0, MAX_TYPE), (unknown.get(type.slice(0, MAX_TYPE)) ?? 0) + 1);
    if (type === 'subagent.started') madeBy = record;
    else if (type === 'assistant.message') addReply(record);
    else if (type === 'tool.execution_complete') put(replyOfCall.get(call) ?? eventId(record), record);
    else if (TOLD.has(type)) put(type === 'user.message' ? messageIdOf(record) : eventId(record), record);
    // Called by the person or by the program: no reply asked for it.
    else if (isStart && !replyOfCall.has(call)) {
      replyOfCall.set(call, eventId(record));
      put(eventId(record), record);
    }
  };
  return {
    add(line) {
      for (const record of recordsIn(line, parseLine).records) addRecord(record);
    },
    all: () => [...places.values()],
    leftOut: () => Object.fromEntries([...unknown].sort(([a], [b]) => (a < b ? -1 : 1))),
    modelOf: (id) => models.get(id) ?? null,
  };
}

/** The calls that these lines make, by their ids. */
export function callsIn(records: readonly EventRecord[]): ReadonlyMap<string, MadeCall> {
  const calls = new Map<string, MadeCall>();
  for (const { data } of records) {
    for (const request of [...requestsIn(data), ...(isObject(data) && asText(data['toolName']) ? [data] : [])]) {
      const tool = asText(request['name']) ?? asText(request['toolName']);
      const id = asText(request['toolCallId']);
      if (id !== undefined && tool !== undefined) calls.set(id, { tool, input: inputOf(request) });
    }
  }
  return calls;
}

export interface MadeCall {
  readonly tool: string;
  readonly input: unknown;
}

export function toBlocks({ type, data }: EventRecord): readonly TranscriptBlock[] {
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
      return [note('the request failed', asText(data['message']) ?? '')];
    case 'abort':
      return [{ type: 'notice', kind: 'interruption', title: 'interrupted', text: '', agent_id: null }];
    default:
      return [];
  }
}

const note = (title: string, text: string): NoticeBlock => ({
  type: 'notice',
  kind: 'note',
  title,
  text,
  agent_id: null,
});

function toReply(data: JsonObject): readonly TranscriptBlock[] {
  const thought = asText(data['reasoningText']);
  const text = asText(data['content']);
  return [
    ...(thought === undefined ? [] : [{ type: 'thinking', text: thought } as const]),
    ...(text === undefined ? [] : [{ type: 'text', text } as const]),
    ...requestsIn(data).flatMap((request) => toCall(request, asText(request['name']), inputOf(request))),
  ];
}

export function requestsIn(data: JsonObject): readonly JsonObject[] {
  return Array.isArray(data['toolRequests']) ? data['toolRequests'].filter(isObject) : [];
}

export function inputOf(request: JsonObject): unknown {
  return request['arguments'] ?? request['input'];
}

function toCall(data: JsonObject, tool: string | undefined, raw: unknown): readonly TranscriptBlock[] {
  const id = asText(data['toolCallId']);
  if (id === undefined || tool === undefined) return [];
  // A tool that takes a text: told as a field, so that every call has fields.
  const input = typeof raw === 'string' ? { input: raw } : (raw ?? {});
  return [{ type: 'tool_use', tool_use_id: id, name: tool, input, summary: summarise(tool, raw) ?? null }];
}

function toTold(data: JsonObject): readonly TranscriptBlock[] {
  const text = asText(data['content']);
  const attachments = Array.isArray(data['attachments']) ? data['attachments'].filter(isObject) : [];
  const media = attachments.map(toAttachment);
  if (text === undefined) return media;
  if (!isHostPrompt(data)) return [{ type: 'text', text }, ...media];
  return [{ type: 'notice', kind: 'reminder', title: asText(data['source']) ?? null, text, agent_id: null }, ...media];
}

function toAttachment(attachment: JsonObject): MediaBlock {
  return {
    type: 'attachment',
    media_type: asText(attachment['mimeType']) ?? asText(attachment['type']) ?? 'file',
    name: asText(attachment['displayName']) ?? asText(attachment['path']) ?? null,
    bytes: asAmount(attachment['byteLength']) ?? null,
  };
}

/** The marks around the text go; `kind` says whom it is about. */
function toNotice(data: JsonObject): NoticeBlock {
  const kind = asObject(data['kind']);
  const raw = asText(data['content']) ?? '';
  const text = /^<system_notification>\n?([\s\S]*?)\n?<\/system_notification>\s*$/.exec(raw)?.[1] ?? raw;
  const agent = asText(kind?.['agentId']) ?? null;
  const about = asText(kind?.['type']) ?? '';
  const isBackground = agent !== null || about.startsWith('shell_') || about.startsWith('workflow_');
  return {
    type: 'notice',
    kind: isBackground ? 'background' : 'note',
    title: about === '' ? null : about.replaceAll('_', ' '),
    text,
    agent_id: agent,
  };
}

/** `call`: the one whose result it is, where it is known. */
export function toResult(data: JsonObject, call: MadeCall | undefined): ToolResultBlock {
  const isError = outcomeOf(data).outcome !== 'ok';
  const changes = call && !isError ? changesBy(call, data) : [];
  return {
    type: 'tool_result',
    tool_use_id: asText(data['toolCallId']) ?? '',
    text: shownResult(data),
    is_error: isError,
    ...(changes.length > 0 && { changes }),
  };
}

function changesBy({ tool, input }: MadeCall, data: JsonObject): readonly FileChange[] {
  const patched = patchedFiles(tool, input);
  if (patched.length > 0) return patched.map(({ path, added, removed }) => ({ path, added, removed }));
  const file = fileWrittenBy(tool, input);
  if (file === undefined) return [];
  const diff = asText(asObject(data['result'])?.['detailedContent']);
  return [{ path: file, ...countLines(diff) }];
}

/** The host keeps what an edit did as a diff, with whole lines around it. */
function countLines(diff: string | undefined): Pick<FileChange, 'added' | 'removed'> {
  const from = diff?.search(/^@@ /m) ?? -1;
  if (diff === undefined || from === -1) return { added: null, removed: null };
  const lines = diff.slice(from).split('\n');
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { added: count('+'), removed: count('-') };
}
