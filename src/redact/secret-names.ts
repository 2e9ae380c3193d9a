// Which names say that their value is secret: one judge for fields of JSON and for names in texts.

import { isReference, looksSecret } from './value-looks.ts';

/**
 * `sure`: the value is secret whatever it looks like. `maybe`: the word names other things, too (a token of a language, a
 * test that passes), so the value has to look like a secret where nothing else tells.
 */
export type NameKind = 'sure' | 'maybe' | 'none';

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const SURE = set(
  'password passwords passwd passphrase passcode passwort kennwort pwd pw psk secret secrets apikey apikeys apisecret apitoken authtoken accesstoken ' +
    'refreshtoken secretkey privatekey accesskey contrasena clave senha storepass keypass dbpass requirepass masterauth authpass bindpw rootpw ' +
    'jwt mdp motdepasse zugangscode palavrapasse psw pswd seedphrase zugangsschluessel',
);
/** In languages without spaces between words. */
const SURE_CJK =
  /密码|密碼|口令|密钥|密鑰|令牌|私钥|私鑰|パスワード|暗証番号|トークン|シークレット|秘密鍵|秘密の?キー|APIキー|アクセスキー|비밀번호|토큰/i;
const MAYBE = set('token tokens pass credential credentials creds pat pin auth userpass bearer');
/** Words before `key` that make it one that nobody may see. */
const KEY_OWNERS = set(
  'api access private secret auth signing encryption jwt hmac aes rsa ssh master account storage license licence service session cookie deploy ' +
    'admin cipher crypto shared client consumer recovery root webhook bot cfg function subscription vault tls ssl gpg pgp sas app rails write admin ' +
    'role integration routing decryption aead kms ingest maps stripe openai anthropic sendgrid mailgun twilio ' +
    'unseal wrapping sealing pairing preshared fernet kek dek totp wireguard encrypt decrypt crypt validation derivation sign activation enrollment hotspot wifi wlan wireless ' +
    'provisioning registration join stream streaming agent hook machine',
);
const TOKEN_OWNERS =
  /^(?:access|auth|authorization|refresh|api|bearer|bot|id|github|gh|gitlab|gl|slack|npm|registry|session|deploy|personal|oauth|jwt|app|client|security|csrf|webhook|telegram|discord|vault|ci|push|user|admin|service|device|login|private|secret|sas|hf|pypi|vercel|cloudflare|cf|do|azure|aws|gcp|heroku|sentry|linear|notion|jira|figma|twilio|reset|verification|invite)$/;
/** What may follow without changing what is named. */
const AFTER = set(
  'data prod production dev development staging stage test local default value plain plaintext text string raw base64 b64 old new current next previous primary secondary live sandbox backup main first second base admin root user db confirmation confirm',
);
/** Glued to other words in lower case: `dbpassword`, `mysqlpwd`. */
const GLUED =
  /(?:passwords?|passwd|passphrase|passcode|passwort|kennwort|apikey|accesskey|secretkey|privatekey|signingkey|encryptionkey|(?<!o)pwd|(?:client|app|api|jwt|shared|webhook|session)secret|(?:auth|access|refresh|api|bearer|bot|secret)token)$/;
const GLUED_PASS =
  /^(?:database|app|service|account|server|router|registry|broker|api|client|sa|sys|system|default|db|smtp|mysql|pg|sql|user|ftp|http|mail|email|root|admin|store|key|redis|mongo|rabbit|auth|ldap|bind|proxy|sudo|ssh|vpn|wifi|imap|my|login)pass$/;

const kinds = new Map<string, NameKind>();
const MOST = 5_000;
/** One of these stands in every name that counts; ids and words, which come in thousands, have none. */
const MAY_COUNT =
  /pass|pas_s|pwd|pw|psk|ps_k|psw|pswd|secret|token|key|credential|creds|kennwort|contrase|clave|senha|mdp|auth|jwt|pat|pin|bearer|bind|login|api|code|salt|pepper|chave|cle|jeton|otp|schl|mot|seed|phrase|[^ -~]/i;

/** Of the name of a field, variable, option or column. */
export function kindOfSecretName(name: string): NameKind {
  if (!MAY_COUNT.test(name)) return 'none';
  const known = kinds.get(name);
  if (known !== undefined) return known;
  const kind = name.length > 80 ? 'none' : judge(name);
  if (kinds.size < MOST) kinds.set(name, kind);
  return kind;
}

