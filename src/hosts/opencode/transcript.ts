// The transcript of one agent, from any source: messages with their blocks.

import path from 'node:path';
import {
  type AgentId,
  type FileChange,
  type MediaBlock,
  type NoticeBlock,
  type NoticeKind,
  nativeId,
  type ToolResultBlock,
  type TranscriptBlock,
  type TranscriptMessage,
} from '../../core/index.ts';
import { groupBy } from '../../lib/group.ts';
import { asAmount, asObject, asText, isObject, type JsonObject, parseObject } from '../../lib/json.ts';
import { readLines } from '../../lib/read-lines.ts';
import { MAX_DOCUMENT_BYTES, readText } from '../../lib/regular-file.ts';
import { type ReadOnlyDatabase, readDatabase, textOf } from '../../lib/sqlite.ts';
import type { LocatedSession, LocatedSource, MessageLines, OpenTranscript } from '../index.ts';
import { countLines, firstLine, type MediaOptions } from '../shared/index.ts';
import { readSecondSchema } from './database/schema.ts';
import { toMessage as toSecondMessage } from './database/second.ts';
import { eventOf } from './events.ts';
import { isSecondExport } from './files.ts';
import type { Role } from './locate.ts';
import { createdAtOf, errorText } from './parse-messages.ts';
import { objectsIn } from './record.ts';
import { applyEvent, createSecondMessages, isSecondEvent } from './second/events.ts';
import { toWhole } from './second/messages.ts';
import { getList } from './server/http.ts';
import { isSecondServer, listMessages } from './server/second.ts';
import { jsonFilesIn, messageFolder, partFolder, readRecord } from './storage.ts';
import { toPart } from './stream.ts';
import { fileWrittenBy, INVALID, summarise } from './tools.ts';
import { toMessages, type WholeMessage, withId } from './whole-messages.ts';

type Loader = (file: string, session: string) => Promise<readonly WholeMessage[]>;

const LOADERS: Readonly<Record<Exclude<Role, 'database'>, Loader>> = {
  storage: loadStorage,
  export: loadExport,
  stream: loadStream,
  events: loadEvents,
  server: loadServed,
};

const IN_ONE_FILE = new Set<Role>(['export', 'stream', 'events']);

export function openTranscript(_session: LocatedSession, source: LocatedSource, agent: AgentId): OpenTranscript {
  const role = source.role as Role;
  if (role === 'database') return openDatabaseTranscript(source.path, nativeId(agent));
  let loaded: readonly WholeMessage[] = [];
  return {
    async places() {
      loaded = await LOADERS[role](source.path, nativeId(agent));
      return loaded.map(({ id, info }) => placeOf(id, createdAtOf(info)));
    },
    async read(places, options: MediaOptions = { withMedia: false }) {
      const wanted = new Set(places.map(({ id }) => id));
      return loaded.filter(({ id }) => wanted.has(id)).map((message) => toMessage(message, options));
    },
    leftOut: () => ({}),
    ...(IN_ONE_FILE.has(role) && { files: [source.path] }),
  };
}

function placeOf(id: string, createdAt: number | undefined): MessageLines {
  return { id, timestamp: createdAt === undefined ? null : new Date(createdAt).toISOString(), lines: [] };
}

function openDatabaseTranscript(file: string, session: string): OpenTranscript {
  return {
    places: () =>
      readDatabase(file, (database) => {
        if (readSecondSchema(database, file)) return secondPlaces(database, session);
        const sql = `select ${textOf('id')} as id, time_created from message where session_id = ? order by time_created, id`;
        const rows = database.all(sql, session).filter(({ id }) => asText(id) !== undefined);
        return rows.map(({ id, time_created }) => placeOf(String(id), asAmount(time_created)));
      }),
    read: (places, options: MediaOptions = { withMedia: false }) =>
      readDatabase(file, (database) => {
        const read = readSecondSchema(database, file) ? readSecondMessage : readMessage;
        return places.flatMap(({ id }) => read(database, id)).map((message) => toMessage(message, options));
      }),
    leftOut: () => ({}),
    // The last commits are in the second one.
    files: [file, `${file}-wal`],
  };
}

