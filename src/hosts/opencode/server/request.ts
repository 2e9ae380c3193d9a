// Requests to a running server of OpenCode (`opencode serve`), by its address, and the stream of its events.

import { asObject, asText, isObject, type JsonObject, known, parseJson, parseObject } from '../../../lib/json.ts';
import { eventOf } from '../events.ts';
import { objectsIn, type SessionInfo, toSessionInfo } from '../record.ts';

export function isAddress(root: string): boolean {
  return /^https?:\/\//.test(root);
}

/** The variables of the program's own clients. */
function authorisation(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const password = env['OPENCODE_SERVER_PASSWORD'];
  if (!password) return {};
  const who = `${env['OPENCODE_SERVER_USERNAME'] || 'opencode'}:${password}`;
  return { authorization: `Basic ${Buffer.from(who).toString('base64')}` };
}

const TIMEOUT_MS = 10_000;

/** Its message is for people. */
export class UnreachableServer extends Error {}

export async function getJson(root: string, route: string, timeoutMs = TIMEOUT_MS): Promise<unknown> {
  const response = await fetch(new URL(route, root), {
    headers: authorisation(process.env),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new UnreachableServer(`${root}: no server answers (${reasonOf(error)})`);
  });
  if (response.status === 401)
    throw new UnreachableServer(`${root}: the server wants a password; put it into OPENCODE_SERVER_PASSWORD`);
  if (!response.ok) throw new UnreachableServer(`${root}: the server says ${response.status} to ${route}`);
  return parseJson(await response.text());
}

/** Returns the status. */
export async function post(root: string, route: string, body: object): Promise<number> {
  const response = await fetch(new URL(route, root), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorisation(process.env) },
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

/** Of the folder that the server was started in, including those of agents. */
export async function listServed(root: string): Promise<readonly SessionInfo[]> {
  return (await getList(root, `/session?limit=${MAX_SESSIONS}`)).flatMap((raw) => toSessionInfo(raw) ?? []);
}

/** The server repeats nothing. */
export interface ServerEvent {
  readonly type: string;
  readonly properties: JsonObject;
  readonly directory?: string;
}

/** All folders of the server, not only the one that it was started in. */
const ROUTE = '/global/event';

/** Undefined if the server refuses. */
export async function openStream(root: string, signal: AbortSignal): Promise<AsyncIterable<ServerEvent> | undefined> {
  const headers = { accept: 'text/event-stream', ...authorisation(process.env) };
  const response = await fetch(new URL(ROUTE, root), { headers, signal });
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
  const directory = asText(record['directory']);
  return { type, properties: asObject(event?.['properties']) ?? {}, ...known({ directory }) };
}
