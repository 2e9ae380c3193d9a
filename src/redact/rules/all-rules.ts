import { type SecretRule, shaped } from '../rule.ts';
import { ASSIGNMENT_RULES, EAGER_RULES } from './assignments.ts';
import { CLOUD_RULES } from './cloud.ts';
import { CODE_HOST_RULES, KEY_RULES, REGISTRY_RULES } from './code-hosts.ts';
import { COMMAND_RULES, HEADER_RULES } from './commands.ts';
import { CONNECTION_RULES } from './connections.ts';
import { CHAT_RULES, MODEL_VENDOR_RULES, PAYMENT_RULES } from './model-vendors.ts';
import { MONITORING_RULES, PLATFORM_RULES } from './monitoring.ts';
import { NEARBY_RULES } from './nearby.ts';
import { PROSE_RULES } from './prose.ts';
import { SERVICE_RULES } from './services.ts';
import { TOLD_RULES } from './told.ts';

/** What the beginnings of summaries and cut texts leave of a token. */
const CUT_TOKEN: SecretRule = shaped('by name and place', {
  id: 'cut-token',
  what: 'beginning of a token that was cut',
  source: 'troupe: forms in its own tests',
  date: '2026-11-19',
  keywords: [
    'ghp_',
    'gho_',
    'ghu_',
    'ghs_',
    'ghr_',
    'github_pat_',
    'glpat-',
    'xoxb-',
    'xoxp-',
    'sk-',
    'sk_live_',
    'rk_live_',
    'akia',
    'aiza',
    'npm_',
    'pypi-',
    'hf_',
    'eyj',
    'ya29.',
  ],
  pattern:
    '(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|sk-|[sr]k_live_|AKIA|AIza|npm_|pypi-|hf_|eyJ|ya29\\.)[\\w.-]{2,300}?(?:…|\\.\\.\\.)',
  accepts: (secret) => /\d|[A-Z]/.test(secret.slice(4)),
  samples: ['echo ghp_{an:9}…', 'sk-ant-api03-{an:6}...'],
  misses: ['npm_config_…', 'sk-...'],
});

/** Credentials: what is looked for in everything that leaves. */
export const CREDENTIAL_RULES: readonly SecretRule[] = [
  ...KEY_RULES,
  ...CODE_HOST_RULES,
  ...MODEL_VENDOR_RULES,
  ...CLOUD_RULES,
  ...CHAT_RULES,
  ...PAYMENT_RULES,
  ...REGISTRY_RULES,
  ...MONITORING_RULES,
  ...SERVICE_RULES,
  ...PLATFORM_RULES,
  CUT_TOKEN,
  ...CONNECTION_RULES,
  ...HEADER_RULES,
  ...COMMAND_RULES,
  ...ASSIGNMENT_RULES,
  ...PROSE_RULES,
  ...NEARBY_RULES,
  ...TOLD_RULES,
];

/** For commands and their arguments: a word behind `password=` is a secret there, however it looks. */
export const AUDIT_RULES: readonly SecretRule[] = [
  ...CREDENTIAL_RULES.filter(({ id }) => !EAGER_RULES.some((eager) => eager.id === id)),
  ...EAGER_RULES,
];

const PERSONAL = 'personal';

/** Opt-in: what names or finds a person. Source code is full of made-up ones. */
export const PERSONAL_RULES: readonly SecretRule[] = [
  shaped(PERSONAL, {
    id: 'email',
    what: 'e-mail address',
    source: 'RFC 5322 (addresses)',
    date: '2026-11-19',
    keywords: ['@'],
    pattern: "(?<![\\w.+%-])[\\w.+%'-]{1,64}@(?:[A-Za-z0-9-]{1,63}\\.){1,6}[A-Za-z]{2,24}(?![\\w-])",
    before: 66,
    reach: 330,
    accepts: (secret) =>
      !/^git@|@(?:[\w-]+\.)*example\.(?:com|org|net)$|@\d+\.\d+\.\d|\.(?:js|ts|png|css|svg|json)$/i.test(secret),
    samples: ['write to {=jane.doe@company.io} now'],
    misses: ['git@github.com:o/r.git', 'a@example.com', 'lodash@4.17.21', '@types/node'],
  }),
  shaped(PERSONAL, {
    id: 'phone',
    what: 'phone number in international form, or with the marks of a national one',
    source: 'ITU-T E.164',
    date: '2026-11-19',
    keywords: ['+', '(', '-'],
    pattern:
      '(?<![\\w+.(/=#-])(?:\\+[1-9]\\d{0,2}[ .-]?(?:\\(\\d{1,4}\\)[ .-]?)?\\d{2,4}(?:[ .-]?\\d{2,4}){1,4}|\\(\\d{3}\\) ?\\d{3}[ -]\\d{4}|\\d{3}-\\d{3}-\\d{4})(?![\\w-]|\\.\\d)',
    before: 4,
    reach: 40,
    accepts: (secret) => {
      const digits = secret.replace(/\D/g, '').length;
      return digits >= 9 && digits <= 15;
    },
    samples: ['call {=+49 170 1234567}', 'tel: {=+14155552671}', 'or {=(415) 555-2671}', 'or {=415-555-2671}'],
    misses: ['+1 more', '2024-10-12', '1-2-3', 'a+1234567890'],
  }),
  shaped(PERSONAL, {
    id: 'card',
    what: 'number of a payment card that passes its check digit',
    source: 'ISO/IEC 7812',
    date: '2026-11-19',
    checksum: 'Luhn',
    keywords: ['3', '4', '5', '6', '2'],
    pattern:
      '(?<![\\w.-])[2-6]\\d{3}(?:[ -]?\\d{4}){2}[ -]?\\d{1,7}(?![\\w-]|\\.\\d)|(?<![\\w.-])3[47]\\d{2}[ -]?\\d{6}[ -]?\\d{5}(?![\\w-])',
    accepts: (secret) => passesLuhn(secret.replace(/\D/g, '')),
    samples: ['{=4242 4242 4242 4242}', '{=5555555555554444}', '{=378282246310005}'],
    misses: ['4242 4242 4242 4243', '1700000000000000'],
  }),
  shaped(PERSONAL, {
    id: 'ip-address',
    what: 'IP address, but those of no machine (0.0.0.0, 127.0.0.1, ::1, 255.…, examples of manuals)',
    source: 'RFC 791 and RFC 4291',
    date: '2026-11-19',
    keywords: ['.', ':'],
    pattern:
      '(?<![\\w.:-])(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}(?![\\w.-])|(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}(?![\\w:.])|(?:[0-9a-fA-F]{1,4}:){1,6}:(?:[0-9a-fA-F]{1,4}:){0,5}[0-9a-fA-F]{1,4}(?![\\w:.]))',
    before: 5,
    reach: 60,
    accepts: (secret) =>
      secret.includes(':')
        ? /\d/.test(secret) && secret.length >= 8 && !/^(?:2001:db8|fe80::?$)/i.test(secret)
        : !/^(?:0\.|127\.|255\.|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)|^[0-9]\.\d{1,2}\.\d{1,2}\.\d{1,2}$/.test(
            secret,
          ),
    samples: ['from {=203.0.114.7} port 22', 'inet6 {=2a02:8108:8ac0:1::4f2}'],
    misses: ['127.0.0.1', '0.0.0.0', 'version 1.2.3.4', '2001:db8::1', '::1', '12:30:45'],
  }),
];

function passesLuhn(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19 || /^(\d)\1*$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const twice = digit * 2;
    sum += at % 2 === 0 ? digit : twice > 9 ? twice - 9 : twice;
  }
  return sum % 10 === 0;
}
