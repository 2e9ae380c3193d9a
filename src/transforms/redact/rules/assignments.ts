import { type SecretRule, shaped } from '../rule.ts';
import { isCode, isReference, isStandIn, looksSecret } from '../value-looks.ts';
import { ABOUT_IT, BARE, QUOTED, SECRET_KEYWORDS, SECRET_WORD } from './secret-names.ts';

const GROUP = 'by name and place';
const ASSIGNED = `${SECRET_WORD}(?![_-]?${ABOUT_IT})(?:[_-][\\w-]{0,30}|\\d{0,4})\\\\{0,3}(?:["'\`]\\]?)?\\s{0,5}(?::=|=>|={1,3}|:(?!:))(?:\\\\\\r?\\n)?\\s{0,5}(?:${QUOTED}|${BARE}(?!\\())`;
/** «pass» alone is an ordinary word, and what tests count: only as the end of a name, or right before `=`. */
const PASS_ASSIGNED = `(?:[a-z0-9]_pass\\\\{0,3}["'\`]?\\s{0,3}(?::=|=>|[:=])|(?<![\\w-])pass=)(?:\\\\\\r?\\n)?\\s{0,3}(?:${QUOTED}|${BARE}(?!\\())`;

export const ASSIGNMENT_RULES: readonly SecretRule[] = [
  shaped(GROUP, {
    id: 'environment-variable',
    what: 'variable whose name says that it is secret, as shells and .env files set it: any value but a stand-in',
    keywords: ['pass', 'pwd', 'secret', 'token', 'key', 'credential', '_auth', '_pat', '_dsn'],
    pattern:
      '(?<![\\w$.{-])(?:[A-Z][A-Z0-9_]{0,60}_|PG|SSH|VNC|SUDO)?(?:PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|SECRETS?|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|AUTH_?KEY|SIGNING_?KEY|ENCRYPTION_?KEY|MASTER_?KEY|KEY_BASE|CREDENTIALS?|AUTH|PAT)(?:_\\d{1,3}|_[A-Z]{1,12})?=(?:"([^"\\n]{4,400})"|\'([^\'\\n]{4,400})\'|([^\\s"\'`;|&<>()\\\\]{4,400}))',
    before: 70,
    reach: 480,
    isGeneral: true,
    accepts: (secret, [all]) =>
      !isStandIn(secret) &&
      !/^(?:[./~]|https?:\/\/[^@]*$|\d{1,4}$|0x|CRAM-|[a-z]+\(|[A-Z_]+$)/.test(secret) &&
      !/_(?:FILE|PATH|URL|URI|NAME|TYPE|TTL|ID|LEN|MAX|MIN|SIZE|COUNT|LENGTH|LIMIT|HEADER|ENV|VAR|RE|REGEX|EXPIRY)=/.test(
        all,
      ) &&
      !/^(?:[A-Z]+_)?(?:PWD|AUTH|PAT)=(?!.*\d)/.test(all),
    samples: [
      'export DB_PASSWORD={=correct-horse-fake-staple}',
      'STRIPE_SECRET="{an:20}"',
      'docker run -e API_TOKEN={=letmein} x',
      'SECRET_KEY_BASE={hex:64}',
    ],
    misses: [
      'export DB_PASSWORD=$SECRET',
      'TOKEN=changeme',
      'PASSWORD=',
      'MAX_TOKEN=4096',
      'SECRET_FILE=/run/secrets/x',
      'OLDPWD=build',
    ],
  }),
  shaped(GROUP, {
    id: 'assignment',
    what: 'value whose name says that it is secret, in code, JSON, YAML or INI, where it looks like one',
    keywords: SECRET_KEYWORDS,
    pattern: ASSIGNED,
    flags: 'i',
    reach: 520,
    isGeneral: true,
    accepts: (secret, [all]) => looksSecret(secret, /pass|pwd/i.test(all.slice(0, 24))),
    samples: [
      'A=1\nclient_secret="{an:20}"\n',
      'secret_key_base: {hex:64}',
      '{"password":"{=hunter2}"}',
      '{\\"apiKey\\": \\"{an:20}\\"}',
      "const token = '{an:24}'",
      'password: {=correct-horse-fake-staple}',
      'password = "{=S3cr3t!pw}"',
    ],
    misses: [
      'token = response.data.token',
      'password = getPassword()',
      'const secret: string',
      'token: process.env.TOKEN',
      "token: '<your-token>'",
      'secret: ${VAR}',
      '"max_tokens": 4096, token_type: bearer, password_min_length: 8',
      "password: 'your-password-123'",
    ],
  }),
  shaped(GROUP, {
    id: 'xml-element',
    what: 'element of XML whose name says that it is secret',
    keywords: SECRET_KEYWORDS,
    pattern: `(?<=<[\\w.:-]{0,40})${SECRET_WORD}>([^<>\\s]{4,400})</`,
    flags: 'i',
    isGeneral: true,
    accepts: (secret) => looksSecret(secret, true),
    samples: ['<db-password>{=Sup3rS3cret!}</db-password>'],
    misses: ['<password>${db.password}</password>', '<token>identifier</token>'],
  }),
  shaped(GROUP, {
    id: 'pass-assignment',
    what: 'value of a name that ends with «pass»',
    keywords: ['_pass', 'pass='],
    pattern: PASS_ASSIGNED,
    flags: 'i',
    before: 1,
    reach: 440,
    isGeneral: true,
    accepts: (secret) => looksSecret(secret, true),
    samples: ['smtp_pass: "{=hunter2}"', '{"db_pass":"{=hunter2}"}'],
    misses: [
      'pass the test, then pass: 12, fail: 3 and PASS: test_a',
      'PASS=12 FAIL=0; first_pass=2',
      'bypass=everything compass: north',
    ],
  }),
  shaped(GROUP, {
    id: 'named-value',
    what: 'value beside a name that says that it is secret, as lists of variables and headers have it',
    keywords: ['value'],
    pattern: `\\b(?:name|key|header)\\\\{0,3}["']?\\s{0,3}[:=]\\s{0,3}\\\\{0,3}["']?[\\w-]{0,40}?(?:${SECRET_WORD}|_pass|authorization|cookie)\\\\{0,3}["']?\\s{0,3},?\\s{0,40}\\\\{0,3}["']?value\\\\{0,3}["']?\\s{0,3}[:=]\\s{0,3}(?:${QUOTED}|${BARE})`,
    flags: 'i',
    before: 180,
    reach: 420,
    isGeneral: true,
    accepts: (secret) => !isStandIn(secret) && !isCode(secret) && /\d|[^A-Za-z]/.test(secret),
    samples: ['{"name":"Authorization","value":"{=hunter2}"}', '- name: DB_PASSWORD\n  value: {=hunter2}'],
    misses: ['{"name":"Content-Type","value":"application/json"}', '- name: DB_PASSWORD\n  value: $PW'],
  }),
  shaped(GROUP, {
    id: 'said-password',
    what: 'password told in a sentence',
    keywords: ['password', 'passphrase', 'token', 'api key', 'secret', 'passwort'],
    pattern:
      '(?:password|passphrase|passwort|token|api key|secret(?: key)?)(?: for [\\w@.-]{1,40})? (?:is|was|ist|:|=)\\s{0,2}[:=]?\\s{0,2}(?<quote>["\'`]?)([^\\s"\'`,;<>(){}]{6,200}?)\\k<quote>(?=[\\s.,;!?)]|$)',
    flags: 'i',
    isGeneral: true,
    accepts: (secret) => looksSecret(secret.replace(/[.,;!?]$/, ''), false) && /\d/.test(secret),
    samples: ['The password is {=hunter2x9}.', 'the token for ci is `{an:16}`'],
    misses: ['the password is required', 'token is expired', 'the secret is out'],
  }),
];

/** For what commands are told (the audit), where a word behind `password=` is one, however it looks. */
export const EAGER_RULES: readonly SecretRule[] = [
  shaped(GROUP, {
    id: 'assignment',
    what: 'value whose name says that it is secret',
    keywords: SECRET_KEYWORDS,
    pattern: ASSIGNED,
    flags: 'i',
    reach: 520,
    isGeneral: true,
    accepts: (secret) => !isReference(secret) && !isCode(secret),
    samples: [
      'export DB_PASSWORD={=hunter2}',
      "const token = '{=hunter2}'",
      'password: "{=it\'s mine}"',
      'PASSWORD=\\\n{=hunter2} psql',
    ],
    misses: ['token = response.data.token'],
  }),
  shaped(GROUP, {
    id: 'pass-assignment',
    what: 'value of a name that ends with «pass»',
    keywords: ['_pass', 'pass='],
    pattern: PASS_ASSIGNED,
    flags: 'i',
    before: 1,
    reach: 440,
    isGeneral: true,
    accepts: (secret) => !isReference(secret) && !isCode(secret) && !/^\d{1,3}$/.test(secret),
    samples: ['DB_PASS={=hunter2} psql', 'export PASS={=hunter2}'],
    misses: ['PASS=12 FAIL=0'],
  }),
];
