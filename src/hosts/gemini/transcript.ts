// The transcript of one chat: the positions of its messages, and messages with their blocks.

import type { TranscriptBlock, TranscriptMessage } from '../../core/index.ts';
import {
  asInstant,
  asObject,
  asText,
  isObject,
  type JsonObject,
  parseJsonBytes,
  placesOfElements,
  recordInLine,
} from '../../lib/json.ts';
import { MAX_DOCUMENT_BYTES, readRegular } from '../../lib/regular-file.ts';
import type { ByteRange, LocatedSource, MessageLines, OpenTranscript } from '../index.ts';
import {
  changesOf,
  createKindCount,
  followPlaces,
  type MediaOptions,
  type PlaceList,
  parseShort,
  partsOf,
  readMessageLines,
  responsesIn,
  shownResult,
  spokenIn,
  toMedia,
  toNoticeBlock,
  toResultBlock,
  toSpokenBlocks,
  toTimestamp,
  toUseBlock,
} from '../shared/index.ts';
import { agentCallIn, answerIn, type ChatCall, callsOf, outcomeOf } from './calls.ts';
import { BEGINNINGS, contextIn, isHostText, toRecord } from './record.ts';

export function openTranscript(source: LocatedSource): OpenTranscript {
  const isDocument = source.shape === 'document';
  return {
    ...followPlaces(source, () => createPlaces(isDocument)),
    async read(places, options) {
      const messages = await (isDocument ? readFromDocument(source.path, places) : readFromLines(source.path, places));
      return messages.flatMap((message) => toMessage(message, { withMedia: options?.withMedia ?? false }) ?? []);
    },
  };
}

/** Each message as last written, without removed ones. */
function createPlaces(isDocument: boolean): PlaceList {
  const places = new Map<string, MessageLines>();
  const unknown = createKindCount();
  const put = (message: JsonObject, { offset, length }: ByteRange): void => {
    const id = asText(message['id']);
    // Results are in the message with the calls as well.
    if (id === undefined || isOnlyResults(message)) return;
    places.set(id, { id, timestamp: toTimestamp(asInstant(message['timestamp'])), lines: [{ offset, length }] });
  };
  const cut = (from: string): void => {
    const ids = [...places.keys()];
    for (const id of ids.slice(Math.max(0, ids.indexOf(from)))) places.delete(id);
  };
  const add = (value: JsonObject, place: ByteRange): void => {
    const record = toRecord(value);
    if (record.kind === 'message') put(record.message, place);
    else if (record.kind === 'rewind') cut(record.to);
    else if (record.kind === 'unknown') unknown.add(record.name);
    else if (record.kind === 'change')
      // Repeated without calls and tokens when a session is resumed, and shortened when it is compacted.
      for (const message of record.messages ?? []) if (!places.has(String(message['id']))) put(message, place);
  };
  return {
    add(line) {
      const { record, ...place } = recordInLine(line, parseShort, isDocument ? [] : BEGINNINGS);
      if (!record) return;
      if (!isDocument) return add(record, place);
      const list = Array.isArray(record['messages']) ? record['messages'] : [];
      const found = placesOfElements(line.bytes, 'messages');
      for (const [index, message] of list.entries()) if (isObject(message)) add(message, found[index] ?? line);
    },
    all: () => [...places.values()],
    leftOut: unknown.all,
  };
}

function isOnlyResults(message: JsonObject): boolean {
  const parts = partsOf(message['content']);
  return message['type'] === 'user' && spokenIn(parts) === '' && responsesIn(parts).length > 0;
}

async function readFromLines(file: string, places: readonly MessageLines[]): Promise<readonly JsonObject[]> {
  const messages = await readMessageLines(file, places);
  return messages
    .map(({ id, lines: [line] }) => line && messageIn(asObject(parseJsonBytes(line.bytes)), id))
    .filter((message) => message !== undefined);
}

/** A line that replaces the messages holds several. */
function messageIn(record: JsonObject | undefined, id: string): JsonObject | undefined {
  const set = asObject(record?.['$set'])?.['messages'];
  return Array.isArray(set) ? set.filter(isObject).find((message) => message['id'] === id) : record;
}

/** By id: the file may have been rewritten since its positions were found. */
async function readFromDocument(file: string, places: readonly MessageLines[]): Promise<readonly JsonObject[]> {
  const messages = asObject(parseJsonBytes(await readRegular(file, MAX_DOCUMENT_BYTES)))?.['messages'];
  const byId = new Map((Array.isArray(messages) ? messages.filter(isObject) : []).map((one) => [one['id'], one]));
  return places.map(({ id }) => byId.get(id)).filter((message) => message !== undefined);
}

function toMessage(message: JsonObject, options: MediaOptions): TranscriptMessage | undefined {
  const { role, content } = spokenBy(message, options);
  if (content.length === 0) return undefined;
  return {
    id: asText(message['id']) ?? '',
    role,
    timestamp: toTimestamp(asInstant(message['timestamp'])),
    model: asText(message['model']) ?? null,
    content,
  };
}

function spokenBy(message: JsonObject, options: MediaOptions): Pick<TranscriptMessage, 'role' | 'content'> {
  const parts = partsOf(message['content']);
  const text = spokenIn(parts);
  switch (message['type']) {
    case 'gemini':
      return {
        role: 'assistant',
        content: [
          ...thoughtsIn(message),
          ...toSpokenBlocks(parts, options),
          ...callsOf(message).flatMap((call) => toCallBlocks(call, options)),
        ],
      };
    case 'user':
      if (isHostText(text))
        return { role: 'system', content: [toNoticeBlock('reminder', 'session context', contextIn(text))] };
      return { role: 'user', content: toSpokenBlocks(parts, options) };
    default:
      return { role: 'system', content: text === '' ? [] : [toNoticeBlock('note', String(message['type']), text)] };
  }
}

function thoughtsIn(message: JsonObject): readonly TranscriptBlock[] {
  const thoughts = Array.isArray(message['thoughts']) ? message['thoughts'].filter(isObject) : [];
  return thoughts.flatMap((thought): readonly TranscriptBlock[] => {
    const text = [thought['subject'], thought['description']].flatMap((part) => asText(part) ?? []).join('\n\n');
    return text === '' ? [] : [{ type: 'thinking', text }];
  });
}

function toCallBlocks(call: ChatCall, options: MediaOptions): readonly TranscriptBlock[] {
  const { id, tool, input, result } = call;
  const use = toUseBlock(id, tool, input);
  const outcome = outcomeOf(call)?.outcome;
  if (outcome === undefined) return [use];
  const isError = outcome !== 'ok' || agentCallIn(call)?.outcome === 'failed';
  const media = call.parts.flatMap((part) => toMedia(part, options));
  const changes = isError ? [] : changesOf(tool, input, call.display, result);
  return [use, toResultBlock(id, answerIn(result) ?? shownResult(result), isError, { media, changes })];
}
