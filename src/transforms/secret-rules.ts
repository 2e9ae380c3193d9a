/** One kind of credential. The shape is that of gitleaks' rules; the rules are our own. */
export interface SecretRule {
  readonly id: string;
  /** Global, with indices. The first group that took part is the secret; without groups, all of it. No quantifier is open. */
  readonly pattern: RegExp;
  /** Lower case; a text without any of them holds no such secret. */
  readonly keywords: readonly string[];
  /** Bits a character: words have fewer. */
  readonly minEntropy?: number;
  /** What looks like one and is none. */
  readonly isSecret?: (secret: string) => boolean;
}

/** Tokens that their makers gave a beginning of its own: `beginning` then `body`. */
const PREFIXED: readonly (readonly [id: string, beginning: string, body: string, keywords: readonly string[]])[] = [
  ['aws-access-key', '(?:AKIA|ASIA|ABIA|ACCA)', '[A-Z0-9]{16}', ['akia', 'asia', 'abia', 'acca']],
  ['github-token', 'gh[pousr]_', '[A-Za-z0-9]{30,255}', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_']],
  ['github-fine-grained-token', 'github_pat_', '\\w{36,255}', ['github_pat_']],
  ['gitlab-token', 'gl(?:pat|dt|ptt|rt|cbt|ft|imt|agent|soat|oas)-', '[\\w.-]{16,300}', ['gl']],
  ['slack-token', 'xox[abeoprs]-', '[\\w-]{10,300}', ['xox']],
  ['slack-app-token', 'xapp-', '[\\w-]{10,300}', ['xapp-']],
  [
    'stripe-key',
    '(?:(?:sk|rk)_(?:live|test|prod)_|whsec_)',
    '[A-Za-z0-9+/=]{10,250}',
    ['k_live_', 'k_test_', 'k_prod_', 'whsec_'],
  ],
  ['anthropic-key', 'sk-ant-', '[\\w-]{16,250}', ['sk-ant-']],
  ['google-api-key', 'AIza', '[\\w-]{35}', ['aiza']],
  ['google-oauth-secret', 'GOCSPX-', '[\\w-]{20,60}', ['gocspx-']],
  ['google-oauth-token', 'ya29\\.', '[\\w.-]{20,400}', ['ya29.']],
  ['npm-token', 'npm_', '[A-Za-z0-9]{30,60}', ['npm_']],
  ['pypi-token', 'pypi-', '[\\w-]{50,500}', ['pypi-']],
  ['rubygems-key', 'rubygems_', '[a-f0-9]{48}', ['rubygems_']],
  ['crates-token', 'cio', '[A-Za-z0-9]{32}\\b', ['cio']],
  ['hugging-face-token', '(?:hf|api_org)_', '[A-Za-z0-9]{30,60}', ['hf_', 'api_org_']],
  ['groq-key', 'gsk_', '[A-Za-z0-9]{40,80}', ['gsk_']],
  ['xai-key', 'xai-', '[A-Za-z0-9]{60,100}', ['xai-']],
  ['perplexity-key', 'pplx-', '[A-Za-z0-9]{32,80}', ['pplx-']],
  ['replicate-token', 'r8_', '[A-Za-z0-9]{30,60}', ['r8_']],
  ['sendgrid-key', 'SG\\.', '[\\w-]{16,32}\\.[\\w-]{16,64}', ['sg.']],
  ['twilio-key', 'SK', '[0-9a-f]{32}\\b', ['sk']],
  ['mailgun-key', 'key-', '[0-9a-f]{32}\\b', ['key-']],
  ['digitalocean-token', 'do[opr]_v1_', '[a-f0-9]{64}', ['do']],
  ['shopify-token', 'shp(?:at|ca|pa|ss)_', '[a-fA-F0-9]{32}', ['shp']],
  ['databricks-token', 'dapi', '[a-h0-9]{32}', ['dapi']],
  ['vault-token', 'hv[sbr]\\.', '[\\w-]{20,300}', ['hvs.', 'hvb.', 'hvr.']],
  ['doppler-token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.', '[A-Za-z0-9.]{40,80}', ['dp.']],
  ['docker-token', 'dckr_(?:pat|oat)_', '[\\w-]{20,60}', ['dckr_']],
  ['linear-key', 'lin_api_', '[A-Za-z0-9]{32,60}', ['lin_api_']],
  ['notion-token', 'ntn_', '[A-Za-z0-9]{40,60}', ['ntn_']],
  ['figma-token', 'figd_', '[\\w-]{30,80}', ['figd_']],
  ['atlassian-token', 'ATATT3', '[\\w=-]{50,300}', ['atatt3']],
  ['sentry-token', 'sntry[su]_', '[\\w=+/-]{40,400}', ['sntry']],
  ['supabase-token', 'sb[pvs]_', '[A-Za-z0-9_]{30,80}', ['sbp_', 'sbv_', 'sbs_']],
  ['planetscale-token', 'pscale_(?:tkn|pw|oauth)_', '[\\w.-]{30,80}', ['pscale_']],
  ['pulumi-token', 'pul-', '[a-f0-9]{40}', ['pul-']],
  ['new-relic-key', 'NRAK-', '[A-Z0-9]{27}', ['nrak-']],
  ['postman-key', 'PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}', ['pmak-']],
  ['age-secret-key', 'AGE-SECRET-KEY-1', '[0-9A-Z]{58}', ['age-secret-key-']],
];

/** What the beginnings of summaries and cut texts leave of a token. */
const CUT_TOKEN =
  '(?:gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|sk-|[sr]k_live_|AKIA|AIza|npm_|pypi-|hf_|eyJ|ya29\\.)';

const SECRET_WORD =
  '(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|signing[_-]?key|encryption[_-]?key|credentials?)';
/** What is said about a secret is none: `token_type`, `password_min_length`. */
const ABOUT_IT =
  '(?:type|ur[il]|name|count|limit|max|min|length|usage|expir|ttl|file|path|field|endpoint|policy|hint|label)';
const QUOTED = '(?<quote>\\\\{0,3}["\'`])((?:(?!\\k<quote>)[^\\n]){1,400})';
/** All of it or nothing: what is called with brackets is no value, and a part of its name is none either. */
const BARE = '(?=(?<bare>[^\\s"\'`,;(){}[\\]<>|&\\\\]{4,400}))\\k<bare>';
/** A word of a command that is a secret, in quotes or not. */
const ARGUMENT = `(?:"([^"\\n]{1,200})"|'([^'\\n]{1,200})'|["']?([^\\s"';|&]{1,200}))`;
/** Between the words of a command that goes on in the next line. */
const COMMAND_SPACE = '(?:\\s|\\\\\\r?\\n){1,6}';
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
];
const SECRET_KEYWORDS = ['passw', 'passphrase', 'pwd', 'secret', 'token', 'key', 'credential'];

