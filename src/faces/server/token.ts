import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** In the `Authorization` header, in the cookie of the page, or, for EventSource and curl, in the address. */
export function hasToken(
  { headers, url = '' }: IncomingMessage,
  { token, port }: { readonly token: string; readonly port: number },
): boolean {
  const query = url.indexOf('?') === -1 ? '' : url.slice(url.indexOf('?') + 1);
  const given = [
    bearerOf(headers),
    ...cookiesNamed(cookieName(port), headers.cookie ?? ''),
    new URLSearchParams(query).get('token') ?? undefined,
  ];
  return given.some((one) => one !== undefined && isToken(one, token));
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
export function isToken(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

/** Keeps the token out of reach of scripts, and out of the address bar. */
export function tokenCookie(port: number, token: string): string {
  return `${cookieName(port)}=${token}; HttpOnly; SameSite=Strict; Path=/`;
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
