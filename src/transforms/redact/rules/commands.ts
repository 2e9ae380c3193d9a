import { type SecretRule, shaped } from '../rule.ts';
import { isReference, isStandIn, looksSecret } from '../value-looks.ts';
import { COMMAND_SPACE, QUOTED, SECRET_WORD } from './secret-names.ts';

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
const isArgument = (secret: string): boolean => !isReference(secret) && !secret.startsWith('-') && !/^\[/.test(secret);

export const COMMAND_RULES: readonly SecretRule[] = [
  shaped(GROUP, {
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
    isGeneral: true,
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
  shaped(GROUP, {
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
    isGeneral: true,
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
  shaped(GROUP, {
    id: 'user-and-password',
    what: 'user and password of curl, wget, httpie, smbclient or lftp',
    keywords: ['curl', 'wget', 'http', 'xh', 'smbclient', 'lftp'],
    pattern:
      '\\b(?:curl|wget|smbclient|lftp|(?:https?|xh)(?=\\s))\\b[^\\n;|&]{0,400}?\\s(?:-u|-U|--user|--proxy-user|-a|--auth)(?:\\s{1,3}|=)?["\']?[^\\s:"\'`\\\\]{1,200}:([^\\s"\'`\\\\]{1,200})',
    before: 1,
    reach: 900,
    isGeneral: true,
    accepts: (secret) =>
      !isReference(secret) && !secret.startsWith('//') && !/^[$<{[]|^pass(?:word)?$|^\d{2,5}(?:[/:]|$)/i.test(secret),
    samples: ['curl -s -u admin:{=hunter2} https://x.example', "curl --user 'me:{=hunter2}' https://x"],
    misses: ['curl -u "$USER:$PASS" https://x', 'curl -u user:password https://x'],
  }),
  shaped(GROUP, {
    id: 'openssl-password',
    what: 'password of openssl',
    keywords: ['pass:'],
    pattern: `(?<![\\w-])--?pass(?:in|out|word|wd)?${COMMAND_SPACE}["']?pass:${ARGUMENT}`,
    before: 24,
    reach: 260,
    isGeneral: true,
    accepts: (secret) => !isReference(secret) && !isStandIn(secret),
    samples: ['openssl rsa -in k.pem -passin pass:{=hunter2}', "openssl enc -pass 'pass:{=hunter2}' -in x"],
    misses: ['openssl rsa -passin env:PW -passout file:pw.txt'],
  }),
  shaped(GROUP, {
    // What a config map is made of is no secret.
    id: 'from-literal',
    what: 'literal of a Kubernetes secret',
    keywords: ['--from-literal'],
    pattern: `(?<!configmap(?:[^\\n;|&]|\\\\\\r?\\n){0,300})--from-literal(?:=|${COMMAND_SPACE})["']?[\\w.-]{1,100}=${ARGUMENT}`,
    isGeneral: true,
    accepts: (secret) => !isReference(secret),
    samples: [
      'kubectl create secret generic x --from-literal=pw={=hunter2}',
      "kubectl create secret generic x --from-literal=pw='{=two words}'",
    ],
    misses: ['kubectl create configmap x --from-literal=mode=development --from-literal=b=c'],
  }),
];
