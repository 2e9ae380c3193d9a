// Whether a file is Qwen Code's, by its first lines.

import { asText, isObject, type JsonObject, parseJsonBytes } from '../../lib/json.ts';
import { createLineSplitter } from '../../lib/lines.ts';
import { kindOf, partsIn } from './record.ts';

/** The envelope is like Claude Code's, so it takes the parts inside, or a note of a kind that only Qwen Code writes. */
export function sniffConversation(head: Uint8Array): boolean {
  return createLineSplitter()
    .push(head)
    .some((line) => {
      const record = parseJsonBytes(line.bytes);
      return isObject(record) && isOwn(record);
    });
}

function isOwn(record: JsonObject): boolean {
  if (asText(record['uuid']) === undefined || asText(record['sessionId']) === undefined) return false;
  if (kindOf(record).startsWith('system/')) return isObject(record['systemPayload']);
  return partsIn(record).length > 0 && kindOf(record) !== 'no type';
}
