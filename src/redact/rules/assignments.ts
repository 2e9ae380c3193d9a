import { readKubernetesSecret } from '../read-kubernetes.ts';
import { readNamed } from '../read-named.ts';
import { isNameOfCode } from '../read-nearby.ts';
import { placed, type SecretRule } from '../rule.ts';
import { NAME_KEYWORDS } from '../secret-names.ts';
import {
  ABOUT_IT,
  BARE,
  isCode,
  isReference,
  KEY_WORDS,
  looksSecret,
  QUOTED,
  SECRET_KEYWORDS,
  SECRET_WORD,
} from '../value-looks.ts';

const GROUP = 'by name and place';
/** In `arn:aws:secretsmanager:…:123456789012:secret:name` the last part is the name of the secret. */
const NO_ARN = '(?<!:\\d{12}:)';
const ASSIGNED = `${NO_ARN}${SECRET_WORD}(?![_-]?${ABOUT_IT})(?:[_-][\\w-]{0,30}|\\d{0,4})\\\\{0,3}(?:["'\`]\\]?)?\\s{0,5}(?::=|=>|={1,3}|:(?!:))(?:\\\\\\r?\\n)?\\s{0,5}(?:${QUOTED}|${BARE}(?!\\())`;
/** `pass` is also an ordinary word: only at the end of a name, directly before `=`, or before a value with digits and symbols. */
const PASS_ASSIGNED = `(?:(?<plain>(?<![\\w-])(?:pass|pw)\\\\{0,3}["'\`]?\\s{0,2}[:=]\\s{0,2})(?!=)|[a-z0-9]_pass\\\\{0,3}["'\`]?\\s{0,3}(?::=|=>|[:=])|(?<![\\w-])pass=)(?:\\\\\\r?\\n)?\\s{0,3}(?:${QUOTED}|${BARE}(?!\\())`;

const PASS_KEYWORDS = [
  '_pass',
  ...['pass', 'pw'].flatMap((word) => ['=', ':', ' ', '"', "'", '`', '\\\\'].map((mark) => word + mark)),
];
const isPassName = (match: RegExpExecArray): boolean =>
  match.groups?.['plain'] === undefined || /^pass=/i.test(match.groups['plain']);
