// The parts of a message, as Google's API writes them.

import { type MediaBlock, NO_USAGE, type TranscriptBlock, type Usage } from '../../../core/index.ts';
import { asAmount, asFlag, asObject, asText, isObject, type JsonObject } from '../../../lib/json.ts';
import { sizeOfBase64 } from '../line-facts.ts';

/** A plain text, one part, or a list of them: all three are written. */
export function partsOf(content: unknown): readonly JsonObject[] {
  const list = Array.isArray(content) ? content : [content];
  return list.flatMap((part) => (isObject(part) ? [part] : typeof part === 'string' ? [{ text: part }] : []));
}

/** What was said, without thoughts. */
export function spokenIn(parts: readonly JsonObject[]): string {
  return parts
    .filter((part) => asFlag(part['thought']) !== true)
    .flatMap((part) => asText(part['text']) ?? [])
    .join('\n');
}

export interface PartCall {
  readonly id: string | undefined;
  readonly tool: string;
  readonly input: JsonObject;
}

export function callsIn(parts: readonly JsonObject[]): readonly PartCall[] {
  return parts.flatMap((part) => {
    const call = asObject(part['functionCall']);
    if (!call) return [];
    return [{ id: asText(call['id']), tool: asText(call['name']) ?? 'unknown', input: asObject(call['args']) ?? {} }];
  });
}

export interface PartResponse {
  readonly id: string | undefined;
  readonly text: string;
  readonly isError: boolean;
}

export function responsesIn(parts: readonly JsonObject[]): readonly PartResponse[] {
  return parts.flatMap((part) => {
    const given = asObject(part['functionResponse']);
    if (!given) return [];
    const response = asObject(given['response']);
    const error = asText(response?.['error']);
    return [{ id: asText(given['id']), text: error ?? textOf(response), isError: error !== undefined }];
  });
}

function textOf(response: JsonObject | undefined): string {
  const output = response?.['output'] ?? response?.['content'];
  if (typeof output === 'string') return output;
  return response === undefined ? '' : JSON.stringify(output ?? response, null, 2);
}

// Parts as blocks of a transcript. Calls and their results are put together by each host, which keeps them in its own way.

export interface MediaOptions {
  readonly withMedia: boolean;
}

export function toSpokenBlocks(parts: readonly JsonObject[], options: MediaOptions): readonly TranscriptBlock[] {
  return parts.flatMap((part): readonly TranscriptBlock[] => {
    const text = asText(part['text']);
    if (text === undefined) return toMedia(part, options);
    return [{ type: asFlag(part['thought']) === true ? 'thinking' : 'text', text }];
  });
}

export function toMedia(part: JsonObject, { withMedia }: MediaOptions): readonly MediaBlock[] {
  const inline = asObject(part['inlineData']);
  const file = asObject(part['fileData']);
  if (inline) {
    const data = asText(inline['data']) ?? '';
    const media_type = asText(inline['mimeType']) ?? 'application/octet-stream';
    const bytes = sizeOfBase64(data);
    if (media_type.startsWith('image/')) return [{ type: 'image', media_type, data: withMedia ? data : null, bytes }];
    return [{ type: 'attachment', media_type, name: asText(inline['displayName']) ?? null, bytes }];
  }
  if (!file) return [];
  const media_type = asText(file['mimeType']) ?? 'application/octet-stream';
  return [{ type: 'attachment', media_type, name: asText(file['fileUri']) ?? null, bytes: null }];
}

/**
 * The names of the counts. What came from the cache is part of the prompt; thoughts are not part of the answer, nor are results of tools
 * that ran on the service's side (`tool`) part of the prompt.
 */
type TokenFields = Readonly<Record<'prompt' | 'answer' | 'thoughts' | 'cached' | 'tool', string>>;

export function usageIn(counts: unknown, fields: TokenFields): Usage | undefined {
  if (!isObject(counts)) return undefined;
  const count = (field: string): number => asAmount(counts[field]) ?? 0;
  const cacheRead = count(fields.cached);
  return {
    ...NO_USAGE,
    input: Math.max(0, count(fields.prompt) - cacheRead) + count(fields.tool),
    output: count(fields.answer) + count(fields.thoughts),
    cacheRead,
  };
}
