// Files that people keep: `opencode export`, the output of `opencode run --format json`, and recorded events of its server.

import type { AgentEvent } from '../../core/index.ts';
import { isMissing, modifiedAt } from '../../lib/folders.ts';
import { asObject, asText, closeJson, type JsonObject, known, parseObject } from '../../lib/json.ts';
import { readHead, readLines } from '../../lib/read-lines.ts';
import { MAX_DOCUMENT_BYTES, readText } from '../../lib/regular-file.ts';
import type { SourceReader } from '../index.ts';
import type { SessionPosition } from './database/schema.ts';
import { agentsMadeBy, eventOf } from './events.ts';
import { sessionFacts } from './parse-messages.ts';
import { isSessionId, objectsIn, problemFact, type RecordContext, toSessionInfo } from './record.ts';
import { isSecondEvent } from './second/events.ts';
import { isSecondMessage, toSecondInfo } from './second/messages.ts';
import { createTeller } from './second/tell.ts';
import { toMessages, wholeMessageFacts } from './whole-messages.ts';

const HEAD_BYTES = 8 * 1024;

interface FoundFile {
  readonly kind: FileKind;
  readonly sessions: readonly SessionPosition[];
  /** Written by OpenCode 2. */
  readonly isSecond: boolean;
}

/** Undefined if it is not a file of OpenCode's, or is gone. */
export async function sessionsInFile(file: string): Promise<FoundFile | undefined> {
  try {
    const head = await readHead(file, HEAD_BYTES);
    const kind = kindOf(head);
    if (!kind) return undefined;
    const at = await modifiedAt(file);
    const sessions =
      kind === 'events'
        ? await inEvents(file)
        : kind === 'stream'
          ? inHead(head, /"sessionID":"(ses_[^"]+)"/)
          : await inExport(file, head);
    const isSecond = SECOND[kind].test(Buffer.from(head).toString('utf8'));
    const found = [...sessions].map(([id, parent]) => ({ id, modifiedAt: at, ...known({ parent }) }));
    return { kind, sessions: found, isSecond };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

type Parents = ReadonlyMap<string, string | undefined>;

/** The session's record comes first, so the head is enough for half an export. */
async function inExport(file: string, head: Uint8Array): Promise<Parents> {
  const info = toSessionInfo(asObject(parseObject(await readText(file, MAX_DOCUMENT_BYTES))?.['info']));
  return info ? new Map([[info.id, info.parent]]) : inHead(head, /"id"\s*:\s*"(ses_[^"]+)"/);
}

function inHead(head: Uint8Array, pattern: RegExp): Parents {
  const id = pattern.exec(Buffer.from(head).toString('utf8'))?.[1];
  return new Map(id === undefined ? [] : [[id, undefined]]);
}

const RECORD = Buffer.from('"session.');
/** In each event with the record of a session, and in each of 2.0 that is about one. */
const NAMES = [Buffer.from('"info":'), Buffer.from('"sessionID":')];

async function inEvents(file: string): Promise<Parents> {
  const parents = new Map<string, string | undefined>();
  await readLines(file, ({ bytes }) => {
    const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!line.includes(RECORD) || !NAMES.some((name) => line.includes(name))) return;
    const record = parseObject(line.toString('utf8'));
    const event = record && eventOf(record);
    if (!event || !asText(event['type'])?.startsWith('session.')) return;
    if (isSecondEvent(event)) return noteParents(event, parents);
    const info = toSessionInfo(asObject(asObject(event['properties'])?.['info']));
    if (info) parents.set(info.id, info.parent);
  });
  return parents;
}

/** A recording may begin after a session did: then its calls tell whose agent it is. */
function noteParents(event: JsonObject, parents: Map<string, string | undefined>): void {
  const data = asObject(event['data']) ?? {};
  const session = asText(data['sessionID']);
  if (session === undefined || !isSessionId(session)) return;
  const parent = event['type'] === 'session.created' ? asText(data['parentID']) : undefined;
  if (parent !== undefined || !parents.has(session)) parents.set(session, parent);
  for (const made of agentsMadeBy({ content: [{ state: data }] })) parents.set(made, parents.get(made) ?? session);
}

/** By the head of the file. */
const SECOND: Readonly<Record<FileKind, RegExp>> = {
  export: /"location"\s*:\s*\{|"messages"\s*:\s*\[\s*\{\s*"id"/,
  stream: /"partID":"/,
  events: /"id":"evt_[^\n]*"data":\{/,
};

type FileKind = 'export' | 'stream' | 'events';

const EXPORT = /^\s*\{\s*"info"\s*:\s*\{[^{}]*?"id"\s*:\s*"ses_/;
const STREAM = /^\{"type":"[a-z_]+","timestamp":\d+,"sessionID":"ses_/;
/** As the server sends them, maybe wrapped in the time of the recording and the folder. */
const EVENTS =
  /^\{(?:"at":\d+,"data":\{)?(?:"directory":"[^"]*",)?(?:"project":"[^"]*",)?(?:"payload":\{)?(?:"id":"evt_[^"]*",)?"type":"(?:server|session|message|permission|plugin)\.[a-z.]+","properties":/;

/** By its first bytes. */
export function kindOf(head: Uint8Array): FileKind | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('utf8');
  if (EXPORT.test(text)) return 'export';
  if (STREAM.test(text)) return 'stream';
  return EVENTS.test(text) || beginsWithSecondEvent(text) ? 'events' : undefined;
}

/** Of 2.0: the order of its fields differs from event to event. */
function beginsWithSecondEvent(text: string): boolean {
  if (!/^\{[^\n]{0,80}"id":"evt_/.test(text)) return false;
  const [line = ''] = text.split('\n', 1);
  const record = parseObject(line) ?? parseObject(closeJson(line));
  return record !== undefined && isSecondEvent(eventOf(record));
}

/** `{info, messages: [{info, parts}]}`: one session, without its agents. */
export function createExportReader(context: RecordContext): SourceReader {
  return {
    read({ bytes, length }) {
      if (length === 0) return [];
      const document = parseObject(Buffer.from(bytes).toString('utf8'));
      if (document && isSecondExport(document)) return secondExportFacts(document, context);
      const session = toSessionInfo(asObject(document?.['info']));
      if (!document || !session)
        return [problemFact(context, 'invalid-json', 'no export, or not all of it', { offset: 0, length })];
      return [
        ...sessionFacts(session, context),
        ...toMessages(document['messages']).flatMap((message) => wholeMessageFacts(message, session.id, context)),
      ];
    },
  };
}

/** `opencode session export` of 2.0: the form is told by the messages, and by the folder where there are none. */
export function isSecondExport({ info, messages }: JsonObject): boolean {
  const [first] = objectsIn(messages);
  return first ? isSecondMessage(first) : asObject(asObject(info)?.['location']) !== undefined;
}

function secondExportFacts({ info, messages }: JsonObject, context: RecordContext): readonly AgentEvent[] {
  const session = toSecondInfo(asObject(info));
  if (!session) return [];
  const teller = createTeller(context);
  return [
    ...teller.session(session),
    ...objectsIn(messages).flatMap((message) => teller.message(session.id, message)),
    ...teller.leftover(session.id),
  ];
}
