import type { LiveEvent } from '../core/index.ts';
import { isObject } from '../lib/json.ts';
import { createLineSplitter } from '../lib/lines.ts';

export interface EventParser {
  /** Any cut of the same bytes gives the same events. Throws where the data of an event cannot be read. */
  push(chunk: Uint8Array): readonly ReceivedEvent[];
}

export interface ReceivedEvent {
  readonly id?: string;
  readonly event: LiveEvent;
}

/** A snapshot is one line. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
const TYPES: ReadonlySet<string> = new Set([
  'snapshot',
  'change',
  'gone',
  'listing',
  'ask',
] satisfies LiveEvent['type'][]);

/** Server-sent events, as our own server writes them. Events of a kind that we do not know are passed over. */
export function createEventParser(): EventParser {
  const lines = createLineSplitter({ maxLineBytes: MAX_LINE_BYTES });
  let fields = new Map<string, string>();

  return {
    push(chunk) {
      const received: ReceivedEvent[] = [];
      for (const { bytes, tooLong } of lines.push(chunk)) {
        if (tooLong) throw new Error('an event is too long to be read');
        const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8').replace(/\r$/, '');
        if (line !== '') {
          const [name, value] = fieldIn(line);
          if (name) fields.set(name, name === 'data' && fields.has('data') ? `${fields.get('data')}\n${value}` : value);
          continue;
        }
        const event = toEvent(fields);
        if (event) received.push(event);
        fields = new Map();
      }
      return received;
    },
  };
}

/** A comment has no name. */
function fieldIn(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}

function toEvent(fields: ReadonlyMap<string, string>): ReceivedEvent | undefined {
  const type = fields.get('event');
  const text = fields.get('data');
  const id = fields.get('id');
  if (type === undefined || text === undefined || !TYPES.has(type)) return undefined;
  const data: unknown = JSON.parse(text);
  if (!isObject(data)) throw new Error(`the data of a ${type} is no object`);
  const event = { type, data } as unknown as LiveEvent;
  return id === undefined ? { event } : { id, event };
}
