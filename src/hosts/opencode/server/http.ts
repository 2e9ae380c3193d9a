// Requests to a running server of OpenCode, of any version, by its address.

import { asText, isObject, type JsonObject, parseJson } from '../../../lib/json.ts';
import { objectsIn } from '../record.ts';
import { passwordOf } from './service.ts';

export function isAddress(root: string): boolean {
  return /^https?:\/\//.test(root);
}

/** The variables of the program's own clients; for the service of this person, what it has registered. */
export function authorisation(root: string, env: Readonly<Record<string, string | undefined>>): Record<string, string> {
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
