// Requests to a running server of OpenCode (`opencode serve`), by its address, and the stream of its events.

import { asObject, asText, type JsonObject, known, parseObject } from '../../../lib/json.ts';
import { eventOf } from '../events.ts';
import { type SessionInfo, toSessionInfo } from '../record.ts';
import { isSecondEvent } from '../second/events.ts';
import { toSecondInfo } from '../second/messages.ts';
import { authorisation, getList } from './http.ts';
import { forgetKind, isSecondServer, listSessions } from './second.ts';

const MAX_SESSIONS = 1_000;

/** Of OpenCode 1, those of the folder that the server was started in; including those of agents. */
export async function listServed(root: string): Promise<readonly SessionInfo[]> {
  if (await isSecondServer(root)) return (await listSessions(root)).flatMap((raw) => toSecondInfo(raw) ?? []);
  return (await getList(root, `/session?limit=${MAX_SESSIONS}`)).flatMap((raw) => toSessionInfo(raw) ?? []);
}

/** The server repeats nothing. */
export interface ServerEvent {
  readonly type: string;
  readonly properties: JsonObject;
  readonly directory?: string;
  /** As a server of OpenCode 2 sent it. */
  readonly second?: JsonObject;
}

/** All folders of the server, not only the one that it was started in. */
const [ROUTE, SECOND_ROUTE] = ['/global/event', '/api/event'];

/** Undefined if the server refuses. */
export async function openStream(root: string, signal: AbortSignal): Promise<AsyncIterable<ServerEvent> | undefined> {
  // One that was started anew may be another version.
  forgetKind(root);
  const own = authorisation(root, process.env);
  const isSecond = await isSecondServer(root);
  // To find out may have read the password that is registered.
  const authorised = isSecond ? authorisation(root, process.env) : own;
  const headers = { accept: 'text/event-stream', ...authorised };
  const route = isSecond ? SECOND_ROUTE : ROUTE;
  const response = await fetch(new URL(route, root), { headers, signal });
  return response.ok && response.body ? eventsIn(response.body) : undefined;
}

async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
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

function eventIn(frame: string): ServerEvent | undefined {
  const data = frame
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? line.slice('data:'.length) : []))
    .join('\n');
  const record = parseObject(data);
  const event = record && eventOf(record);
  const type = asText(event?.['type']);
  if (!record || type === undefined) return undefined;
  if (event && isSecondEvent(event)) {
    const directory = asText(asObject(event['location'])?.['directory']);
    return { type, properties: asObject(event['data']) ?? {}, second: event, ...known({ directory }) };
  }
  const directory = asText(record['directory']);
  return { type, properties: asObject(event?.['properties']) ?? {}, ...known({ directory }) };
}
