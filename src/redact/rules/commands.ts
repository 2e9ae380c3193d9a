import { decodeBase64 } from '../disguises.ts';
import { placed, type SecretRule } from '../rule.ts';
import { COMMAND_SPACE, isReference, isStandIn, looksSecret, QUOTED, SECRET_WORD } from '../value-looks.ts';

const GROUP = 'by name and place';
/** A word of a command that is a secret, in quotes or not. */
const ARGUMENT = `(?:"([^"\\n]{1,200})"|'([^'\\n]{1,200})'|["']?([^\\s"';|&)\`]{1,200}))`;
/** Commands that take a password with an option of one letter, up to it. */
const PASSWORD_OPTIONS = [
  '(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\\b[^\\n;|&]{0,200}?\\s-p',
  'sshpass\\s{1,3}-p\\s{0,3}',
  '(?:docker|podman|helm|oc|az|buildah|skopeo)\\b[^\\n;|&]{0,60}?\\blogin\\b[^\\n;|&]{0,200}?\\s-p\\s{1,3}',
  'redis-cli\\b[^\\n;|&]{0,200}?\\s-a\\s{1,3}',
  '(?:mongo|mongosh|mongodump)\\b[^\\n;|&]{0,200}?\\s-p\\s{1,3}',
  'htpasswd\\s{1,3}-[a-zA-Z]{0,8}b[a-zA-Z]{0,8}\\s{1,3}[^\\s]{1,200}\\s{1,3}[^\\s]{1,100}\\s{1,3}',
  '(?:zip|unzip)\\b[^\\n;|&]{0,200}?\\s-P\\s{0,3}',
  '7z[azr]?\\b[^\\n;|&]{0,200}?\\s-p',
  '(?:sqlcmd|bcp|mosquitto_pub|mosquitto_sub)\\b[^\\n;|&]{0,200}?\\s-P\\s{1,3}',
];
const isArgument = (secret: string): boolean => !isReference(secret) && !secret.startsWith('-');

