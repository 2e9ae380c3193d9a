import { type SecretRule, shaped, token } from '../rule.ts';

const GROUP = 'keys';
/** Base64 with its line ends, as they are or escaped, with headers, numbers of lines and marks of a diff. */
const ARMOUR = '(?:[\\w+/=\\\\\\s:,.()\'"`→|>#*&;%]|-(?!----)){0,16000}';

export const KEY_RULES: readonly SecretRule[] = [
  shaped(GROUP, {
    id: 'private-key',
    what: 'private key in PEM form: RSA, EC, DSA, OpenSSH, PKCS 8, encrypted, PGP; on one line, too, and without its end',
    keywords: ['-----begin'],
    // A narrow terminal cuts the title, too.
    pattern: `-----BEGIN[^-]{3,60}-(?:[\\s+\\\\]{0,4}-){4}${ARMOUR}(?:-----END[^-]{3,60}-----)?`,
    accepts: (secret) => {
      const [, , , , , title = '', ...body] = secret.split('-');
      return (
        /PRIVATEKEY/.test(title.replace(/\\n|[^A-Z]/g, '')) &&
        /[A-Za-z0-9+/]{16}/.test(body.join('-').replace(/-----END.*/s, ''))
      );
    },
    // Without line numbers, marks of a diff, and how its lines end.
    canonical: (secret) =>
      (secret.match(/[A-Za-z0-9+/=]{20,8000}/g) ?? []).map((line) => line.replace(/^\++/, '')).join('\n'),
    samples: ['{pem:RSA PRIVATE KEY}', '{pem:PRIVATE KEY}', '{pem:OPENSSH PRIVATE KEY}', '{pem:PGP PRIVATE KEY BLOCK}'],
    misses: ['{pem:PUBLIC KEY}', 'text.includes("-----BEGIN PRIVATE KEY-----")'],
  }),
  shaped(GROUP, {
    id: 'putty-key',
    what: 'private key of PuTTY',
    keywords: ['private-lines:'],
    pattern:
      'Private-Lines:\\s{0,3}\\d{1,3}\\s{1,6}((?:[A-Za-z0-9+/=]{4,80}\\s{1,6}){1,80})(?:Private-MAC:\\s?[0-9a-f]{20,80})?',
    samples: ['Private-Lines: 2\n{b64:64}\n{b64:64}\nPrivate-MAC: abc'],
    misses: ['Private-Lines: none'],
  }),
  token(GROUP, {
    id: 'age-secret-key',
    what: 'secret key of age',
    starts: ['AGE-SECRET-KEY-1', 'AGE-PLUGIN-'],
    body: '[0-9A-Z-]{40,120}',
    samples: ['AGE-SECRET-KEY-1{up:58}'],
    misses: ['AGE-SECRET-KEY-1'],
  }),
  shaped(GROUP, {
    id: 'wireguard-key',
    what: 'private or shared key of WireGuard',
    keywords: ['privatekey', 'presharedkey'],
    pattern: '(?:PrivateKey|PresharedKey)\\s{0,3}=\\s{0,3}([A-Za-z0-9+/]{43}=)',
    samples: ['PrivateKey = {b64:43}='],
    misses: ['PrivateKey = key.pem'],
  }),
  shaped(GROUP, {
    id: 'json-web-key',
    what: 'private part of a JSON web key',
    keywords: ['"kty"', '\\"kty\\"'],
    pattern: '"(?:d|dp|dq|qi|k)\\\\{0,3}"\\s{0,3}:\\s{0,3}\\\\{0,3}"([\\w-]{20,1000})\\\\{0,3}"',
    before: 1200,
    reach: 3000,
    samples: ['{"kty":"EC","crv":"P-256","d":"{w:43}"}'],
    misses: ['{"kty":"EC","x":"{w:43}"}'],
  }),
  shaped(GROUP, {
    // One beginning for a whole run: thousands of them in a row must not each look at all that follow.
    id: 'jwt',
    what: 'JSON web token, signed or not',
    keywords: ['eyj'],
    pattern: '(?<![\\w-])eyJ[\\w-]{8,4000}\\.[\\w-]{8,4000}(?:\\.[\\w-]{0,4000}){0,3}',
    isWrapped: true,
    samples: ['eyJ{w:33}.eyJ{w:60}.{w:43}', 'eyJ{w:33}.eyJ{w:60}.'],
    misses: ['eyJ{w:33}', 'eyJ.eyJ.x'],
  }),
  shaped(GROUP, {
    id: 'password-hash',
    what: 'hash of a password, as in /etc/shadow and .htpasswd',
    keywords: ['$2a$', '$2b$', '$2y$', '$6$', '$5$', '$y$', '$apr1$', '$argon2'],
    pattern:
      '\\$(?:2[aby]\\$\\d{2}\\$[./A-Za-z0-9]{53}|[56]\\$(?:rounds=\\d{1,9}\\$)?[./A-Za-z0-9]{1,16}\\$[./A-Za-z0-9]{43,86}|y\\$[./A-Za-z0-9]{1,8}\\$[./A-Za-z0-9]{4,30}\\$[./A-Za-z0-9]{43}|apr1\\$[./A-Za-z0-9]{1,8}\\$[./A-Za-z0-9]{22}|argon2(?:id|i|d)\\$v=\\d{1,3}\\$[mtp=,\\d]{5,40}\\$[A-Za-z0-9+/]{8,100}\\$[A-Za-z0-9+/]{16,200})',
    samples: ['$2b$12${an:53}', 'root:$6${an:8}${an:86}:19000', '$argon2id$v=19$m=65536,t=3,p=4${an:22}${an:43}'],
    misses: ['$2b$12$short', 'echo $6$x'],
  }),
];