function judge(name: string): NameKind {
  // Of shells, the working folder.
  if (name === 'OLDPWD' || name === 'Pw') return 'none';
  if (name === 'PWD') return 'maybe';
  if (SURE_CJK.test(name)) return name.length <= 12 ? 'sure' : 'none';
  const words = (/[^\x20-\x7e]/.test(name) ? name.normalize('NFD').replace(/\p{M}/gu, '') : name)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/^\d+$/, ''))
    .filter((word) => word !== '');
  let end = words.length;
  while (end > 1 && AFTER.has((words[end - 1] as string).replace(/\d+$/, ''))) end--;
  const last = (words[end - 1] ?? '').replace(/\d+$/, '');
  const before = words[end - 2] ?? '';
  // `is_password`, `has_token`, `no_password`, `max_tokens`: what is said about one.
  if (
    end > 1 &&
    /^(?:is|has|no|show|forgot|max|min|num|total|input|output|count|on|get|need|needs|require|requires)$/.test(
      words[0] ?? '',
    )
  )
    return 'none';
  // Of assemblies of .NET: a name.
  if (last === 'token' && before === 'key' && words.includes('public')) return 'none';
  if (last === 'base' && before === 'key') return 'sure';
  // `mot_de_passe`, `palavra-passe`.
  if (last === 'passe') return words.includes('mot') || before === 'palavra' ? 'sure' : 'none';
  // Romance languages put the noun first: `senha_banco`, `clave_secreta`, `auth.senhaDoBanco`.
  if (
    words.length > 1 &&
    !ABOUT.test(last) &&
    words.slice(-3).some((word) => /^(?:senha|clave|contrasena|passwort|kennwort)$/.test(word))
  )
    return 'sure';
  // `clave_api`, `cle_secrete`, `chave_de_acesso`, `jeton_acces`
  if (
    words
      .slice(-4)
      .some((word) => /^(?:cle|clef|clave|chave|schlussel|schluessel|jeton|segredo|secreto)$/.test(word)) &&
    /^(?:api|secrete?|secreta|secreto|privee|privada|acces|acceso|acesso|maitre|mestra|maestra|webhook)$/.test(last)
  )
    return 'sure';
  // `mot_de_passe_admin`, `mdp_base`
  if (/(?:^| )mot de passe(?: |$)/.test(words.join(' ')) || (words.length < 4 && words[0] === 'mdp')) return 'sure';
  if (
    /^(?:geheim|zugangs|api|zugriffs|privater?|geheimer?)?schlu(?:e)?ssel$/.test(before + last) &&
    before + last !== 'schlussel' &&
    before + last !== 'schluessel'
  )
    return 'sure';
  // `recovery_codes`, `backup-code`, `seedPhrase`
  if (last === 'otp' || (last === 'code' && /^(?:access|security|login|verification)$/.test(before))) return 'maybe';
  if (/^codes?$/.test(last) && /^(?:recovery|backup|unlock|scratch|mfa|totp)$/.test(before)) return 'sure';
  if (last === 'phrase' && /^(?:seed|recovery|mnemonic|secret)$/.test(before)) return 'sure';
  // `PASS_PHRASE` is one word in two.
  if (SURE.has(last) || SURE.has(before + last) || GLUED.test(last) || GLUED_PASS.test(last)) return 'sure';
  if (last === 'pepper' && end === 1) return 'maybe';
  if ((last === 'salt' || last === 'pepper') && end > 1) return SALTED.test(before) ? 'sure' : 'maybe';
  if (last === 'key' || last === 'keys') {
    if (KEY_OWNERS.has(before) || (before === 'key' && words.includes('access'))) return 'sure';
    return last === 'key' && end > 1 && /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_KEY$/.test(name) && !OPEN_KEYS.test(before)
      ? 'maybe'
      : 'none';
  }
  // `input_tokens` are counted, not kept.
  if (last === 'token' || last === 'tokens') {
    if (end > 1 && TOKEN_OWNERS.test(before)) return last === 'token' ? 'sure' : 'maybe';
    return last === 'token' || end === 1 ? 'maybe' : 'none';
  }
  if (last === 'login' && before === 'sonar') return 'sure';
  if (last === 'pw' && end === 1) return 'maybe';
  // `MQTT_PASS`: a constant, and no count of tests.
  if (
    last === 'pass' &&
    end > 1 &&
    /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_PASS(?:_\d+)?$/.test(name) &&
    !NO_OWNER.test(before)
  )
    return 'sure';
  if (last === 'pass') return end > 1 && GLUED_PASS.test(`${before}pass`) ? 'sure' : 'maybe';
  if (last === 'pat' && end > 1) return TOKEN_OWNERS.test(before) ? 'sure' : 'maybe';
  return MAYBE.has(last) ? 'maybe' : 'none';
}

const ABOUT =
  /^(?:types?|length|laenge|fields?|feld|min|max|name|id|ids|hash|url|label|hint|policy|file|path|regel|frage)$/;
const SALTED =
  /^(?:encryption|password|passwd|secret|cookie|session|auth|signing|jwt|hash|nonce|derivation|key|master|security|crypt|in|hashids|token|app)$/;
const OPEN_KEYS =
  /^(?:public|pub|publishable|cache|partition|sort|primary|foreign|s3|object|row|site|host|index|map|query)$/;

/** What is said about runs of tests and passes of compilers: `FIRST_PASS`, `RENDER_PASS`. */
const NO_OWNER =
  /^(?:first|second|third|last|next|single|multi|one|two|render|depth|shadow|light|opt|optimization|test|tests|must|num|count|total|final|low|high|all|each|per|by|main|post|pre|max|min|machine|llvm|ir|bypass|status|result|expected)$/;

const BESIDE_NAMES = set('authorization cookie cookies credential credentials token');

