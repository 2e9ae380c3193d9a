// The transcript of one agent: the positions of its messages, and messages with their blocks.

import type { NoticeBlock, ToolResultBlock, TranscriptBlock, TranscriptMessage } from '../../core/index.ts';
import {
  asInstant,
  asObject,
  asText,
  isObject,
  type JsonObject,
  parseJsonBytes,
  recordInLine,
} from '../../lib/json.ts';
import type { ByteRange, LocatedSource, MessageLines, OpenTranscript } from '../index.ts';
import {
  callsIn,
  changesOf,
  createKindCount,
  firstLine,
  followPlaces,
  type MediaOptions,
  type PartCall,
  type PlaceList,
  readPieces,
  responsesIn,
  shownResult,
  spokenIn,
  summarise,
  toMedia,
  toSpokenBlocks,
} from '../shared/index.ts';
import { displayOf, outcomeOf, parseNotification } from './agents.ts';
import { isKnownKind } from './parse-lines.ts';
import { BEGINNINGS, kindOf, parseShort, partsIn } from './record.ts';

export function openTranscript(source: LocatedSource): OpenTranscript {
  return {
    ...followPlaces(source, createPlaces),
    async read(places, options) {
      const pieces = await readPieces(
        source.path,
        places.flatMap(({ lines }) => lines),
      );
      const records = pieces.map(parseJsonBytes);
      let next = 0;
      return places.flatMap(({ id, timestamp, lines }): readonly TranscriptMessage[] => {
        const own = records.slice(next, next + lines.length).filter(isObject);
        next += lines.length;
        const content = toContent(own, { withMedia: options?.withMedia ?? false });
        const model = own.flatMap((record) => asText(record['model']) ?? [])[0] ?? null;
        return content.length === 0 ? [] : [{ id, role: roleOf(own[0]), timestamp, model, content }];
      });
    },
  };
}

/** Several lines of one reply, and the results of its calls, are one message. */
function createPlaces(): PlaceList {
  const places = new Map<string, MessageLines & { readonly lines: ByteRange[] }>();
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
      const { record, offset, length } = recordInLine(line, parseShort, BEGINNINGS);
      if (!record) return;
      const kind = kindOf(record);
      if (!isKnownKind(kind)) unknown.add(kind);
      const id = messageOf(record, asText(record['uuid']) ?? `@${offset}`);
      if (id === undefined) return;
      const at = asInstant(record['timestamp']);
      const timestamp = at === undefined ? null : new Date(at).toISOString();
      const place = places.get(id) ?? { id, timestamp, lines: [] };
      places.set(id, place);
      place.lines.push({ offset, length });
    },
    all: () => [...places.values()],
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
  const calls = new Map<string, PartCall>();
  for (const record of records) {
    const kind = kindOf(record);
    if (kind === 'tool_result') {
      for (const result of toResults(record, calls, options)) {
        const at = content.findIndex((block) => block.type === 'tool_use' && block.tool_use_id === result.tool_use_id);
        content.splice(at === -1 ? content.length : at + 1, 0, result);
      }
      continue;
    }
    content.push(...toSpoken(record, kind, options));
    for (const [index, call] of callsIn(partsIn(record)).entries()) {
      const id = call.id ?? `${record['uuid']}#${index}`;
      calls.set(id, call);
      const summary = summarise(call.tool, call.input) ?? null;
      content.push({ type: 'tool_use', tool_use_id: id, name: call.tool, input: call.input, summary });
    }
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
  return {
    type: 'notice',
    kind: 'background',
    title: notice?.summary ?? firstLine(text) ?? null,
    text: notice?.report ?? (notice ? '' : text),
    agent_id: notice?.agent ?? null,
  };
}

function toCompaction(record: JsonObject): TranscriptBlock {
  const history = asObject(record['systemPayload'])?.['compressedHistory'];
  const [summary] = Array.isArray(history) ? history : [];
  const text = spokenIn(partsIn({ message: asObject(summary) ?? {} }));
  if (text !== '') return { type: 'summary', text };
  return { type: 'notice', kind: 'compaction', title: 'the conversation was shortened', text: '', agent_id: null };
}

function toResults(
  record: JsonObject,
  calls: ReadonlyMap<string, PartCall>,
  options: MediaOptions,
): readonly ToolResultBlock[] {
  const parts = partsIn(record);
  const details = asObject(record['toolCallResult']);
  const media = parts.flatMap((part) => toMedia(part, options));
  return responsesIn(parts).map((response) => {
    const id = response.id ?? asText(details?.['callId']) ?? '';
    const call = calls.get(id);
    const isError = outcomeOf(response, details).outcome !== 'ok' || displayOf(details)?.['status'] === 'failed';
    const changes = call && !isError ? changesOf(call.tool, call.input, displayOf(details), response.text) : [];
    return {
      type: 'tool_result',
      tool_use_id: id,
      text: shownResult(response.text),
      is_error: isError,
      ...(media.length > 0 && { media }),
      ...(changes.length > 0 && { changes }),
    };
  });
}