export const COMMAND_RULES: readonly SecretRule[] = [
  placed(GROUP, {
    id: 'command-option',
    what: 'option of a command: --password, --token, --api-key and the like',
    keywords: [
      '-pass',
      '-pwd',
      '-secret',
      '-token',
      '-api',
      '-access',
      '-private',
      '-auth',
      '-sign',
      '-encr',
      '-cred',
      '-pat',
      '-db',
      '-client',
    ],
    pattern: `(?<![\\w-])--?(?:[a-z]{1,20}-){0,2}(?:${SECRET_WORD}|pass|pat)(?:=|${COMMAND_SPACE})(?:${QUOTED}|([^\\s"'\`;|&)\\\\,]{1,400}))`,
    flags: 'i',
    before: 45,
    reach: 500,
    accepts: (secret) => isArgument(secret) && (looksSecret(secret, true) || (/\d/.test(secret) && /\s/.test(secret))),
    samples: [
      'deploy --password {=hunter2} now',
      "tool --api-key='{an:20}' x",
      'vault -token={=hunter2}',
      'x --db-password "{=hunter2}"',
      'deploy --password \\\n  {=hunter2}',
    ],
    misses: [
      'docker login --password-stdin',
      'use --token to say which',
      '--password PASSWORD',
      '--token <token>',
      'npm run build -- --pass',
    ],
  }),
  placed(GROUP, {
    id: 'command-password',
    what: 'password of mysql, sqlcmd, sshpass, docker login, redis-cli, mongo, mosquitto, htpasswd, zip or 7z',
    keywords: [
      'mysql',
      'mariadb',
      'sshpass',
      'docker',
      'podman',
      'helm',
      'buildah',
      'skopeo',
      'az ',
      'oc ',
      'redis-cli',
      'mongo',
      'htpasswd',
      'sqlcmd',
      'bcp',
      'mosquitto_',
      'zip',
      '7z',
    ],
    pattern: `(?<![\\w.-])(?:${PASSWORD_OPTIONS.join('|')})${ARGUMENT}`,
    flags: '',
    before: 2,
    reach: 900,
    accepts: (secret) => isArgument(secret) && !isStandIn(secret),
    samples: [
      'mysql -u root -p{=hunter2} db',
      'sshpass -p {=hunter2} ssh x',
      "sshpass -p '{=two words}' ssh x",
      'docker login -u me -p {=hunter2}',
      'zip -r -P {=hunter2} a.zip src',
      '7z a -p{=hunter2} a.7z src',
      'redis-cli -h x -a {=hunter2}',
      'sqlcmd -S x -U sa -P {=hunter2}',
    ],
    misses: [
      'mkdir -p build && ssh -p 22 host && docker run -p 8080:80 x',
      'zip -r out.zip . && gzip -9 x && unzip -p a.zip b.txt',
      'mysql -u root -p db',
    ],
  }),
  placed(GROUP, {
    id: 'user-and-password',
    what: 'user and password of curl, wget, httpie, smbclient or lftp',
    keywords: ['curl', 'wget', 'http', 'xh', 'smbclient', 'lftp'],
    pattern:
      '\\b(?:curl|wget|smbclient|lftp|(?:https?|xh)(?=\\s))\\b[^\\n;|&]{0,400}?\\s(?:-u|-U|--user|--proxy-user|-a|--auth)(?:\\s{1,3}|=)?["\']?[^\\s:"\'`\\\\]{1,200}:([^\\s"\'`\\\\]{1,200})',
    before: 1,
    reach: 900,
    accepts: (secret) => !isStandIn(secret) && !secret.startsWith('//') && !/^\d{2,5}(?:[/:]|$)/.test(secret),
    samples: ['curl -s -u admin:{=hunter2} https://x.example', "curl --user 'me:{=hunter2}' https://x"],
    misses: ['curl -u "$USER:$PASS" https://x', 'curl -u user:password https://x'],
  }),
  placed(GROUP, {
    id: 'openssl-password',
    what: 'password of openssl',
    keywords: ['pass:'],
    pattern: `(?<![\\w-])--?pass(?:in|out|word|wd)?${COMMAND_SPACE}["']?pass:${ARGUMENT}`,
    before: 24,
    reach: 260,
    accepts: (secret) => !isStandIn(secret),
    samples: ['openssl rsa -in k.pem -passin pass:{=hunter2}', "openssl enc -pass 'pass:{=hunter2}' -in x"],
    misses: ['openssl rsa -passin env:PW -passout file:pw.txt'],
  }),
  placed(GROUP, {
    // What a config map is made of is no secret.
    id: 'from-literal',
    what: 'literal of a Kubernetes secret',
    keywords: ['--from-literal'],
    pattern: `(?<!configmap(?:[^\\n;|&]|\\\\\\r?\\n){0,300})--from-literal(?:=|${COMMAND_SPACE})["']?[\\w.-]{1,100}=${ARGUMENT}`,
    accepts: (secret) => !isReference(secret),
    samples: [
      'kubectl create secret generic x --from-literal=pw={=hunter2}',
      "kubectl create secret generic x --from-literal=pw='{=two words}'",
    ],
    misses: ['kubectl create configmap x --from-literal=mode=development --from-literal=b=c'],
  }),
];

/** Tokens have digits or capitals in the middle; the words behind «bearer» in a sentence have neither. */
const isNoWord = (secret: string): boolean => /[\d_=]/.test(secret) || /[a-z][A-Z]/.test(secret);

