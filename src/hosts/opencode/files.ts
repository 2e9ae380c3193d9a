// Files that people keep: `opencode export`, the output of `opencode run --format json`, and recorded events of its server.

import type { AgentEvent } from '../../core/index.ts';
import { isMissing, modifiedAt } from '../../lib/folders.ts';
import { asObject, asText, type JsonObject, known, parseObject } from '../../lib/json.ts';
import { readHead, readLines } from '../../lib/read-lines.ts';
import { MAX_DOCUMENT_BYTES, readText } from '../../lib/regular-file.ts';
import type { SourceReader } from '../index.ts';
import type { SessionPosition } from './database/schema.ts';
import { eventOf } from './events.ts';
import { messageFacts, noteOf, sessionFacts } from './parse-messages.ts';
import { partFacts } from './parse-parts.ts';
import { objectsIn, problemFact, type RecordContext, toSessionInfo } from './record.ts';

const HEAD_BYTES = 8 * 1024;

/** Undefined if it is not a file of OpenCode's, or is gone. */
export async function sessionsInFile(
  file: string,
): Promise<{ readonly kind: FileKind; readonly sessions: readonly SessionPosition[] } | undefined> {
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
    return { kind, sessions: [...sessions].map(([id, parent]) => ({ id, modifiedAt: at, ...known({ parent }) })) };
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
const INFO = Buffer.from('"info":');

async function inEvents(file: string): Promise<Parents> {
  const parents = new Map<string, string | undefined>();
  await readLines(file, ({ bytes }) => {
    const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!line.includes(RECORD) || !line.includes(INFO)) return;
    const record = parseObject(line.toString('utf8'));
    const event = record && eventOf(record);
    const info = toSessionInfo(asObject(asObject(event?.['properties'])?.['info']));
    if (info && asText(event?.['type'])?.startsWith('session.')) parents.set(info.id, info.parent);
  });
  return parents;
}

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
  return EVENTS.test(text) ? 'events' : undefined;
}

/** `{info, messages: [{info, parts}]}`: one session, without its agents. */
export function createExportReader(context: RecordContext): SourceReader {
  return {
    read({ bytes, length }) {
      if (length === 0) return [];
      const document = parseObject(Buffer.from(bytes).toString('utf8'));
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

/** One message with all its parts. Each part has its `id`. */
export interface WholeMessage {
  readonly id: string;
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

/** A list of `{info, parts}`, as exports and the server have it. */
export function toMessages(list: unknown): readonly WholeMessage[] {
  return objectsIn(list).flatMap((message) => {
    const info = asObject(message['info']);
    const id = asText(info?.['id']);
    const parts = objectsIn(message['parts']).flatMap((part) => withId(part['id'], part));
    return info && id !== undefined ? [{ id, info, parts }] : [];
  });
}

/** Empty if one of them is missing. */
export function withId(id: unknown, part: JsonObject | undefined): readonly JsonObject[] {
  return part && asText(id) !== undefined ? [{ ...part, id }] : [];
}

export function wholeMessageFacts(
  { id, info, parts }: WholeMessage,
  session: string,
  context: RecordContext,
): readonly AgentEvent[] {
  const note = noteOf(info);
  return [
    ...messageFacts({ id, session }, info, context),
    ...parts.flatMap((part) => partFacts({ ...note, id: String(part['id']), session }, part, context)),
  ];
}
