import type { IncomingMessage } from 'node:http';
import { isForHooks } from './answer-hook.ts';
import type { Refusal } from './answers.ts';
import type { PageFiles } from './page-files.ts';
import { bringsKey, type Credentials, findChannel } from './token.ts';

export interface Keeper extends Credentials {
  /** Files that anybody may have. */
  readonly page: PageFiles;
  /** Of the hooks of this machine, where they may call. */
  readonly hookKey?: string;
  /** Calls wait here for a person's word. */
  readonly takesAnswers?: boolean;
}

/**
 * Why this request must not reach a route. Any web page may send requests to this machine; so a request has to name
 * this server (a name that somebody made point here does not), must not come from another page, and has to bring the
 * token for everything that tells anything.
 */
export function findRefusal(request: IncomingMessage, keeper: Keeper): Refusal | undefined {
  const { host = '', origin } = request.headers;
  const hosts = hostsOf(keeper.port);
  if (!hosts.includes(host.toLowerCase())) return FOREIGN_HOST;
  if (keeper.hookKey !== undefined && isForHooks(request)) return findHookRefusal(request, keeper.hookKey);
  if (origin !== undefined && !hosts.some((own) => origin === `http://${own}`)) return FOREIGN_ORIGIN;
  if (isFromAnotherPage(request, keeper)) return OTHER_SITE;
  const wrongForm = isChange(request, keeper) ? findChangeRefusal(request) : findReadRefusal(request);
  if (wrongForm) return wrongForm;
  const { url = '' } = request;
  if (!isPlainAddress(url)) return BAD_ADDRESS;
  if (isPublic(url, keeper) || findChannel(request, keeper) !== undefined) return undefined;
  return NO_TOKEN;
}

function findReadRefusal(request: IncomingMessage): Refusal | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return WRONG_METHOD;
  return bringsBody(request) ? BODY : undefined;
}

/** The only two things that a client can change: it answers an approval, or asks for a login link. */
function isChange({ method, url = '' }: IncomingMessage, { takesAnswers }: Keeper): boolean {
  if (method !== 'POST') return false;
  return url === '/api/login' || (takesAnswers === true && /^\/api\/asks\/[\w-]+$/.test(url));
}

/** It must be JSON, which no form of another page can send; and if a browser says which page sends it, that must be ours. */
function findChangeRefusal({ headers }: IncomingMessage): Refusal | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return OTHER_SITE;
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) return NOT_JSON;
  const isSmall = /^[1-9]\d{0,2}$/.test(headers['content-length'] ?? '');
  return isSmall && headers['transfer-encoding'] === undefined ? undefined : BIG_ANSWER;
}

/** Where hooks tell of calls. No page is let in, not even ours: a hook is no browser, and has its own key. */
function findHookRefusal(request: IncomingMessage, key: string): Refusal | undefined {
  const { headers, method, url = '' } = request;
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return FOREIGN_ORIGIN;
  if (method !== 'POST') return ONLY_POST;
  if (bringsBody(request)) return BODY;
  if (!isPlainAddress(url)) return BAD_ADDRESS;
  return bringsKey(request, key) ? undefined : NO_TOKEN;
}

/** As a browser writes them: without the port where it is 80. */
function hostsOf(port: number): readonly string[] {
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => new URL(`http://${name}:${port}`).host);
}

/** Another port of this machine is the same site to a browser. It may lead people to the page, and no further. */
function isFromAnotherPage({ headers, url = '' }: IncomingMessage, keeper: Keeper): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || (site === 'same-site' && !isPublic(url, keeper));
}

function bringsBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** What we judge here must be what the routes get: nothing that is still to be resolved. */
function isPlainAddress(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  return path.startsWith('/') && !/\\|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
}

/** The page tells nothing about anybody's sessions. */
function isPublic(url: string, { page }: Keeper): boolean {
  return url === '/' || url.startsWith('/?') || url.startsWith('/login?') || page.has(url);
}

const FOREIGN_HOST: Refusal = { status: 403, code: 'foreign-host', message: 'This server has another name.' };
const FOREIGN_ORIGIN: Refusal = {
  status: 403,
  code: 'foreign-origin',
  message: 'Other pages may not ask this server.',
};
const OTHER_SITE: Refusal = { ...FOREIGN_ORIGIN, code: 'cross-site' };
const WRONG_METHOD: Refusal = {
  status: 405,
  code: 'method-not-allowed',
  message: 'This server only answers GET and HEAD.',
  headers: { Allow: 'GET, HEAD' },
};
const ONLY_POST: Refusal = {
  ...WRONG_METHOD,
  message: 'A hook says POST.',
  headers: { Allow: 'POST' },
};
const BODY: Refusal = { status: 400, code: 'no-body', message: 'A request to this server has no body.' };
const NOT_JSON: Refusal = { status: 415, code: 'not-json', message: 'An answer is JSON.' };
const BIG_ANSWER: Refusal = { status: 413, code: 'answer-too-big', message: 'An answer says its length, below 1000.' };
const BAD_ADDRESS: Refusal = { status: 400, code: 'bad-address', message: 'This is no address of this server.' };
const NO_TOKEN: Refusal = {
  status: 401,
  code: 'token-needed',
  message: 'This needs the token of the server, or a browser that is logged in.',
  remedy: 'In a browser: run troupe open. In a program: send the token in daemon.json as a bearer token.',
  headers: { 'WWW-Authenticate': 'Bearer' },
};
