// Requests to a server of OpenCode 2. Every path that it does not know answers 200 with a web page, so only its own answers say what it is.

import { homedir } from 'node:os';
import { asObject, asText, isObject, type JsonObject } from '../../../lib/json.ts';
import { objectsIn } from '../record.ts';
import { ask, getJson, UnreachableServer } from './http.ts';
import { readService } from './service.ts';

/** By address. A server that was started anew may be another version: what fails is asked again. */
const kinds = new Map<string, boolean>();

/** Throws `UnreachableServer` where none answers. */
export async function isSecondServer(root: string, timeoutMs?: number): Promise<boolean> {
  const known = kinds.get(root);
  if (known !== undefined) return known;
  const health = await ask(root, '/global/health', timeoutMs);
  const isFirst = health.status === 401 || infoIn(await health.text())?.['healthy'] === true;
  if (isFirst) {
    kinds.set(root, false);
    return false;
  }
  let response = await ask(root, '/api/info', timeoutMs);
  // The password of this person's own service, which has another one after each start.
  if (response.status === 401) {
    await readService({ env: process.env, home: homedir() });
    response = await ask(root, '/api/info', timeoutMs);
  }
  const text = await response.text();
  if (response.status === 401)
    throw new UnreachableServer(`${root}: the server wants a password; put it into OPENCODE_PASSWORD`);
  const isSecond = response.ok && typeof infoIn(text)?.['version'] === 'string';
  kinds.set(root, isSecond);
  return isSecond;
}

export function forgetKind(root: string): void {
  kinds.delete(root);
}

function infoIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (asObject(value['data']) ?? value) : undefined;
  } catch {
    return undefined;
  }
}

/** Most answers have what was asked for in `data`. */
export async function getData(root: string, route: string): Promise<unknown> {
  const said = await getJson(root, route);
  return isObject(said) && 'data' in said ? said['data'] : said;
}

const PAGE = 100;
/** Against a server that goes on for ever. */
const MAX_PAGES = 1_000;

/** All pages of a list. */
export async function getPages(root: string, route: string, query = ''): Promise<readonly JsonObject[]> {
  const all = new Map<unknown, JsonObject>();
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const from = cursor === undefined ? query : `&cursor=${encodeURIComponent(cursor)}`;
    const said = asObject(await getJson(root, `${route}?limit=${PAGE}${from}`));
    const found = objectsIn(said?.['data']);
    const before = all.size;
    for (const one of found) all.set(one['id'], one);
    cursor = asText(asObject(said?.['cursor'])?.['next']);
    if (found.length < PAGE || cursor === undefined || all.size === before) break;
  }
  return [...all.values()];
}

export function listSessions(root: string): Promise<readonly JsonObject[]> {
  return getPages(root, '/api/session');
}

export async function listMessages(root: string, session: string): Promise<readonly JsonObject[]> {
  return getPages(root, `/api/session/${encodeURIComponent(session)}/message`, '&order=asc');
}

/** Sessions at work. */
export async function listActive(root: string): Promise<ReadonlySet<string>> {
  return new Set(Object.keys(asObject(await getData(root, '/api/session/active')) ?? {}));
}

/** Questions that are open: for a permission, or for an answer. */
export async function listQuestions(root: string, session: string) {
  const at = `/api/session/${encodeURIComponent(session)}`;
  const [permissions, forms] = [await getData(root, `${at}/permission`), await getData(root, `${at}/form`)];
  return { permissions: objectsIn(permissions), forms: objectsIn(forms) };
}