function secondPlaces(database: ReadOnlyDatabase, session: string): readonly MessageLines[] {
  const columns = `${textOf('id')} as id, ${textOf('type')} as type, time_created`;
  const rows = database.all(`select ${columns} from session_message where session_id = ? order by seq`, session);
  return rows
    .filter(({ id, type }) => asText(id) !== undefined && isSaid({ type }))
    .map(({ id, time_created }) => placeOf(String(id), asAmount(time_created)));
}

function readSecondMessage(database: ReadOnlyDatabase, id: string): readonly WholeMessage[] {
  const columns = `${textOf('id')} as id, ${textOf('type')} as type, ${textOf('data')} as data`;
  const [row] = database.all(`select ${columns} from session_message where id = ?`, id);
  const message = row && toSecondMessage(row);
  return message ? wholeOf([message]) : [];
}

/** Without ends of executions, and without changes of agent, model or folder. */
function isSaid({ type }: JsonObject): boolean {
  return type !== 'idle' && !/-switched$/.test(String(type));
}

function wholeOf(messages: Iterable<JsonObject>): readonly WholeMessage[] {
  return [...messages].filter(isSaid).flatMap((message) => toWhole(message) ?? []);
}

/** Empty if it is gone, or not JSON. */
function readMessage(database: ReadOnlyDatabase, id: string): readonly WholeMessage[] {
  const [row] = database.all(`select ${textOf('data')} as data from message where id = ?`, id);
  const info = parseObject(row?.['data']);
  if (!info) return [];
  // Ids of parts ascend, but wrap every 2.2 years.
  const sql = `select ${textOf('id')} as id, ${textOf('data')} as data from part where message_id = ? order by time_created, id`;
  const parts = database.all(sql, id).flatMap((part) => withId(part['id'], parseObject(part['data'])));
  return [{ id, info, parts }];
}

async function loadExport(file: string, session: string): Promise<readonly WholeMessage[]> {
  const document = parseObject(await readText(file, MAX_DOCUMENT_BYTES));
  if (!document || asText(asObject(document['info'])?.['id']) !== session) return [];
  return isSecondExport(document) ? wholeOf(objectsIn(document['messages'])) : toMessages(document['messages']);
}

async function loadServed(root: string, session: string): Promise<readonly WholeMessage[]> {
  if (await isSecondServer(root)) return wholeOf(await listMessages(root, session));
  return toMessages(await getList(root, `/session/${session}/message`));
}

async function loadStorage(storage: string, session: string): Promise<readonly WholeMessage[]> {
  const messages: WholeMessage[] = [];
  for (const file of await jsonFilesIn(messageFolder(storage, session))) {
    const info = (await readRecord(file))?.record;
    if (!info) continue;
    const id = path.basename(file, '.json');
    const parts: JsonObject[] = [];
    for (const one of await jsonFilesIn(partFolder(storage, session, id)))
      parts.push(...withId(path.basename(one, '.json'), (await readRecord(one))?.record));
    messages.push({ id, info, parts });
  }
  return messages.sort((a, b) => (createdAtOf(a.info) ?? 0) - (createdAtOf(b.info) ?? 0) || (a.id < b.id ? -1 : 1));
}

/** The last state of each message and part counts. */
async function loadEvents(file: string, session: string): Promise<readonly WholeMessage[]> {
  const [infos, parts] = [new Map<string, JsonObject>(), new Map<string, JsonObject>()];
  const second = createSecondMessages();
  const keep = (records: Map<string, JsonObject>, record: JsonObject | undefined): void => {
    const id = asText(record?.['id']);
    if (record?.['sessionID'] === session && id !== undefined) records.set(id, record);
  };
  await readLines(file, ({ bytes }) => {
    const record = parseObject(Buffer.from(bytes).toString('utf8'));
    const event = record && eventOf(record);
    if (event && isSecondEvent(event)) return void applyEvent(second, event);
    const properties = asObject(event?.['properties']);
    if (event?.['type'] === 'message.updated') keep(infos, asObject(properties?.['info']));
    if (event?.['type'] === 'message.part.updated') keep(parts, asObject(properties?.['part']));
  });
  const own = [...second.messages.values()].filter(({ sessionID }) => sessionID === session);
  return [...joinParts(infos, parts), ...wholeOf(own)];
}

