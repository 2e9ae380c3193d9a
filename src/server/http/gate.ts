import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type ChannelKeys, KEYED_CHANNELS } from '../../core/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Refusal } from './answers.ts';
import type { PageFiles } from './page.ts';

interface Keeper extends Credentials {
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

/** Its answer has a line for each value. */
const REVIEW = /^\/api\/sessions\/[^/?#]{1,200}\/review$/;

/** All that a client can change: it answers an approval or a review, pairs a browser or ends its pairing, allows or forbids the text index, or asks for a login link. */
function isChange({ method, url = '' }: IncomingMessage, { takesAnswers }: Keeper): boolean {
  if (method !== 'POST') return false;
  if (REVIEW.test(url)) return true;
  if (url === '/api/search/index') return true;
  return url === '/api/login' || (takesAnswers === true && /^\/api\/(?:asks\/[\w-]+|pairing(?:\/[\w-]+)?)$/.test(url));
}

/** It must be JSON, which no form of another page can send; and if a browser says which page sends it, that must be ours. */
function findChangeRefusal({ headers, url = '' }: IncomingMessage): Refusal | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return OTHER_SITE;
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) return NOT_JSON;
  const length = headers['content-length'] ?? '';
  const isSmall = REVIEW.test(url) ? /^[1-9]\d{0,5}$/.test(length) : /^[1-9]\d{0,2}$/.test(length);
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

/** How a request is authenticated: by the cookie of a browser, by the key of a UI, or by the token alone (`api`). */
export type Channel = 'page' | 'api' | keyof ChannelKeys;

export interface Credentials {
  readonly port: number;
  readonly token: string;
  readonly keys?: ChannelKeys;
  readonly logins: Logins;
}

/** Token and keys come in the `Authorization` header; for EventSource and curl, the token also in the address. */
export function findChannel(
  { headers, url = '' }: IncomingMessage,
  { token, keys, port, logins }: Credentials,
): Channel | undefined {
  const bearer = bearerOf(headers);
  if (bearer !== undefined) {
    const keyed = keys && KEYED_CHANNELS.find((channel) => isToken(bearer, keys[channel]));
    if (keyed) return keyed;
    if (isToken(bearer, token)) return 'api';
  }
  if (cookiesNamed(cookieName(port), headers.cookie ?? '').some((cookie) => logins.isLoggedIn(cookie))) return 'page';
  const query = url.indexOf('?') === -1 ? '' : url.slice(url.indexOf('?') + 1);
  const given = new URLSearchParams(query).get('token');
  return given !== null && isToken(given, token) ? 'api' : undefined;
}

/** In the `Authorization` header, and nowhere else. */
function bringsKey({ headers }: IncomingMessage, key: string): boolean {
  const given = bearerOf(headers);
  return given !== undefined && isToken(given, key);
}

function bearerOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

/** Takes as long for a wrong beginning as for a wrong end. */
function isToken(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

/** Out of reach of scripts, and out of the address bar. */
export function loginCookie(port: number, value: string): string {
  return `${cookieName(port)}=${value}; HttpOnly; SameSite=Strict; Path=/`;
}

/** Browsers keep one jar for all ports of a machine: several servers must not overwrite each other's. */
function cookieName(port: number): string {
  return `troupe-${port}`;
}

function cookiesNamed(name: string, header: string): readonly string[] {
  return header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

interface LoginsOptions {
  readonly clock: Clock;
  /** Digests of cookies that an earlier server gave out. */
  readonly kept?: readonly string[];
  /** Called with all digests after each login. */
  readonly onChange?: (digests: readonly string[]) => void;
}

const LINK_MS = 60_000;
const MAX_LINKS = 20;
const MAX_BROWSERS = 50;

export class Logins {
  readonly #clock: Clock;
  readonly #onChange: (digests: readonly string[]) => void;
  /** Digest of a code → when it stops working. */
  readonly #links = new Map<string, number>();
  #browsers: readonly string[];

  constructor({ clock, kept = [], onChange = () => {} }: LoginsOptions) {
    this.#clock = clock;
    this.#browsers = kept;
    this.#onChange = onChange;
  }

  /** The path of a link that works once, for a minute. */
  createLink(): string {
    const code = createSecret();
    this.#links.set(digestOf(code), this.#clock() + LINK_MS);
    // The oldest go first.
    for (const digest of this.#links.keys()) if (this.#links.size > MAX_LINKS) this.#links.delete(digest);
    return `/login?code=${code}`;
  }

  /** The cookie of a new login; undefined if the code was used, is too old, or never existed. */
  redeem(code: string): string | undefined {
    const digest = digestOf(code);
    const until = this.#links.get(digest);
    this.#links.delete(digest);
    if (until === undefined || this.#clock() >= until) return undefined;
    const cookie = createSecret();
    this.#browsers = [...this.#browsers, digestOf(cookie)].slice(-MAX_BROWSERS);
    this.#onChange(this.#browsers);
    return cookie;
  }

  /** Digests are compared, not secrets: how long that takes tells nothing about a secret. */
  isLoggedIn(cookie: string): boolean {
    return this.#browsers.includes(digestOf(cookie));
  }
}

function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

export function isForHooks(request: IncomingMessage): boolean {
  return request.url?.startsWith('/api/hooks/') ?? false;
}
