// Whether a file is Copilot's, by its first lines.
import { isObject } from '../../lib/json.ts';
import { createLineSplitter } from '../../lib/lines.ts';
import { parseLine } from './record.ts';

/** The first event is longer than the head that is looked at: it shows by its beginning. */
const LONG_FIRST = /^\{"type":"(?:session|user|assistant|hook|system|tool)\.[\w.]+","data":\{/;

export function sniffEvents(head: Uint8Array): boolean {
  const splitter = createLineSplitter();
  for (const line of splitter.push(head)) if (isEvent(parseLine(line.bytes))) return true;
  const rest = splitter.rest();
  return rest !== undefined && LONG_FIRST.test(Buffer.from(rest.bytes.subarray(0, 128)).toString('utf8'));
}

/** No other host puts all of these around an event, and a dot into its kind. */
export function isEvent(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value['type'] === 'string' &&
    /^[a-z_]+(?:\.[a-z_]+)+$|^abort$/.test(value['type']) &&
    isObject(value['data']) &&
    typeof value['id'] === 'string' &&
    typeof value['timestamp'] === 'string' &&
    'parentId' in value
  );
}
