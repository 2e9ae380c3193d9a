// The transcript of one agent: the positions of its messages, and messages with their blocks.

import type { NoticeBlock, TranscriptBlock, TranscriptMessage } from '../../core/index.ts';
import {
  asInstant,
  asObject,
  asText,
  isObject,
  type JsonObject,
  parseJsonBytes,
  recordInLine,
} from '../../lib/json.ts';
import type { LocatedSource, OpenTranscript } from '../index.ts';
import {
  callsIn,
  changesOf,
  createKindCount,
  firstLine,
  followPlaces,
  insertResult,
  type MediaOptions,
  MessagePlaces,
  type PlaceList,
  parseShort,
  readMessageLines,
  responsesIn,
  shownResult,
  spokenIn,
  toMedia,
  toNoticeBlock,
  toResultBlock,
  toSpokenBlocks,
  toUseBlock,
} from '../shared/index.ts';
import { displayOf, outcomeOf, parseNotification } from './agents.ts';
import { isKnownKind } from './parse-lines.ts';
import { BEGINNINGS, kindOf, partsIn } from './record.ts';

export function openTranscript(source: LocatedSource): OpenTranscript {
  return {
    ...followPlaces(source, createPlaces),
    async read(places, options) {
      const messages = await readMessageLines(source.path, places);
      return messages.flatMap(({ id, timestamp, lines }): readonly TranscriptMessage[] => {
        const records = lines.map(({ bytes }) => parseJsonBytes(bytes)).filter(isObject);
        const content = toContent(records, { withMedia: options?.withMedia ?? false });
        const model = records.flatMap((record) => asText(record['model']) ?? [])[0] ?? null;
        return content.length === 0 ? [] : [{ id, role: roleOf(records[0]), timestamp, model, content }];
      });
    },
  };
}

/** Several lines of one reply, and the results of its calls, are one message. */
function createPlaces(): PlaceList {
  const places = new MessagePlaces();
  const replyOfCall = new Map<string, string>();
  const unknown = createKindCount();
  let reply: string | undefined;
  const messageOf = (record: JsonObject, own: string): string | undefined => {
    const kind = kindOf(record);
    if (kind === 'assistant') {
      if (asObject(record['usageMetadata']) || reply === undefined) reply = own;
      for (const { id } of callsIn(partsIn(record))) if (id !== undefined) replyOfCall.set(id, reply);
      return reply;
    }
    if (kind.startsWith('system/')) return kind === 'system/chat_compression' ? own : undefined;
    reply = undefined;
    if (kind === 'user') return own;
    const call = responsesIn(partsIn(record))[0]?.id;
    return kind === 'tool_result' ? (replyOfCall.get(call ?? '') ?? own) : undefined;
  };
  return {
    add(line) {
      const { record, ...range } = recordInLine(line, parseShort, BEGINNINGS);
      if (!record) return;
      const kind = kindOf(record);
      if (!isKnownKind(kind)) unknown.add(kind);
      const id = messageOf(record, asText(record['uuid']) ?? `@${range.offset}`);
      if (id !== undefined) places.add(id, asInstant(record['timestamp']), range);
    },
    all: () => places.all(),
    leftOut: unknown.all,
  };
}

function roleOf(record: JsonObject | undefined): TranscriptMessage['role'] {
  if (!record) return 'system';
  const kind = kindOf(record);
  if (kind === 'user') return record['subtype'] === 'notification' ? 'system' : 'user';
  return kind.startsWith('system/') ? 'system' : 'assistant';
}

function toContent(records: readonly JsonObject[], options: MediaOptions): readonly TranscriptBlock[] {
  const content: TranscriptBlock[] = [];
  for (const record of records) {
    const kind = kindOf(record);
    if (kind === 'tool_result') {
      addResults(record, content, options);
      continue;
    }
    content.push(...toSpoken(record, kind, options));
    for (const [index, { id, tool, input }] of callsIn(partsIn(record)).entries())
      content.push(toUseBlock(id ?? `${record['uuid']}#${index}`, tool, input));
  }
  return content;
}

function toSpoken(record: JsonObject, kind: string, options: MediaOptions): readonly TranscriptBlock[] {
  const parts = partsIn(record);
  if (kind === 'system/chat_compression') return [toCompaction(record)];
  if (kind === 'user' && record['subtype'] === 'notification') return [toNotice(spokenIn(parts))];
  return toSpokenBlocks(parts, options);
}

function toNotice(text: string): NoticeBlock {
  const notice = parseNotification(text);
  if (!notice) return toNoticeBlock('background', firstLine(text) ?? null, text);
  const { summary, report = '', agent } = notice;
  return toNoticeBlock('background', summary ?? firstLine(text) ?? null, report, agent);
}

function toCompaction(record: JsonObject): TranscriptBlock {
  const history = asObject(record['systemPayload'])?.['compressedHistory'];
  const [summary] = Array.isArray(history) ? history : [];
  const text = spokenIn(partsIn({ message: asObject(summary) ?? {} }));
  if (text !== '') return { type: 'summary', text };
  return toNoticeBlock('compaction', 'the conversation was shortened', '');
}

function addResults(record: JsonObject, content: TranscriptBlock[], options: MediaOptions): void {
  const parts = partsIn(record);
  const details = asObject(record['toolCallResult']);
  const media = parts.flatMap((part) => toMedia(part, options));
  for (const response of responsesIn(parts)) {
    const id = response.id ?? asText(details?.['callId']) ?? '';
    const isError = outcomeOf(response, details).outcome !== 'ok' || displayOf(details)?.['status'] === 'failed';
    insertResult(content, id, (call) => {
      const input = asObject(call?.input) ?? {};
      const changes = call && !isError ? changesOf(call.name, input, displayOf(details), response.text) : [];
      return toResultBlock(id, shownResult(response.text), isError, { media, changes });
    });
  }
}