export const SECRET_RULES: readonly SecretRule[] = [
  {
    id: 'private-key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\w+/=\\\s:,.()]|-(?!----)){0,16000}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/dg,
    keywords: ['private key'],
  },
  ...PREFIXED.map(([id, beginning, body, keywords]) => ({
    id,
    pattern: new RegExp(`\\b${beginning}${body}`, 'dg'),
    keywords,
  })),
  {
    id: 'openai-key',
    pattern: /\bsk-[A-Za-z0-9_-]{20,250}/dg,
    keywords: ['sk-'],
    minEntropy: 3.5,
    isSecret: (secret) => /\d/.test(secret),
  },
  {
    // One beginning for a whole run: thousands of them in a row must not each look at all that follow.
    id: 'jwt',
    pattern: /(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,4000}(?:\.[\w-]{0,4000})?/dg,
    keywords: ['eyj'],
  },
  {
    id: 'cut-token',
    pattern: new RegExp(`\\b${CUT_TOKEN}[\\w.-]{2,300}(?:…|\\.\\.\\.)`, 'dg'),
    keywords: ['…', '...'],
  },
  {
    id: 'aws-secret-key',
    pattern: /aws[^\n]{0,40}?(?:secret|key)[^\n]{0,20}?["'=:\s]([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/dgi,
    keywords: ['aws'],
    minEntropy: 3.5,
  },
  {
    id: 'slack-webhook',
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9+/]{20,200})/dg,
    keywords: ['hooks.slack.com'],
  },
  {
    id: 'discord-webhook',
    pattern: /discord(?:app)?\.com\/api\/webhooks\/\d{5,30}\/([\w-]{30,100})/dg,
    keywords: ['/api/webhooks/'],
  },
  { id: 'telegram-token', pattern: /\b\d{8,10}:AA[\w-]{30,40}/dg, keywords: [':aa'] },
  { id: 'mailchimp-key', pattern: /\b[0-9a-f]{32}-us\d{1,2}\b/dg, keywords: ['-us'] },
  { id: 'terraform-token', pattern: /\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,80}/dg, keywords: ['.atlasv1.'] },
  {
    id: 'authorization-header',
    pattern:
      /\bauthorization\\{0,3}["']?\s{0,3}[:=]\s{0,3}\\{0,3}["']?(?:(?:bearer|token|basic|digest|apikey|negotiate)\s{1,3})?([^\s"'\\,]{6,4000})/dgi,
    keywords: ['authorization'],
    isSecret: isValue,
  },
  {
    id: 'bearer-token',
    pattern: /\bbearer\s{1,3}([\w.~+/=-]{16,4000})/dgi,
    keywords: ['bearer'],
    isSecret: (secret) => /[\d_=]/.test(secret) || /[a-z][A-Z]/.test(secret),
  },
  {
    id: 'basic-credentials',
    pattern: /\bbasic\s{1,3}([A-Za-z0-9+/]{8,1000}={0,2})(?![\w+/=])/dgi,
    keywords: ['basic'],
    isSecret: (secret) => secret.length % 4 === 0 && (/[\d=]/.test(secret) || /[a-z][A-Z]/.test(secret)),
  },
  {
    id: 'cookie',
    pattern: /\b(?:set-)?cookie\\{0,3}["']?:\s{0,3}\\{0,3}["']?([^\r\n"'\\]{6,4000})/dgi,
    keywords: ['cookie'],
    isSecret: (secret) => secret.includes('='),
  },
  {
    id: 'url-password',
    pattern: /:\/\/[^\s:@/"'<>]{0,200}:([^\s@/"'<>]{1,300})@/dg,
    keywords: ['://'],
    isSecret: isValue,
  },
  {
    id: 'signed-url',
    pattern:
      /[?&](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|access_token)=([\w%+/=.-]{16,4000})/dgi,
    keywords: ['sig=', 'signature=', '-token=', '_token='],
  },
  {
    id: 'command-option',
    pattern: new RegExp(
      `(?<![\\w-])--?(?:[a-z]{1,20}-){0,2}(?:${SECRET_WORD}|pass|pat)(?:=|${COMMAND_SPACE})(?:${QUOTED}|([^\\s"'\`;|&)\\\\]{1,400}))`,
      'dgi',
    ),
    keywords: ['-'],
    isSecret: (secret) => isValue(secret) && !secret.startsWith('-'),
  },
  {
    id: 'command-password',
    pattern: new RegExp(`\\b(?:${PASSWORD_OPTIONS.join('|')})${ARGUMENT}`, 'dg'),
    keywords: ['mysql', 'mariadb', 'sshpass', 'login', 'redis-cli', 'mongo', 'htpasswd', 'zip', '7z'],
    isSecret: (secret) => isValue(secret) && !secret.startsWith('-'),
  },
  {
    id: 'user-and-password',
    pattern:
      /\b(?:curl|wget|smbclient|lftp|(?:https?|xh)(?=\s))\b[^\n;|&]{0,400}?\s(?:-u|-U|--user|-a|--auth)(?:\s{1,3}|=)?["']?[^\s:"']{1,200}:([^\s"']{1,200})/dg,
    keywords: ['curl', 'wget', 'http', 'xh', 'smbclient', 'lftp'],
    isSecret: (secret) => isValue(secret) && !secret.startsWith('//'),
  },
  {
    id: 'assignment',
    pattern: new RegExp(
      `${SECRET_WORD}(?![_-]?${ABOUT_IT})(?:[_-][\\w-]{0,30}|\\d{0,4})\\\\{0,3}["'\`]?\\s{0,5}(?::=|=>|[:=])(?:\\\\\\r?\\n)?\\s{0,5}(?:${QUOTED}|${BARE}(?!\\())`,
      'dgi',
    ),
    keywords: SECRET_KEYWORDS,
    isSecret: (secret) => isValue(secret) && !isCode(secret),
  },
  {
    // «pass» alone is an ordinary word, and what tests count: only as the end of a name, or right before `=`.
    id: 'pass-assignment',
    pattern: new RegExp(
      `(?:[a-z0-9]_pass\\\\{0,3}["'\`]?\\s{0,3}(?::=|=>|[:=])|(?<![\\w-])pass=)(?:\\\\\\r?\\n)?\\s{0,3}(?:${QUOTED}|${BARE}(?!\\())`,
      'dgi',
    ),
    keywords: ['pass'],
    isSecret: (secret) => isValue(secret) && !isCode(secret) && !/^\d{1,3}$/.test(secret),
  },
  {
    id: 'named-value',
    pattern: new RegExp(
      `\\b(?:name|key|header)\\\\{0,3}["']?\\s{0,3}[:=]\\s{0,3}\\\\{0,3}["']?[\\w-]{0,40}?(?:${SECRET_WORD}|_pass|authorization|cookie)\\\\{0,3}["']?\\s{0,3},?\\s{0,40}\\\\{0,3}["']?value\\\\{0,3}["']?\\s{0,3}[:=]\\s{0,3}(?:${QUOTED}|${BARE})`,
      'dgi',
    ),
    keywords: ['value'],
    isSecret: isValue,
  },
  {
    // Where a user's name may stand: tokens are longer than names, and have digits.
    id: 'url-token',
    pattern: /\bhttps?:\/\/([\w.~+=-]{16,300})@/dgi,
    keywords: ['://'],
    minEntropy: 3,
    isSecret: (secret) => /\d/.test(secret),
  },
  {
    id: 'openssl-password',
    pattern: new RegExp(`(?<![\\w-])--?pass(?:in|out|word|wd)?${COMMAND_SPACE}["']?pass:${ARGUMENT}`, 'dg'),
    keywords: ['pass:'],
    isSecret: isValue,
  },
  {
    id: 'netrc',
    pattern:
      /\b(?:machine\s{1,20}(?:[\w-]{1,60}\.[\w.-]{1,200}|localhost)|(?:machine\s{1,20}[\w.-]{1,200}|default)\s{1,20}login\s{1,20}\S{1,200})(?:\s{1,20}login\s{1,20}\S{1,200})?\s{1,20}password\s{1,20}(\S{1,300})/dg,
    keywords: ['password'],
    isSecret: isValue,
  },
  {
    // What a config map is made of is no secret.
    id: 'from-literal',
    pattern: new RegExp(
      `(?<!configmap(?:[^\\n;|&]|\\\\\\r?\\n){0,300})--from-literal(?:=|${COMMAND_SPACE})["']?[\\w.-]{1,100}=${ARGUMENT}`,
      'dg',
    ),
    keywords: ['--from-literal'],
    isSecret: isValue,
  },
];

