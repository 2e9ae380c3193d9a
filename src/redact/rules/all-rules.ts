import { type SecretRule, shaped } from '../rule.ts';
import { ASSIGNMENT_RULES, EAGER_RULES } from './assignments.ts';
import { CHAT_RULES } from './chat.ts';
import { CLOUD_RULES } from './cloud.ts';
import { CODE_HOST_RULES } from './code-hosts.ts';
import { COMMAND_RULES } from './commands.ts';
import { CONNECTION_RULES } from './connections.ts';
import { HEADER_RULES } from './headers.ts';
import { KEY_RULES } from './keys.ts';
import { MODEL_VENDOR_RULES } from './model-vendors.ts';
import { MONITORING_RULES } from './monitoring.ts';
import { PAYMENT_RULES } from './payment.ts';
import { PLATFORM_RULES } from './platforms.ts';
import { REGISTRY_RULES } from './registries.ts';
import { SERVICE_RULES } from './services.ts';

/** What the beginnings of summaries and cut texts leave of a token. */
const CUT_TOKEN: SecretRule = shaped('by name and place', {
  id: 'cut-token',
  what: 'beginning of a token that was cut',
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
];

/** For commands and their arguments: a word behind `password=` is a secret there, however it looks. */
export const AUDIT_RULES: readonly SecretRule[] = [
  ...CREDENTIAL_RULES.filter(({ id }) => !EAGER_RULES.some((eager) => eager.id === id)),
  ...EAGER_RULES,
];
