// From one record to the blocks of its message, with their bodies.

import type { FileChange, MediaBlock, ToolResultBlock, TranscriptBlock } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, withinDepth } from '../../lib/json.ts';
import { diffLines } from '../../lib/patch-text.ts';
import { countLines, sizeOfBase64 } from '../shared/index.ts';
import { framedPrompt, recognised, toNotices, toSystemNotice } from './host-text.ts';
import { blocksOf, type RawRecord, textOf } from './record.ts';
import { fileWrittenBy, summarise } from './tools.ts';

interface BlockOptions {
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
  const framed = framedPrompt(text);
  if (framed) return [framed.preface, { type: 'text', text: framed.prompt }];
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

/** By `toolUseResult`. Empty where it holds no patch. */
export function changesIn(details: unknown): readonly FileChange[] {
  const result = asObject(details);
  const path = asText(result?.['filePath']);
  const patch = result?.['structuredPatch'];
  if (!result || path === undefined || !Array.isArray(patch)) return [];
  if (result['type'] === 'create') return [{ path, added: countLines(asText(result['content']) ?? ''), removed: 0 }];
  const lines = patch.filter(isObject).flatMap((hunk) => (Array.isArray(hunk['lines']) ? hunk['lines'] : []));
  const beginning = (sign: string): number =>
    lines.filter((line) => typeof line === 'string' && line.startsWith(sign)).length;
  return [{ path, added: beginning('+'), removed: beginning('-') }];
}

/** By what the call was given, if it went well. */
export function changesOfCall(tool: string, input: unknown, resultText: string): readonly FileChange[] {
  const fields = asObject(input);
  const path = fileWrittenBy(tool, fields);
  if (!fields || path === undefined) return [];
  const edits = (Array.isArray(fields['edits']) ? fields['edits'] : [fields]).filter(isEdit);
  return [{ path, ...(edits.length > 0 ? sumOf(edits) : writtenAnew(fields, resultText)) }];
}

type Edit = JsonObject & { readonly old_string: string; readonly new_string: string };

function isEdit(edit: unknown): edit is Edit {
  return isObject(edit) && typeof edit['old_string'] === 'string' && typeof edit['new_string'] === 'string';
}

function sumOf(edits: readonly Edit[]): Pick<FileChange, 'added' | 'removed'> {
  // In how many places a text was replaced, only the host knows.
  if (edits.some((edit) => edit['replace_all'] === true)) return { added: null, removed: null };
  let added = 0;
  let removed = 0;
  for (const { old_string: before, new_string: after } of edits) {
    const lines = before === '' ? [] : diffLines(before, after);
    added += before === '' ? countLines(after) : lines.filter(({ kind }) => kind === 'added').length;
    removed += lines.filter(({ kind }) => kind === 'removed').length;
  }
  return { added, removed };
}

/** A whole file, or a cell of a notebook. What it replaced, nobody says. */
function writtenAnew(fields: JsonObject, resultText: string): Pick<FileChange, 'added' | 'removed'> {
  const text = fields['content'] ?? fields['new_source'];
  const isNew = fields['edit_mode'] === 'insert' || resultText.startsWith('File created');
  return isNew && typeof text === 'string' ? { added: countLines(text), removed: 0 } : { added: null, removed: null };
}
