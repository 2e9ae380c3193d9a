// From the lines of one message to its blocks, with their bodies.

import type { NoticeBlock, ToolResultBlock, TranscriptBlock } from '../../core/index.ts';
import { asObject, asText, type JsonObject } from '../../lib/json.ts';
import {
  callsIn,
  changesOf,
  firstLine,
  type MediaOptions,
  type PartCall,
  responsesIn,
  shownResult,
  spokenIn,
  summarise,
  toMedia,
  toSpokenBlocks,
} from '../shared/index.ts';
import { parseNotification } from './notification.ts';
import { kindOf, partsIn } from './record.ts';
import { displayOf, outcomeOf } from './results.ts';

export function toContent(records: readonly JsonObject[], options: MediaOptions): readonly TranscriptBlock[] {
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
