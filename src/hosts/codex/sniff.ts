// Whether a file is Codex's, by its first lines: a rollout of any version, or what `codex exec --json` printed.
import { createLineSplitter } from '../../lib/lines.ts';
import { parseLine, recordsIn } from './record.ts';
import { threadOfStream } from './streams.ts';

/** Kinds of lines that no other host wraps in a `payload`. */
const OWN_TYPES = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'world_state',
  'compacted',
  'token_usage_record',
]);

/** The header may be longer than the head that is looked at: it shows by its beginning. */
const LONG_HEADER =
  /^\{"timestamp":"[^"]+",(?:"ordinal":\d+,)?"type":"session_meta","payload":\{|^\{"id":"[0-9a-f-]{36}","timestamp":"[^"]+","instructions":/;

export function sniffRollout(head: Uint8Array): boolean {
  if (threadOfStream(head) !== undefined) return true;
  const splitter = createLineSplitter();
  for (const line of splitter.push(head)) {
    const [record] = recordsIn(line, parseLine).records;
    // Bare items look like those of other hosts; the bare header does not.
    if (record && OWN_TYPES.has(record.type) && (!record.isBare || record.type === 'session_meta')) return true;
  }
  const rest = splitter.rest();
  return rest !== undefined && LONG_HEADER.test(Buffer.from(rest.bytes.subarray(0, 512)).toString('utf8'));
}
