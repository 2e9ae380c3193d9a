// Whether a file is Gemini CLI's, by its first bytes.

import { asObject, asText, isObject, type JsonObject, parseJsonBytes } from '../../lib/json.ts';
import { createLineSplitter } from '../../lib/lines.ts';
import { sessionInHead } from './chat-head.ts';
import { isHead } from './record.ts';

/** The head of a chat comes first in a document as in lines, and no other host writes its first two fields together. */
export function sniffChat(head: Uint8Array): boolean {
  if (sessionInHead(head) !== undefined) return true;
  return createLineSplitter()
    .push(head)
    .some((line) => {
      const record = parseJsonBytes(line.bytes);
      return isObject(record) && isOwn(record);
    });
}

/** Of a chat whose head is damaged, the others tell. */
function isOwn(record: JsonObject): boolean {
  const isReply = record['type'] === 'gemini' && asText(record['id']) !== undefined;
  return isHead(record) || isReply || asText(asObject(record['$set'])?.['lastUpdated']) !== undefined;
}