/** Whether a field of this name with this value is masked whole. */
export function isSecretField(name: string, value: unknown): boolean {
  if (isSecretName(name)) return hidesSomething(name, value);
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').split(/[^a-zA-Z]/);
  return SECRET_IF.get(words.at(-1)?.toLowerCase() ?? '')?.(value) ?? false;
}

/** The names of secrets, without what separates their words. */
function isSecretName(name: string): boolean {
  const bare = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return /(?:passwords?|passwd|passphrase|pwd|secrets?|token|apikey|accesskey|secretkey|privatekey|signingkey|encryptionkey|credentials?|authorization|cookies?)$/.test(
    bare,
  );
}

/** Counts are no secrets, though they may be called `max_token`; nor is what is not there. */
function hidesSomething(name: string, value: unknown): boolean {
  if (typeof value === 'number') return /pass|pwd/i.test(name);
  return (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);
}

/** Words that name other things, too: how many tests pass, a pin of a board, how many tokens. Their values tell. */
const SECRET_IF: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['pass', (value) => (typeof value === 'number' ? value >= 1_000 : isText(value))],
  ['pin', (value) => /^\d{4,12}$/.test(String(value))],
  ['tokens', (value) => isText(value) || (Array.isArray(value) && value.some(isText))],
]);

function isText(value: unknown): boolean {
  return typeof value === 'string' && isValue(value) && !/^[\d.,]{0,12}$/.test(value);
}

/** A reference to a secret, or a place to put one, gives nothing away. */
function isValue(secret: string): boolean {
  return !/^(?:\$[\w{(]|%\w{1,60}%$|<|\{\{|\[masked|[*x.…]{1,100}$|(?:true|false|null|none|nil|undefined)$)/i.test(
    secret,
  );
}

/** The right side of an assignment in a program. */
function isCode(secret: string): boolean {
  return (
    /^(?:await|async|new|function|this|self|return|typeof|const|require|import|string|str|number|boolean|bool|bytes|unknown|optional|required)\b/i.test(
      secret,
    ) ||
    (/^[A-Za-z_]\w{0,60}(?:\??\.[A-Za-z_]\w{0,60}){1,8}$/.test(secret) && !/\d/.test(secret))
  );
}