const isMarked = (secret: string): boolean => /\d/.test(secret) && /[!@#$%^&*?+~]/.test(secret);

/** Words before `key` in a label. */
const LABEL_WORDS = [
  ...KEY_WORDS,
  'secret',
  'master',
  'license',
  'service',
  'account',
  'storage',
  'deploy',
  'live',
  'admin',
  'recovery',
  'shared',
  'subscription',
  'app',
];
const LABEL_KEYWORDS = [...SECRET_KEYWORDS, 'passcode', ...LABEL_WORDS.map((word) => `${word} key`)];
const LABEL = `(?:(?:${LABEL_WORDS.join('|')})[ _-]?key|pass(?:word|wd|phrase|code|wort)|pwd|secret|token|credential)s?`;
/** `API key (prod)`, `token for ci`, `API key provided`, `Password 2`. */
const ABOUT_WHAT = `(?: \\([^()\\n]{1,60}\\)| (?:for|of|to|on|in|at) [\\w@.:/-]{1,60}| #?\\d{1,3}| v\\d| (?:is|was|set|has|been|now|created|generated|provided|received|used|found|ready|changed|reset|updated|to|follows|as|value)){0,3}`;
const MARKUP = `(?:[*_~\`"'“”«»([]{1,3}|</?[a-z]{1,10}>|\\\\{1,3}["']){0,3}`;
/** Between label and value. The separators of sentences, code and columns are ambiguous; the value then needs a digit. */
const LABEL_MARK = `(?:\\s{0,3}(?::=|\\?=|[=-]>|→|={1,3}|:(?!:)|：|(?:\\|\\||\\?\\?|(?<=["'\`]),)(?<inCode>)(?=\\s{0,3}["'\`]))|\\s{1,20}(?<inWords>is|was|ist|to|[-–|])(?=\\W)${MARKUP}:?|(?<gap>\\s{1,3}(?=\\\\{0,3}["'\`])|\\t| {2,20}))`;
const LABELLED = `${NO_ARN}${LABEL}${ABOUT_WHAT}${MARKUP}${LABEL_MARK}${MARKUP}(?:\\s|\\\\{1,4}[nrt]|[|>][-+]?(?=\\n)|- ){0,8}(?:${QUOTED}|${MARKUP}${BARE}(?!\\())`;

const ASSIGNMENT = placed(GROUP, {
  id: 'assignment',
  basis: 'name',
  what: 'value whose name says that it is secret, in code, JSON, YAML or INI, where it looks like one',
  source: 'troupe: forms in its own tests',
  date: '2026-11-19',
  keywords: SECRET_KEYWORDS,
  pattern: ASSIGNED,
  flags: 'i',
  reach: 520,
  accepts: (secret, match) => {
    const isPassword = /pass|pwd/i.test(match[0].slice(0, 24));
    return looksSecret(secret, isPassword, isPassword || match.groups?.['quote'] !== undefined);
  },
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
});

const PASS_ASSIGNMENT = placed(GROUP, {
  id: 'pass-assignment',
  basis: 'name',
  what: 'value of a name that ends with «pass»',
  source: 'troupe: forms in its own tests',
  date: '2026-11-19',
  keywords: PASS_KEYWORDS,
  pattern: PASS_ASSIGNED,
  flags: 'i',
  before: 1,
  reach: 440,
  accepts: (secret, match) => looksSecret(secret, true) && (isPassName(match) || isMarked(secret)),
  samples: [
    'smtp_pass: "{=hunter2}"',
    '{"db_pass":"{=hunter2}"}',
    'user: ann, pass: {=Barcelona2024!}',
    'pw={=S3cr3t!x}',
  ],
  misses: [
    'pass the test, then pass: 12, fail: 3 and PASS: test_a',
    'PASS=12 FAIL=0; first_pass=2',
    'bypass=everything compass: north',
  ],
});

/** Whatever has names and values. */
const NAMED_VALUE: SecretRule = {
  id: 'named-secret',
  basis: 'name',
  group: GROUP,
  what: 'value whose name says that it is secret, in data, configuration, code, commands, markup and tables: any but a stand-in',
  source: 'troupe: forms in its own tests',
  date: '2026-11-19',
  keywords: NAME_KEYWORDS,
  pattern: /(?!)/y,
  before: 0,
  reach: 0,
  isGeneral: true,
  read: readNamed,
  samples: [
    '{"password":"{=Xk9(mQ2]pL7}"}',
    "define('DB_PASSWORD', '{=two words 7}');",
    '["deploy","--password","{=Walrus-88-Fig}"]',
    'const API_KEY: &str = "{=sunshinewillow}";',
    '| User | Password |\n|---|---|\n| ann | {=Walrus-88-Fig} |\n',
  ],
  misses: [
    'password = getPassword()',
    "token: '<your-token>'",
    '"max_tokens": 4096, "password": "changeme", "secret": "${VAR}"',
    '["password", "newPassword", "token"]',
    'the password is required',
    '  api_key varchar(64)',
    'read -rsp "Passphrase: " PASSPHRASE; echo',
    'set /p PASSWORD=Enter password: ',
    'by the --username and --password options',
    'client-secret=@client.secret@',
  ],
};

const KUBERNETES_SECRET: SecretRule = {
  id: 'kubernetes-secret',
  basis: 'place',
  group: GROUP,
  what: 'data of a secret of Kubernetes',
  source: 'Kubernetes documentation of secrets',
  date: '2026-11-19',
  keywords: ['kind: secret', 'kind: "secret', "kind: 'secret"],
  pattern: /(?!)/y,
  before: 0,
  reach: 0,
  isGeneral: true,
  read: readKubernetesSecret,
  samples: [
    '\napiVersion: v1\nkind: Secret\ndata:\n  app.conf: {=c3Vuc2hpbmU=}\n',
    '\nstringData:\n  url: {=walrus}\nkind: Secret\n',
  ],
  misses: [
    '\nkind: Secret\nstringData:\n  username: heron\n  DB_HOST: db.internal\n',
    'kind: ConfigMap\ndata:\n  mode: fast\n',
    '\nkind: Secret\nmetadata:\n  name: db\n',
  ],
};

export const ASSIGNMENT_RULES: readonly SecretRule[] = [
  KUBERNETES_SECRET,
  placed(GROUP, {
    id: 'labelled-value',
    basis: 'name',
    what: 'value after a label in a message, log line or document: “API Key: …”, “the password is …”',
    source: 'troupe: forms in its own tests',
    date: '2026-11-19',
    keywords: LABEL_KEYWORDS,
    pattern: LABELLED,
    flags: 'i',
    reach: 680,
    accepts: (secret, match) => {
      const value = secret.replace(/[.,;:!?*_~]{1,3}$/, '');
      // The next setting, where this one is empty; a tag of YAML.
      if (
        /^[A-Za-z_][\w.-]{0,40}=[^=\s]|^[A-Z][A-Z_]*=$/.test(value) &&
        /[=:][ \t]*\r?\n\s*$/.test(match[0].slice(0, -secret.length))
      )
        return false;
      if (/^!\w+$/.test(value) && match.groups?.['quote'] === undefined) return false;
      // The token of a public key names an assembly.
      if (/public_?key$/i.test(match.input.slice(Math.max(0, match.index - 12), match.index))) return false;
      // `&structs.Token{`, `(RefreshToken)`
      if (isNameOfCode(value) && /^[{)]/.test(match.input.slice(match.index + match[0].length))) return false;
      // `<ns:Name>`, a symbol of Ruby, a regular expression, a variable called as its label
      if (
        /^\w+:[A-Z][A-Za-z]+$|^:\w+$|\(\.\)|^[a-z][a-z\d]*(?:_[a-z\d]+)*_(?:credentials|token|password|secret|key)\w*$/.test(
          value,
        )
      )
        return false;
      const isPassword = /^pass|^pwd/i.test(match[0]);
      const { quote, inCode, inWords, gap } = match.groups ?? {};
      if ((inCode ?? inWords ?? gap) !== undefined && !/\d/.test(value)) return false;
      if (gap !== undefined && quote === undefined && !/^(?=.{12})(?:.*\d){3}/.test(value)) return false;
      return looksSecret(value, isPassword, isPassword || quote !== undefined);
    },
    samples: [
      'The password is {=hunter2x9}.',
      'the token for ci is `{an:16}`',
      '{"message":"API Key: {=cal_live_}{hex:20}"}',
      '{\\"text\\":\\"Secret key: {an:20}\\"}',
      '**Access Key:** {an:20}',
      '- **Password**: `{=hunter2x9}`',
      '| Signing key (prod) | {an:20} |',
      '<b>API key</b>: {an:20}',
    ],
    misses: [
      'the password is required',
      'token is expired',
      'the secret is out',
      'API key: missing',
      'Error: password: must be at least 8 characters',
      'Private key: RSA-2048',
      'Access key: Alt+Shift+1',
      'Password (8-64 characters): ',
      'token = cancellation_1.CancellationToken.is(params)',
      'publicKeyToken="b77a5c561934e089"',
    ],
  }),
  placed(GROUP, {
    id: 'named-value',
    basis: 'name',
    what: 'credentials beside the name of their header, as lists of headers have it',
    source: 'troupe: forms in its own tests',
    date: '2026-11-19',
    keywords: ['authorization', 'cookie'],
    pattern: `\\b(?:name|key|header)\\\\{0,3}["']?\\s{0,3}[:=]\\s{0,3}\\\\{0,3}["']?[\\w-]{0,40}?(?:authorization|cookie)\\\\{0,3}["']?\\s{0,3},?\\s{0,40}\\\\{0,3}["']?value\\\\{0,3}["']?\\s{0,3}[:=]\\s{0,3}(?:${QUOTED}|${BARE})`,
    flags: 'i',
    before: 70,
    reach: 480,
    accepts: (secret) => !isReference(secret) && !isCode(secret) && /\d|[^A-Za-z]/.test(secret),
    samples: ['{"name":"Authorization","value":"{=hunter2}"}', '- name: Cookie\n  value: {=hunter2}'],
    misses: ['{"name":"Content-Type","value":"application/json"}', '- name: Authorization\n  value: $PW'],
  }),
  NAMED_VALUE,
];

/** For what commands are told (the audit), where a word behind `password=` is one, however it looks. */
export const EAGER_RULES: readonly SecretRule[] = [
  {
    ...ASSIGNMENT,
    what: 'value whose name says that it is secret',
    accepts: (secret) => !isReference(secret) && !isCode(secret),
    samples: [
      'export DB_PASSWORD={=hunter2}',
      "const token = '{=hunter2}'",
      'password: "{=it\'s mine}"',
      'PASSWORD=\\\n{=hunter2} psql',
    ],
    misses: ['token = response.data.token'],
  },
  {
    ...PASS_ASSIGNMENT,
    accepts: (secret, match) =>
      !isReference(secret) && !isCode(secret) && !/^\d{1,3}$/.test(secret) && (isPassName(match) || isMarked(secret)),
    samples: ['DB_PASS={=hunter2} psql', 'export PASS={=hunter2}'],
    misses: ['PASS=12 FAIL=0'],
  },
];
