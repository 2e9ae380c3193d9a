// Requests to a running server of OpenCode (`opencode serve`), by its address, and the stream of its events.

import { asObject, asText, isObject, type JsonObject, known, parseJson, parseObject } from '../../../lib/json.ts';
import { eventOf } from '../events.ts';
import { objectsIn, type SessionInfo, toSessionInfo } from '../record.ts';
import { isSecondEvent } from '../second/events.ts';
import { toSecondInfo } from '../second/messages.ts';
import { forgetKind, isSecondServer, listSessions } from './second.ts';
import { passwordOf } from './service.ts';

export function isAddress(root: string): boolean {
  return /^https?:\/\//.test(root);
}

/** The variables of the program's own clients; for the service of this person, what it has registered. */
function authorisation(root: string, env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const password = passwordOf(root) ?? (env['OPENCODE_PASSWORD'] || env['OPENCODE_SERVER_PASSWORD']);
  if (!password) return {};
  const who = `${env['OPENCODE_SERVER_USERNAME'] || 'opencode'}:${password}`;
  return { authorization: `Basic ${Buffer.from(who).toString('base64')}` };
}

const TIMEOUT_MS = 10_000;
/** The server closes idle connections without a word (2.0.15): the next request on one would fail. */
const AT_ONCE = { connection: 'close' };

/** Its message is for people. */
export class UnreachableServer extends Error {}

/** Throws `UnreachableServer` where none answers. */
export function ask(root: string, route: string, timeoutMs = TIMEOUT_MS): Promise<Response> {
  return fetch(new URL(route, root), {
    headers: { ...AT_ONCE, ...authorisation(root, process.env) },
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new UnreachableServer(`${root}: no server answers (${reasonOf(error)})`);
  });
}

export async function getJson(root: string, route: string, timeoutMs = TIMEOUT_MS): Promise<unknown> {
  const response = await ask(root, route, timeoutMs);
  if (response.status === 401)
    throw new UnreachableServer(`${root}: the server wants a password; put it into OPENCODE_SERVER_PASSWORD`);
  if (!response.ok) throw new UnreachableServer(`${root}: the server says ${response.status} to ${route}`);
  return parseJson(await response.text());
}

/** Returns the status. */
export async function post(root: string, route: string, body: object): Promise<number> {
  const response = await fetch(new URL(route, root), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...AT_ONCE, ...authorisation(root, process.env) },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  return response.status;
}

export async function getList(root: string, route: string): Promise<readonly JsonObject[]> {
  return objectsIn(await getJson(root, route));
}

/** The reason of `fetch failed` is in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = isObject(cause) ? asText(cause['code']) : undefined;
  return code ?? (error instanceof Error ? error.message : String(error));
}

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
  const headers = { accept: 'text/event-stream', ...authorisation(root, process.env) };
  // One that was started anew may be another version.
  forgetKind(root);
  const route = (await isSecondServer(root)) ? SECOND_ROUTE : ROUTE;
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
