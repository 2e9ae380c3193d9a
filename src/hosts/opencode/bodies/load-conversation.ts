// Whole conversations from doors that are files: they are read as a whole.

import path from 'node:path';
import { asAmount, asObject, asText, isObject, type JsonObject, parseObject } from '../../../lib/json.ts';
import { readLines } from '../../../lib/read-lines.ts';
import { MAX_DOCUMENT_BYTES, readText } from '../../../lib/regular-file.ts';
import { createdAtOf } from '../facts/message-facts.ts';
import { eventOf } from '../files/read-events.ts';
import { getList } from '../server/request.ts';
import { jsonFilesIn, messageFolder, partFolder, readRecord } from '../storage/storage-files.ts';
import type { WholeMessage, WholePart } from './conversation.ts';

export async function loadExport(file: string, session: string): Promise<readonly WholeMessage[]> {
  const document = parseObject(await readText(file, MAX_DOCUMENT_BYTES));
  if (asText(asObject(document?.['info'])?.['id']) !== session) return [];
  return toMessages(Array.isArray(document?.['messages']) ? document['messages'].filter(isObject) : []);
}

export async function loadServed(root: string, session: string): Promise<readonly WholeMessage[]> {
  return toMessages(await getList(root, `/session/${session}/message`));
}

/** `{info, parts}` each. */
function toMessages(messages: readonly JsonObject[]): readonly WholeMessage[] {
  return messages.flatMap((message) => {
    const info = asObject(message['info']);
    const id = asText(info?.['id']);
    const parts = Array.isArray(message['parts']) ? message['parts'].filter(isObject) : [];
    return info && id !== undefined ? [{ id, info, parts: parts.flatMap(withId) }] : [];
  });
}

export async function loadStorage(storage: string, session: string): Promise<readonly WholeMessage[]> {
  const messages: WholeMessage[] = [];
  for (const file of await jsonFilesIn(messageFolder(storage, session))) {
    const info = (await readRecord(file))?.record;
    if (!info) continue;
    const id = path.basename(file, '.json');
    const parts: WholePart[] = [];
    for (const one of await jsonFilesIn(partFolder(storage, session, id))) {
      const part = (await readRecord(one))?.record;
      if (part) parts.push({ id: path.basename(one, '.json'), part });
    }
    messages.push({ id, info, parts });
  }
  return messages.sort((a, b) => (createdAtOf(a.info) ?? 0) - (createdAtOf(b.info) ?? 0) || (a.id < b.id ? -1 : 1));
}

/** The last state of each message and part counts. */
export async function loadEvents(file: string, session: string): Promise<readonly WholeMessage[]> {
  const gathered = gather();
  await readLines(file, ({ bytes }) => {
    const record = parseObject(Buffer.from(bytes).toString('utf8'));
    const event = record && eventOf(record);
    const properties = asObject(event?.['properties']);
    const info = asObject(properties?.['info']);
    const part = asObject(properties?.['part']);
    if (event?.['type'] === 'message.updated' && info?.['sessionID'] === session) gathered.addInfo(info);
    if (event?.['type'] === 'message.part.updated' && part?.['sessionID'] === session) gathered.addPart(part);
  });
  return gathered.messages();
}

/** Only parts are printed, and only those of replies. */
export async function loadStream(file: string, session: string): Promise<readonly WholeMessage[]> {
  const gathered = gather();
  await readLines(file, ({ bytes }) => {
    const record = parseObject(Buffer.from(bytes).toString('utf8'));
    const part = asObject(record?.['part']);
    if (record?.['sessionID'] !== session || !part) return;
    const id = asText(part['messageID']);
    if (id !== undefined && !gathered.has(id))
      gathered.addInfo({ id, role: 'assistant', time: { created: asAmount(record['timestamp']) } });
    gathered.addPart(part);
  });
  return gathered.messages();
}

function gather() {
  const infos = new Map<string, JsonObject>();
  const parts = new Map<string, Map<string, JsonObject>>();
  return {
    has: (id: string) => infos.has(id),
    addInfo(info: JsonObject): void {
      const id = asText(info['id']);
      if (id !== undefined) infos.set(id, info);
    },
    addPart(part: JsonObject): void {
      const [id, message] = [asText(part['id']), asText(part['messageID'])];
      if (id === undefined || message === undefined) return;
      const own = parts.get(message) ?? new Map<string, JsonObject>();
      parts.set(message, own.set(id, part));
    },
    messages: (): readonly WholeMessage[] =>
      [...infos].map(([id, info]) => ({
        id,
        info,
        parts: [...(parts.get(id) ?? [])].map(([one, part]) => ({ id: one, part })),
      })),
  };
}

function withId(part: JsonObject): readonly WholePart[] {
  const id = asText(part['id']);
  return id === undefined ? [] : [{ id, part }];
}
