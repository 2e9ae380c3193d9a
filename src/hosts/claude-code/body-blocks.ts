// From one record to the blocks of its message, with their bodies.

import type { MediaBlock, ToolResultBlock, TranscriptBlock } from '../../core/index.ts';
import { asObject, asText, isObject, withinDepth } from '../../lib/json.ts';
import { changesIn } from './file-changes.ts';
import { framedPrompt, recognised, toNotices, toSystemNotice } from './harness-text.ts';
import { blocksOf, type RawRecord, textOf } from './record.ts';
import { summarise } from './tools.ts';

export interface BlockOptions {
  /** Spoken by the host, whatever the role says. */
  readonly isHarness: boolean;
  /** Images with their bytes. */
  readonly withMedia: boolean;
}

/** The record as somebody's words: what was typed while the agent was at work stands in an attachment. */
export function speechIn(record: RawRecord): RawRecord | undefined {
  switch (record['type']) {
    case 'user':
    case 'assistant':
      return record;
    case 'system':
      return asText(record['content']) === undefined ? undefined : record;
    case 'attachment': {
      const { type, prompt } = asObject(record['attachment']) ?? {};
      return type === 'queued_command' && prompt !== undefined
        ? { ...record, type: 'user', message: { content: prompt } }
        : undefined;
    }
    default:
      return undefined;
  }
}

export function toBlocks(record: RawRecord, options: BlockOptions): readonly TranscriptBlock[] {
  if (record['type'] === 'system') {
    return toSystemNotice(asText(record['subtype']) ?? '', asText(record['content']) ?? '', record['compactMetadata']);
  }
  const blocks = blocksOf(asObject(record['message']));
  const results = blocks.filter(({ type }) => type === 'tool_result').length;
  const details = results === 1 ? record['toolUseResult'] : undefined;
  return blocks.flatMap((block) => toBlock(block, record, details, options));
}

function toBlock(
  block: RawRecord,
  record: RawRecord,
  details: unknown,
  options: BlockOptions,
): readonly TranscriptBlock[] {
  switch (block['type']) {
    case 'text':
      return toSpoken(asText(block['text']), record, options);
    case 'thinking':
      return asText(block['thinking']) === undefined ? [] : [{ type: 'thinking', text: String(block['thinking']) }];
    case 'tool_use': {
      const name = asText(block['name']) ?? 'unknown';
      const summary = summarise(name, asObject(block['input'])) ?? null;
      const input = withinDepth(block['input'] ?? null);
      return [{ type: 'tool_use', tool_use_id: asText(block['id']) ?? '', name, input, summary }];
    }
    case 'tool_result':
      return [toResult(block, details, options)];
    default:
      return [toMedia(block, options)];
  }
}

function toSpoken(
  text: string | undefined,
  record: RawRecord,
  { isHarness }: BlockOptions,
): readonly TranscriptBlock[] {
  if (text === undefined) return [];
  if (record['type'] !== 'user') return [{ type: 'text', text }];
  if (record['isCompactSummary'] === true) return [{ type: 'summary', text }];
  if (isHarness) return toNotices(text);
  const { preface, prompt } = framedPrompt(text) ?? {};
  if (preface && prompt !== undefined) return [preface, { type: 'text', text: prompt }];
  return recognised(text) ?? [{ type: 'text', text }];
}

function toResult(block: RawRecord, details: unknown, options: BlockOptions): ToolResultBlock {
  const content = Array.isArray(block['content']) ? block['content'].filter(isObject) : [];
  const media = content.filter(({ type }) => type !== 'text').map((one) => toMedia(one, options));
  const isError = block['is_error'] === true;
  const changes = isError ? [] : changesIn(details);
  return {
    type: 'tool_result',
    tool_use_id: asText(block['tool_use_id']) ?? '',
    text: isError ? withoutMarks(textOf(block['content'])) : textOf(block['content']),
    is_error: isError,
    ...(media.length > 0 && { media }),
    ...(changes.length > 0 && { changes }),
  };
}

/** The program puts its own words about a call that it did not run between marks. */
function withoutMarks(text: string): string {
  return /^<tool_use_error>([\s\S]*)<\/tool_use_error>\s*$/.exec(text)?.[1] ?? text;
}

/** Images, documents, and what this version does not know: of these, only the name of their kind. */
function toMedia(block: RawRecord, { withMedia }: BlockOptions): MediaBlock {
  const source = asObject(block['source']);
  const data = source?.['type'] === 'base64' ? asText(source['data']) : undefined;
  const bytes = data === undefined ? null : sizeOfBase64(data);
  const type = asText(block['type']) ?? 'unknown';
  const media_type = asText(source?.['media_type']) ?? type;
  if (type === 'image') return { type: 'image', media_type, data: withMedia ? (data ?? null) : null, bytes };
  return { type: 'attachment', media_type, name: asText(block['title']) ?? asText(block['name']) ?? null, bytes };
}

function sizeOfBase64(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}
