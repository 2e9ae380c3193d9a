// A running server of OpenCode (`opencode serve`), by its address. With a password every route asks for it.

import { asObject, asText, isObject, type JsonObject, parseJson, parseObject } from '../../../lib/json.ts';
import { eventOf } from '../events.ts';
import { type SessionInfo, toSessionInfo } from '../record.ts';

export function isAddress(root: string): boolean {
  return /^https?:\/\//.test(root);
}

/** The names are the program's own: whoever may start a client of it has them. */
function authorisation(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const password = env['OPENCODE_SERVER_PASSWORD'];
  if (!password) return {};
  const who = `${env['OPENCODE_SERVER_USERNAME'] || 'opencode'}:${password}`;
  return { authorization: `Basic ${Buffer.from(who).toString('base64')}` };
}

const PATIENCE_MS = 10_000;

/** In words for people: why nothing can be read there. */
export class UnreachableServer extends Error {}

export async function getJson(root: string, route: string, patienceMs = PATIENCE_MS): Promise<unknown> {
  const response = await fetch(new URL(route, root), {
    headers: authorisation(process.env),
    signal: AbortSignal.timeout(patienceMs),
  }).catch((error: unknown) => {
    throw new UnreachableServer(`${root}: no server answers (${reasonOf(error)})`);
  });
  if (response.status === 401)
    throw new UnreachableServer(`${root}: the server wants a password; put it into OPENCODE_SERVER_PASSWORD`);
  if (!response.ok) throw new UnreachableServer(`${root}: the server says ${response.status} to ${route}`);
  return parseJson(await response.text());
}

/** The status that the server answers with. */
export async function post(root: string, route: string, body: object): Promise<number> {
  const response = await fetch(new URL(route, root), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorisation(process.env) },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await response.body?.cancel();
  return response.status;
}

export async function getList(root: string, route: string): Promise<readonly JsonObject[]> {
  const found = await getJson(root, route);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** What lies behind `fetch failed` is in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = isObject(cause) ? asText(cause['code']) : undefined;
  return code ?? (error instanceof Error ? error.message : String(error));
}

interface ServedSession {
  readonly info: SessionInfo;
}

const MOST = 1_000;

/** Of the folder that the server was started in, those of agents too. */
export async function listServed(root: string): Promise<readonly ServedSession[]> {
  const found = await getList(root, `/session?limit=${MOST}`);
  return found.flatMap((raw) => {
    const info = toSessionInfo(raw);
    return info ? [{ info }] : [];
  });
}

interface StreamedEvent {
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
