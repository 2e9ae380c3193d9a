import { decodeBase64 } from '../base64.ts';
import { type SecretRule, shaped } from '../rule.ts';
import { isReference, isStandIn } from '../value-looks.ts';

const GROUP = 'by name and place';

/** Tokens have digits or capitals in the middle; the words behind «bearer» in a sentence have neither. */
const isNoWord = (secret: string): boolean => /[\d_=]/.test(secret) || /[a-z][A-Z]/.test(secret);

export const HEADER_RULES: readonly SecretRule[] = [
  shaped(GROUP, {
    id: 'authorization-header',
    what: 'what an Authorization header carries',
    keywords: ['authorization'],
    pattern:
      '(?:proxy-)?authorization\\\\{0,3}["\'`]?\\s{0,3}[:=,]\\s{0,3}\\\\{0,3}["\'`]?(?:(?:bearer|token|basic|digest|apikey|negotiate|ssws|bot)\\s{1,3})?([^\\s"\'\\\\,`;<>()]{6,4000})',
    flags: 'i',
    isGeneral: true,
    accepts: (secret) =>
      !isStandIn(secret) &&
      !/^[\w.]+[([]|^\{|\$\{/.test(secret) &&
      (/\d/.test(secret) ||
        (secret.length >= 16 &&
          /[a-z][A-Z]/.test(secret) &&
          !/token|key|secret|access|code|header|value|grant|author/i.test(secret))),
    samples: [
      'curl -H "Authorization: Bearer {an:20}"',
      "{'Authorization': 'token {an:40}'}",
      '{"Authorization":"{an:20}"}',
      'Proxy-Authorization: Basic {b64:20}',
    ],
    misses: [
      'Authorization: Bearer $TOKEN',
      'authorization: required',
      'Authorization: Bearer <token>',
      'authorization: AuthorizationCodeGrant',
    ],
  }),
  shaped(GROUP, {
    id: 'bearer-token',
    what: 'token behind the word Bearer',
    keywords: ['bearer'],
    pattern: 'bearer\\s{1,3}([\\w.~+/=-]{16,4000})',
    flags: 'i',
    isGeneral: true,
    accepts: (secret) =>
      !isStandIn(secret) &&
      (/\d/.test(secret)
        ? !/^[a-z]+(?:[-_.][a-z0-9]+){0,40}$/.test(secret) ||
          /(?<![a-z0-9])(?=[a-z]*\d[a-z]*\d)[a-z0-9]{10}/.test(secret)
        : /[a-z][A-Z]/.test(secret) && !/token|key|secret|access|auth|value/i.test(secret)),
    samples: ['bearer {an:30}', 'using Bearer cal_live_{=9f8e7d6c5b4a3f2e}'],
    misses: ['the bearer authentication_scheme_name', 'Bearer some-long-placeholder-token'],
  }),
  shaped(GROUP, {
    id: 'basic-credentials',
    what: 'user and password in base64 behind the word Basic',
    keywords: ['basic'],
    pattern: '\\bbasic\\s{1,3}([A-Za-z0-9+/]{8,1000}={0,2})(?![\\w+/=])',
    flags: 'i',
    before: 1,
    isGeneral: true,
    accepts: (secret) => secret.length % 4 === 0 && isNoWord(secret) && decodesToPair(secret),
    samples: ['Basic {=dXNlcjpodW50ZXIyCg==}'],
    misses: ['Basic implementation of a basic authentication', 'basic usage12'],
  }),
  shaped(GROUP, {
    id: 'cookie',
    what: 'cookies of a header',
    keywords: ['cookie:', 'cookie":', "cookie':", 'cookie\\":'],
    pattern: '(?:set-)?cookie\\\\{0,3}["\']?:\\s{0,3}\\\\{0,3}["\']?([\\w.%-]{1,80}=[^\\r\\n"\'\\\\]{6,4000})',
    flags: 'i',
    isGeneral: true,
    accepts: (secret) => /\d|[a-z][A-Z]/.test(secret) && !/^[\w.-]+=\s*[<{$]/.test(secret),
    samples: ['Cookie: sid={an:20}; theme=dark', 'Set-Cookie: session={w:40}; HttpOnly'],
    misses: ['Cookie: <cookie>', 'the cookie: a small text', 'cookie: name=value'],
  }),
  shaped(GROUP, {
    id: 'session-cookie',
    what: 'session in a cookie, by its usual names',
    keywords: [
      'session=',
      'sessionid=',
      'session_id=',
      'session-token=',
      'session_token=',
      'sid=',
      'sessid=',
      'token=',
      '__secure-',
      '__host-',
    ],
    pattern:
      '(?<![\\w-])(?:_?[a-z]{0,20}_?session(?:_?id|-token|_token)?|connect\\.sid|phpsessid|jsessionid|asp\\.net_sessionid|laravel_session|sid|sessid|(?:x[_-])?[cx]srf[_-]?token|__secure-[\\w.-]{1,40}|__host-[\\w.-]{1,40}|remember_token)=([\\w%.+/:~-]{16,2000})',
    flags: 'i',
    before: 40,
    reach: 2100,
    isGeneral: true,
    minEntropy: 3,
    accepts: (secret) =>
      /\d/.test(secret) &&
      /[A-Za-z]/.test(secret) &&
      !/^(?:[a-z]+[._/-])+[a-z0-9]+$/i.test(secret) &&
      !/^[A-Za-z]+\d{0,3}$/.test(secret),
    samples: ['curl -b "session={an:32}" https://x', 'connect.sid=s%3A{an:32}.{an:40}', 'PHPSESSID={lo:26}'],
    misses: ['session=active', 'sid=12', 'const session=createSessionWithOptions1'],
  }),
  shaped(GROUP, {
    id: 'key-header',
    what: 'header that carries a key: X-Api-Key, X-Auth-Token, PRIVATE-TOKEN and the like',
    keywords: ['x-', 'private-token', 'job-token', 'api-key:', 'apikey:', 'ocp-apim', 'deploy-token'],
    pattern:
      '(?<![\\w])(?:x-[a-z-]{0,30}(?:key|token|secret|auth)|private-token|job-token|deploy-token|api-?key|ocp-apim-subscription-key)\\\\{0,3}["\']?\\s{0,3}[:=]\\s{0,3}\\\\{0,3}["\']?([^\\s"\'\\\\,;<>(){}]{8,1000})',
    flags: 'i',
    isGeneral: true,
    minEntropy: 2.5,
    accepts: (secret) => !isReference(secret) && /\d/.test(secret) && /[A-Za-z]/.test(secret),
    samples: ['X-Api-Key: {an:32}', '-H "PRIVATE-TOKEN: {an:20}"', "'x-auth-token': '{an:24}'"],
    misses: ['X-Api-Key: <key>', 'x-token: string', 'x-key: required'],
  }),
];

/** Base64 of `user:password`. */
function decodesToPair(secret: string): boolean {
  const text = String.fromCharCode(...decodeBase64(secret.replace(/=+$/, '')));
  return /^[\x20-\x7e\n\r\x80-\xff]+$/.test(text) && text.includes(':');
}