/** Only the parts of replies are printed. */
async function loadStream(file: string, session: string): Promise<readonly WholeMessage[]> {
  const [infos, parts] = [new Map<string, JsonObject>(), new Map<string, JsonObject>()];
  await readLines(file, ({ bytes }) => {
    const { sessionID, timestamp, part: printed } = parseObject(Buffer.from(bytes).toString('utf8')) ?? {};
    if (sessionID !== session || !isObject(printed)) return;
    const part = toPart(printed);
    const [id, message] = [asText(part['id']), asText(part['messageID'])];
    if (message !== undefined && !infos.has(message))
      infos.set(message, { role: 'assistant', time: { created: asAmount(timestamp) } });
    if (id !== undefined) parts.set(id, part);
  });
  return joinParts(infos, parts);
}

function joinParts(
  infos: ReadonlyMap<string, JsonObject>,
  parts: ReadonlyMap<string, JsonObject>,
): readonly WholeMessage[] {
  const partsOf = groupBy(parts.values(), ({ messageID }) => messageID);
  return [...infos].map(([id, info]) => ({ id, info, parts: partsOf.get(id) ?? [] }));
}

function toMessage({ id, info, parts }: WholeMessage, options: MediaOptions): TranscriptMessage {
  const createdAt = createdAtOf(info);
  const isReply = info['role'] === 'assistant';
  const blocks = parts.flatMap((part) => blocksOf(part, info, options));
  const content = [...blocks, ...errorBlocks(asObject(info['error']))];
  // A message that the program adds in the user's place.
  const isHostSpeaking = content.length > 0 && content.every(({ type }) => type === 'notice');
  return {
    id,
    role: isReply ? 'assistant' : isHostSpeaking ? 'system' : 'user',
    timestamp: createdAt === undefined ? null : new Date(createdAt).toISOString(),
    model: isReply ? (asText(info['modelID']) ?? null) : null,
    content,
  };
}

/** Steps, states of the folder, files that a step changed. */
const WITHOUT_TEXT = new Set(['step-start', 'step-finish', 'snapshot', 'patch']);

function blocksOf(part: JsonObject, info: JsonObject, options: MediaOptions): readonly TranscriptBlock[] {
  const type = asText(part['type']) ?? '';
  switch (type) {
    case 'text':
      return textBlocks(part, info);
    case 'reasoning':
      return asText(part['text']) === undefined ? [] : [{ type: 'thinking', text: String(part['text']) }];
    case 'tool':
      return callBlocks(part, options);
    case 'file':
      return [fileBlock(part, options)];
    case 'subtask':
      return [notice('command', `/${asText(part['command']) ?? asText(part['agent']) ?? ''}`, asText(part['prompt']))];
    case 'shell':
      return [notice('command', `!${asText(part['command']) ?? ''}`, asText(part['text']))];
    case 'agent':
      return [notice('note', `@${asText(part['name']) ?? ''}`)];
    case 'compaction':
      return [notice('compaction', 'The conversation is shortened')];
    case 'retry':
      return [notice('note', 'The request is made again', errorText(asObject(part['error'])))];
    default:
      return WITHOUT_TEXT.has(type) ? [] : [notice('note', type)];
  }
}

function textBlocks(part: JsonObject, info: JsonObject): readonly TranscriptBlock[] {
  const text = asText(part['text']);
  if (text === undefined) return [];
  if (info['summary'] === true) return [{ type: 'summary', text }];
  return part['synthetic'] === true ? [spokenNotice(text)] : [{ type: 'text', text }];
}

function errorBlocks(error: JsonObject | undefined): readonly TranscriptBlock[] {
  if (!error) return [];
  const text = errorText(error);
  const isStop = error['name'] === 'MessageAbortedError';
  return [notice(isStop ? 'interruption' : 'note', isStop ? 'Interrupted' : (firstLine(text) ?? 'Failed'), text)];
}

function callBlocks(part: JsonObject, options: MediaOptions): readonly TranscriptBlock[] {
  const id = String(part['id']);
  const state = asObject(part['state']) ?? {};
  const input = asObject(state['input']);
  const named = asText(part['tool']) ?? 'unknown';
  const name = named === INVALID ? (asText(input?.['tool']) ?? named) : named;
  const call = { type: 'tool_use', tool_use_id: id, name, input: state['input'] ?? {} } as const;
  const result = resultOf(id, named, state, options);
  return [{ ...call, summary: summarise(named, input) ?? null }, ...(result ? [result] : [])];
}

