// Whether a file is Claude Code's, by its first lines. Qwen Code writes nearly the same envelope, but `parts`, not `content`.
import { asObject, asText, isObject } from '../../lib/json.ts';
import { createLineSplitter } from '../../lib/lines.ts';
import { parseLine, type RawRecord, typeOf } from './record.ts';

/** A file may begin with lines of 2.1.x that no other host has; a few of them decide. */
const OWN_TYPES = new Set([
  'queue-operation',
  'file-history-snapshot',
  'last-prompt',
  'permission-mode',
  'atis-latch',
  'tools-used',
  'custom-title',
  'ai-title',
  'agent-name',
  'fork-context-ref',
  'api-request-shape',
]);
const CONVERSATION = new Set(['user', 'assistant', 'system', 'progress', 'attachment']);

export function sniffTranscript(head: Uint8Array): boolean {
  const splitter = createLineSplitter();
  const lines = splitter.push(head);
  // A head that is one long line so far: judged by its beginning below.
  const rest = splitter.rest();
  for (const line of lines) {
    const record = parseLine(line.bytes);
    if (isObject(record)) {
      const verdict = judge(record);
      if (verdict !== undefined) return verdict;
    }
  }
  return rest !== undefined && sniffLongLine(rest.bytes);
}

function judge(record: RawRecord): boolean | undefined {
  const type = typeOf(record);
  if (type === undefined) return undefined;
  if (!CONVERSATION.has(type))
    return OWN_TYPES.has(type) && asText(record['sessionId'] ?? record['agentId']) ? true : undefined;
  const message = asObject(record['message']);
  if (message && 'parts' in message) return false;
  return 'isSidechain' in record && 'userType' in record && asText(record['sessionId']) !== undefined;
}

const FIRST_TYPE = /^\{"type":"([a-z-]+)"/;

/** The first line is longer than the head (a pasted file as the prompt of `-p`, a skill listing): its envelope shows. */
function sniffLongLine(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, 4096));
  if (text.startsWith('{"parentUuid":')) return text.includes('"isSidechain":');
  return OWN_TYPES.has(FIRST_TYPE.exec(text)?.[1] ?? '');
}