export const HEADER_RULES: readonly SecretRule[] = [
  placed(GROUP, {
    id: 'authorization-header',
    what: 'what an Authorization header carries',
    keywords: ['authorization'],
    pattern:
      '(?:proxy-)?authorization\\\\{0,3}["\'`]?\\s{0,3}[:=,]\\s{0,3}\\\\{0,3}["\'`]?(?:(?:bearer|token|basic|digest|apikey|negotiate|ssws|bot)\\s{1,3})?([^\\s"\'\\\\,`;<>()]{6,4000})',
    flags: 'i',
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
  placed(GROUP, {
    id: 'bearer-token',
    what: 'token behind the word Bearer',
    keywords: ['bearer'],
    pattern: 'bearer\\s{1,3}([\\w.~+/=-]{16,4000})',
    flags: 'i',
    accepts: (secret) =>
      !isStandIn(secret) &&
      (/\d/.test(secret)
        ? !/^[a-z]+(?:[-_.][a-z0-9]+){0,40}$/.test(secret) ||
          /(?<![a-z0-9])(?=[a-z]*\d[a-z]*\d)[a-z0-9]{10}/.test(secret)
        : /[a-z][A-Z]/.test(secret) && !/token|key|secret|access|auth|value/i.test(secret)),
    samples: ['bearer {an:30}', 'using Bearer cal_live_{=9f8e7d6c5b4a3f2e}'],
    misses: ['the bearer authentication_scheme_name', 'Bearer some-long-placeholder-token'],
  }),
  placed(GROUP, {
    id: 'basic-credentials',
    what: 'user and password in base64 behind the word Basic',
    keywords: ['basic'],
    pattern: '\\bbasic\\s{1,3}([A-Za-z0-9+/]{8,1000}={0,2})(?![\\w+/=])',
    flags: 'i',
    before: 1,
    accepts: (secret) => secret.length % 4 === 0 && isNoWord(secret) && decodesToPair(secret),
    samples: ['Basic {=dXNlcjpodW50ZXIyCg==}'],
    misses: ['Basic implementation of a basic authentication', 'basic usage12'],
  }),
  placed(GROUP, {
    id: 'cookie',
    what: 'cookies of a header',
    keywords: ['cookie:', 'cookie":', "cookie':", 'cookie\\":'],
    pattern: '(?:set-)?cookie\\\\{0,3}["\']?:\\s{0,3}\\\\{0,3}["\']?([\\w.%-]{1,80}=[^\\r\\n"\'\\\\]{6,4000})',
    flags: 'i',
    accepts: (secret) => /\d|[a-z][A-Z]/.test(secret) && !/^[\w.-]+=\s*[<{$]/.test(secret),
    samples: ['Cookie: sid={an:20}; theme=dark', 'Set-Cookie: session={w:40}; HttpOnly'],
    misses: ['Cookie: <cookie>', 'the cookie: a small text', 'cookie: name=value'],
  }),
  placed(GROUP, {
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
    minEntropy: 3,
    accepts: (secret) =>
      /\d/.test(secret) &&
      /[A-Za-z]/.test(secret) &&
      !/^(?:[a-z]+[._/-])+[a-z0-9]+$/i.test(secret) &&
      !/^[A-Za-z]+\d{0,3}$/.test(secret),
    samples: ['curl -b "session={an:32}" https://x', 'connect.sid=s%3A{an:32}.{an:40}', 'PHPSESSID={lo:26}'],
    misses: ['session=active', 'sid=12', 'const session=createSessionWithOptions1'],
  }),
  placed(GROUP, {
    id: 'key-header',
    what: 'header that carries a key: X-Api-Key, X-Auth-Token, PRIVATE-TOKEN and the like',
    keywords: ['x-', 'private-token', 'job-token', 'api-key:', 'apikey:', 'ocp-apim', 'deploy-token'],
    pattern:
      '(?<![\\w])(?:x-[a-z-]{0,30}(?:key|token|secret|auth)|private-token|job-token|deploy-token|api-?key|ocp-apim-subscription-key)\\\\{0,3}["\']?\\s{0,3}[:=]\\s{0,3}\\\\{0,3}["\']?([^\\s"\'\\\\,;<>(){}]{8,1000})',
    flags: 'i',
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