function resultOf(id: string, tool: string, state: JsonObject, options: MediaOptions): ToolResultBlock | undefined {
  const { status } = state;
  if (status !== 'completed' && status !== 'error') return undefined;
  const is_error = status === 'error' || tool === INVALID;
  const text = asText(state[status === 'error' ? 'error' : 'output']) ?? '';
  const attached = objectsIn(state['attachments']);
  const changes = is_error ? [] : changesOf(tool, state);
  return {
    type: 'tool_result',
    tool_use_id: id,
    text,
    is_error,
    ...(attached.length > 0 && { media: attached.map((file) => fileBlock(file, options)) }),
    ...(changes.length > 0 && { changes }),
  };
}

/** Changed lines, as counted by the program. */
function changesOf(tool: string, state: JsonObject): readonly FileChange[] {
  const metadata = asObject(state['metadata']);
  const counted = [...objectsIn([metadata?.['filediff']]), ...objectsIn(metadata?.['files'])];
  const changes = counted.flatMap((file) => changeIn(file) ?? []);
  if (changes.length > 0) return changes;
  const input = asObject(state['input']);
  const path = fileWrittenBy(tool, input);
  if (path === undefined) return [];
  const content = input?.['content'];
  // The former content is known only of a new file.
  const isNew = metadata?.['exists'] === false && typeof content === 'string';
  return [{ path, added: isNew ? countLines(content) : null, removed: isNew ? 0 : null }];
}

function changeIn(file: JsonObject): FileChange | undefined {
  const path = asText(file['file']) ?? asText(file['filePath']);
  const [added, removed] = [asAmount(file['additions']), asAmount(file['deletions'])];
  return path === undefined || added === undefined || removed === undefined ? undefined : { path, added, removed };
}

const DATA_URL = /^data:[^,]*;base64,/;

/** `{mime, filename?, url}`: the file is in a data URL, or elsewhere. */
function fileBlock(part: JsonObject, { withMedia }: MediaOptions): MediaBlock {
  const media_type = asText(part['mime']) ?? 'application/octet-stream';
  const url = asText(part['url']) ?? '';
  const [prefix] = DATA_URL.exec(url) ?? [];
  const data = prefix === undefined ? undefined : url.slice(prefix.length);
  const bytes = data === undefined ? null : Buffer.byteLength(data, 'base64');
  if (media_type.startsWith('image/')) return { type: 'image', media_type, data: (withMedia && data) || null, bytes };
  return { type: 'attachment', media_type, name: asText(part['filename']) ?? null, bytes };
}

function notice(kind: NoticeKind, title: string, text = '', agent: string | null = null): NoticeBlock {
  return { type: 'notice', kind, title, text, agent_id: agent };
}

/** `<task id="ses_…" state="completed"><summary>…</summary><task_result>…</task_result></task>`. */
const TASK =
  /^<task id="(ses_[^"]+)" state="\w+">\s*(?:<summary>(.*?)<\/summary>)?\s*(?:<(task_result|task_error)>\s*(.*?)\s*<\/\3>)?/s;
/** Since 2.0: `<subagent sessionID="ses_…" state="completed" description="…">…</subagent>`. */
const SUBAGENT = /^<subagent sessionID="(ses_[^"]+)" state="(\w+)"(?: description="(.*?)")?>\s*(.*?)\s*<\/subagent>/s;
const STATES: Readonly<Record<string, string>> = { error: 'failed' };

/** A text by the program itself. */
function spokenNotice(text: string): NoticeBlock {
  const [, agent, summary, , result] = TASK.exec(text) ?? [];
  if (agent !== undefined) return notice('background', summary ?? 'A task has news', result, agent);
  const [, own, state = '', description, said] = SUBAGENT.exec(text) ?? [];
  if (own !== undefined)
    return notice('background', `Background task ${STATES[state] ?? state}: ${description ?? own}`, said, own);
  return notice('note', firstLine(text)?.slice(0, 200) ?? '', text);
}