/** Whether a field of a JSON value is hidden whole. Its name says so, or its name and its value do. */
export function isSecretField(name: string, value: unknown): boolean {
  const kind = kindOfSecretName(name);
  const isText = (text: unknown): boolean =>
    typeof text === 'string' && !isReference(text) && !/^[\d.,]{0,12}$/.test(text);
  const last = lastWord(name);
  if (last === 'pin') return /^\d{4,12}$/.test(String(value));
  if (last === 'pass' && kind !== 'sure') return typeof value === 'number' ? value >= 1_000 : isText(value);
  if (last === 'tokens' && kind !== 'none') return isText(value) || (Array.isArray(value) && value.some(isText));
  if (kind === 'sure' || BESIDE_NAMES.has(last) || /(?:authorization|cookies?|token|credentials?)$/.test(last))
    return hidesSomething(name, value);
  return kind === 'maybe' && typeof value === 'string' && looksSecret(value, true);
}

/** Counts are no secrets, though they may be called `max_token`; nor is what is not there. */
function hidesSomething(name: string, value: unknown): boolean {
  if (typeof value === 'number') return /pass|pwd/i.test(name) && kindOfSecretName(name) === 'sure';
  return (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);
}

function lastWord(name: string): string {
  const known = lastWords.get(name);
  if (known !== undefined) return known;
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').split(/[^a-zA-Z]+/);
  const last = words.at(-1)?.toLowerCase() ?? '';
  if (lastWords.size < MOST) lastWords.set(name, last);
  return last;
}
const lastWords = new Map<string, string>();

/** Names of the field that names its neighbour, and of the neighbour: `{ name: 'Authorization', value: '…' }`, `{ selector: '#password', text: '…' }`. */
/** What browsers keep for a page, by its name: `{ name: 'connect.sid', value: '…', httpOnly: true }`. */
export const SESSION_COOKIE =
  /^(?:__(?:Host|Secure)-.+|connect\.sid|[\w.-]*sess(?:ion)?(?:[_-]?id)?|sid|[A-Z]+SESSID|[\w.-]*session[\w.-]*|[\w.-]*auth[\w.-]*|laravel_session|remember_token|\.AspNetCore\..+)$/i;

const NAMING_FIELDS = [
  'name',
  'key',
  'Name',
  'Key',
  'ParameterKey',
  'header',
  'label',
  'variable',
  'field',
  'selector',
  'element',
  'target',
  'id',
];
const NAMED_FIELDS = set(
  'value Value ParameterValue text new_value newValue content stringValue string_value plaintext default',
);

/** How a field is called: by its own name, or by that of a neighbour, where its own says nothing. */
export function nameOfFieldIn(value: Readonly<Record<string, unknown>>, name: string): string {
  if (!NAMED_FIELDS.has(name)) return name;
  for (const naming of NAMING_FIELDS) {
    const said = value[naming];
    if (typeof said !== 'string' || said.length > 80) continue;
    // `Password field`, `input[name="password"]`, `#login-password`
    const whole = said.replace(/[ -](?:field|input|box|textbox)$/i, '').replace(/["'\]]+$/, '');
    for (const bare of [whole, /[\p{L}\d_.-]*$/u.exec(whole)?.[0] ?? '']) {
      const kind = kindOfSecretName(bare);
      if (kind === 'sure' || (kind === 'maybe' && !/^(?:text|content|default)$/.test(name))) return bare;
    }
    if (
      naming === 'name' &&
      name === 'value' &&
      ('httpOnly' in value || 'domain' in value) &&
      SESSION_COOKIE.test(said)
    )
      return 'cookie';
    if (/^value$/i.test(name) && BESIDE_NAMES.has(lastWord(whole))) return whole;
  }
  return name;
}

/** Literals of which one stands in every name that counts. */
export const NAME_KEYWORDS: readonly string[] = [
  'pass',
  'pwd',
  'pw',
  'psk',
  'secret',
  'token',
  'kennwort',
  'credential',
  'creds',
  '_pat',
  'masterauth',
  'contrasena',
  'clave',
  'senha',
  'key',
  'auth"',
  "auth'",
  'auth:',
  'auth=',
  '_salt',
  'pepper',
  'sonar_login',
  'sonar.login',
  'pin"',
  'contraseñ',
  'motdepasse',
  'mdp',
  'jwt',
  'psw',
  'bearer"',
  '密码',
  '密碼',
  '密钥',
  '令牌',
  '私钥',
  'パスワード',
  'トークン',
  'シークレット',
  '秘密鍵',
  'キー',
  'schlüssel',
  'schluessel',
  'zugangscode',
  'chave',
  'cle_',
  'cle-',
  'cleapi',
  'clesecr',
  'cle api',
  'cle secr',
  'clé',
  'jeton',
  'mot_de_',
  'mot-de-',
  'mot de ',
  'motde',
  'recovery',
  'backup_code',
  'backupcode',
  'backup-code',
  'backup code',
  'seed',
  'otp',
  'access_code',
  'accesscode',
  'access-code',
  'access code',
  'security_code',
  'securitycode',
  'security-code',
  'security code',
  '비밀번호',
];
