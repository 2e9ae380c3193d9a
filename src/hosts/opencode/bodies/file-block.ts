import type { MediaBlock } from '../../../core/index.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';

const DATA_URL = /^data:[^,]*;base64,/;

/** `{mime, filename?, url}`: the file itself stands in the address, or lies elsewhere. */
export function fileBlock(part: JsonObject, { withMedia }: { readonly withMedia: boolean }): MediaBlock {
  const media_type = asText(part['mime']) ?? 'application/octet-stream';
  const url = asText(part['url']) ?? '';
  const [prefix] = DATA_URL.exec(url) ?? [];
  const data = prefix === undefined ? undefined : url.slice(prefix.length);
  const bytes = data === undefined ? null : Buffer.byteLength(data, 'base64');
  if (media_type.startsWith('image/')) return { type: 'image', media_type, data: (withMedia && data) || null, bytes };
  return { type: 'attachment', media_type, name: asText(part['filename']) ?? null, bytes };
}
