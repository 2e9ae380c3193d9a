import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type ChannelKeys, KEYED_CHANNELS } from '../../core/index.ts';
import type { Logins } from './logins.ts';

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
export function bringsKey({ headers }: IncomingMessage, key: string): boolean {
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
