// Parts as blocks of a transcript. Calls and their results are put together by each host, which keeps them in its own way.

import type { MediaBlock, TranscriptBlock } from '../../../core/index.ts';
import { asFlag, asObject, asText, type JsonObject } from '../../../lib/json.ts';

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
    const bytes = Math.floor((data.replace(/=+$/, '').length * 3) / 4);
    if (media_type.startsWith('image/')) return [{ type: 'image', media_type, data: withMedia ? data : null, bytes }];
    return [{ type: 'attachment', media_type, name: asText(inline['displayName']) ?? null, bytes }];
  }
  if (!file) return [];
  const media_type = asText(file['mimeType']) ?? 'application/octet-stream';
  return [{ type: 'attachment', media_type, name: asText(file['fileUri']) ?? null, bytes: null }];
}
