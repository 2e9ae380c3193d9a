// What a server says to whoever listens, for as long as it does. It repeats nothing.

import { asObject, asText, type JsonObject, parseObject } from '../../../lib/json.ts';
import { eventOf } from '../files/read-events.ts';
import { authorisation } from './request.ts';

export interface StreamedEvent {
  readonly type: string;
  readonly properties: JsonObject;
  /** The folder that it happened in. */
  readonly directory?: string;
}

/** All folders of the server, not only the one that it was started in. */
const ROUTE = '/global/event';

/** Undefined where nobody answers, or not to us. */
export async function openStream(root: string, signal: AbortSignal): Promise<AsyncIterable<StreamedEvent> | undefined> {
  const headers = { accept: 'text/event-stream', ...authorisation(process.env) };
  const response = await fetch(new URL(ROUTE, root), { headers, signal });
  return response.ok && response.body ? eventsIn(response.body) : undefined;
}

async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const event = eventIn(frame);
      if (event) yield event;
    }
  }
}

function eventIn(frame: string): StreamedEvent | undefined {
  const data = frame
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? line.slice('data:'.length) : []))
    .join('\n');
  const record = parseObject(data);
  const event = record && eventOf(record);
  const type = asText(event?.['type']);
  if (!record || type === undefined) return undefined;
  const directory = asText(record['directory']);
  return { type, properties: asObject(event?.['properties']) ?? {}, ...(directory !== undefined && { directory }) };
}
