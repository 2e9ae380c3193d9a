// What the value or the name of a field says about being a secret.

import { wordSet } from '../lib/group.ts';

/** Shannon's entropy, in bits a character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const unit of text) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** An identifier. Digits only in constants (`DB_2`) or once at the end of a word (`s3Key`), so `P4ssw0rd` does not match. */
const IDENTIFIER = '(?:[A-Z_][A-Z0-9_]*(?!\\w)|(?:[A-Za-z_]+\\d(?=[A-Z][a-z]|_|\\W|$))*(?:[A-Za-z_]+)?(?!\\w))';
/** `$NAME`, `${NAME}`, `$(command)`, `{{ name }}`, `{name}`, `#{name}`, `%NAME%`, `%(name)s`, `%s`, `<name>`, `[name]`. */
const TEMPLATE_PART = new RegExp(
  [
    `\\$(?:env:)?(?=[A-Za-z_])${IDENTIFIER}(?:(?:\\??\\.|->|::?)(?=[A-Za-z_])${IDENTIFIER}|\\[[^\\]]{0,60}\\]?)*`,
    '\\$[\\d@*#](?!\\w)',
    '\\$?\\{\\{[^{}]*\\}\\}',
    '[$#]\\{[^{}]*\\}',
    '\\$\\(\\([^()]*\\)\\)',
    '\\$\\([^()]*\\)',
    '\\{[A-Za-z_.]*\\}',
    '^@[A-Za-z][\\w.-]{0,60}@$',
    '%(?:[A-Z_][A-Z0-9_]{0,60}(?:%|$)|[A-Za-z_]{1,60}%)',
    '%\\(\\w{1,60}\\)[sdr]',
    '%[sdvr](?!\\w)',
    "<[A-Za-z][A-Za-z _.:|/'-]*\\d?>",
    '\\[[A-Za-z][A-Za-z _-]*\\]',
    '\\[(?:masked|redacted)(?:[ :][\\w-]{1,60}(?:#\\d{1,9})?)?\\]',
  ].join('|'),
  'g',
);
/** A template whose end was cut off at a quote, bracket or space. */
const CUT_TEMPLATE =
  /^(?:\$\{[A-Za-z_]\w*(?:[:\-+=?#%/.[][^\d]*)?|\$\([\w./-]+\s.*|\{\{\s.*|<[A-Za-z][A-Za-z _-]*|\[(?:masked|redacted))$/i;
const DEFAULT_VALUE = /\$\{\w+:?[-=+](.+)\}/;
const MASK = /^(?:[A-Za-z]{1,12}[-_.]){0,3}[A-Z]{0,6}(?:x{3}|\*{2}|\.{2}|…|#{3}|•{2})[x*.…#•_-]*$/i;

/** Whether the whole value is a variable or template, a mask, or a word for "no value". */
export function isReference(value: string): boolean {
  if (/^(?:[*x.…]{1,100}|true|false|null|none|nil|undefined)$/i.test(value) || MASK.test(value)) return true;
  if (!/[$%<{[]|^@.*@$/.test(value)) return false;
  const fallback = DEFAULT_VALUE.exec(value)?.[1];
  if (fallback !== undefined) return !looksSecret(fallback, true);
  if (CUT_TEMPLATE.test(value)) return true;
  const rest = value.replace(TEMPLATE_PART, '');
  if (rest === value) return false;
  return /^[\s:/@.,;_+=~|"'`(){}[\]<>-]*$/.test(rest) || isPathOrUrl(rest);
}

const CODE_WORD =
  /^(?:await|async|new|function|this|self|return|typeof|const|require|import|string|str|number|boolean|bool|bytes|unknown|optional|required)(?:\s[^\d]*)?[?!.:=*]*$/i;
/** Objects that code and templates read secrets from. */
const CODE_ROOT =
  /^(?:process\.env|os\.environ|import\.meta|this|self|env|secrets?|vars?|config|settings|options?|opts|args|params?|data|props|ctx|req|res|request|response)(?=\??\.|\[)/;
const CODE_PATH = new RegExp(`^(?:\\??\\.(?=[A-Za-z_])${IDENTIFIER}|\\[[^\\]]{0,60}\\]?)+$`);

/** Whether the value is the right-hand side of an assignment in code. */
export function isCode(value: string): boolean {
  return (
    CODE_WORD.test(value) ||
    isCodePath(value) ||
    (/^[A-Za-z_]\w{0,60}(?:\??\.[A-Za-z_]\w{0,60}){1,8}$/.test(value) && !/\d/.test(value.replace(/_\d\./, '.')))
  );
}

function isCodePath(value: string): boolean {
  const root = CODE_ROOT.exec(value)?.[0];
  return root !== undefined && CODE_PATH.test(value.slice(root.length).replace(/:$/, ''));
}

/** Addresses in a secret store: `op://vault/item/field`, `arn:aws:…`, `vault:secret/data/x#key`, `env:NAME`. */
const STORE_ADDRESS =
  /^(?:op:\/\/[\w .-]+(?:\/[\w .-]+)+|arn:aws[\w-]*(?::[\w./*-]*){4,}|(?:vault|ssm|kms|gcp|azure):\/{0,2}(?:[A-Za-z][\w.-]*\/|\/)[\w./-]+(?:#\w+)?|env:[A-Z][A-Z0-9_]*|projects\/[\w-]+\/secrets\/[\w-]+(?:\/versions\/\w+)?|file:(?:\/\/)?[.~]?\/[\w./-]+|ENC\[AES256_GCM,[^\]]*\]?)$/;

/** Stand-ins on their own: placeholders, types and states. */
const STAND_IN_WORDS = wordSet(
  'password passwd passphrase passwords pass pw pwd passwort secret secrets token tokens key keys apikey credential credentials ' +
    'test testing tester example sample dummy fake mock placeholder changeme changeit changethis replaceme foo bar baz qux foobar ' +
    'foobarbaz abc abcdef xyz todo tbd fixme redacted masked hidden filtered removed omitted ' +
    'value string str text number boolean bool bytes object any unknown optional required missing invalid valid expired revoked ' +
    'wrong incorrect empty blank unset default disabled enabled yes no none null nil true false undefined ' +
    'bearer basic oauth jwt csrf hash header cookie field input name type word id here x',
);
/** Part of a stand-in only together with another word: `root` alone is a real password. */
const WORDS_BESIDE = wordSet(
  'db user my the new old bad super top very your api auth access client app root admin some any this that is a an of not real ' +
    'login private public session refresh secure shared base encrypted plain hashed confirm current temp rest or and goes reset ' +
    'forgot change replace enter insert put paste add set use provide sign signing for with to in on me it has been was must be ' +
    'please long own',
);
/** First and last words of placeholders with up to two unknown words between them: `your-google-maps-api-key`, `insert_token_here`, `replaceWithYourKey`. */
const TEMPLATE_HEADS = wordSet('your my the some any a an enter insert replace put paste add set use change');
const TEMPLATE_ENDS = wordSet(
  'password passwd passphrase pass pw pwd secret secrets token tokens key keys credential credentials value string id here this me it ' +
    'goes pat dsn hash placeholder',
);
const GLUED_TEMPLATE =
  /^your(?:own|super|secret|api|access|auth|private|client|db|jwt|bot)*(?:key|token|secret|password|passwd|pwd|pass|passphrase|value)(?:here)?$/i;

/** Camel, snake, kebab: the words of a name, in lower case. */
function wordsOf(name: string): readonly string[] {
  return name
    .split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** Keys that AWS shows in its manuals. */
const PUBLISHED = wordSet(
  'AKIAIOSFODNN7EXAMPLE AKIAI44QH8DHBEXAMPLE ASIAIOSFODNN7EXAMPLE AIDACKCEVSQ6C2EXAMPLE ' +
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY',
);

/** Whether the whole value is a stand-in. A prefix or substring is never enough: `Barcelona2024!` starts with `bar`. */
export function isStandIn(value: string): boolean {
  if (value.length > 400) return false;
  if (isReference(value) || /^(.)\1*$/.test(value) || GLUED_TEMPLATE.test(value) || PUBLISHED.has(value)) return true;
  if (isCodePath(value) || STORE_ADDRESS.test(value)) return true;
  // `Super-Secret!` is a password, "Enter your password!" is a sentence. Decoded as in a URL, `%DB_PASSWORD%` begins with `\xdb`.
  // `xoxb-your-token`
  if (/^[a-z]{2,6}[-_]your[-_]/.test(value)) return isStandIn(value.replace(/^[a-z]{2,6}[-_]/, ''));
  const marks = /\s/.test(value) ? /^[\w\s.,:;!?'"`*()-]*$/ : /^[*<[({'"`%\x80-\xff]*[\w./:-]*[*>\])}'"`%:.…]*$/;
  return marks.test(value) && areStandInWords(wordsOf(value));
}

function areStandInWords(words: readonly string[]): boolean {
  const [first = '', ...others] = words;
  if (others.length === 0) return words.length === 0 || STAND_IN_WORDS.has(first);
  // `your-password-123`
  const named =
    first === 'your' && /^1(?:2(?:3(?:4(?:56?)?)?)?)?$/.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  const isKnown = (word: string): boolean => STAND_IN_WORDS.has(word) || WORDS_BESIDE.has(word) || /^x+$/.test(word);
  const strange = named.filter((word) => !isKnown(word));
  if (strange.length === 0) return named.some((word) => STAND_IN_WORDS.has(word) || TEMPLATE_HEADS.has(word));
  return (
    strange.length <= (first === 'your' || named.includes('your') ? 2 : 1) &&
    strange.every((word) => /^[a-z]{2,12}$/.test(word)) &&
    TEMPLATE_HEADS.has(first) &&
    TEMPLATE_ENDS.has(named.at(-1) ?? '')
  );
}

/** Whether upper case, lower case and digits alternate as often as in a random token, unlike in the words of a path. */
export function looksRandom(value: string): boolean {
  if (!/\d/.test(value) || !/[a-z]/.test(value) || !/[A-Z]/.test(value)) return false;
  const changes = value.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)|[a-z](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g)?.length ?? 0;
  return changes * 4 >= value.length;
}

/** An absolute, home or relative path, or a URL without user info. */
export function isPathOrUrl(value: string): boolean {
  return (
    /^(?:https?|wss?):\/\/[^\s@]+$/.test(value) ||
    (/^(?:~|\.{1,2}|[A-Za-z]:)(?:[\\/][\w.@+:~-]*)+$|^(?:\/[\w.@+:~-]+){2,}\/?$|^\/[A-Za-z_.-]*$|^\.[A-Za-z_.-]+$/.test(
      value,
    ) &&
      !looksRandom(value))
  );
}

/** Paths, addresses, names of files, versions, dates and the like: they have digits and marks, and are no secrets. */
export function isOrdinary(value: string): boolean {
  return (
    isPathOrUrl(value) ||
    (/^@?[\w-]+(?:\/[\w.-]+)+$/.test(value) && !looksRandom(value)) ||
    /^(?:(?:https?|wss?):\/\/|data:[\w.+/-]+[;,]|mailto:[^\s@]+@|urn:\w+:)\S+$/.test(value) ||
    /^[\w.-]*\.(?:js|ts|tsx|jsx|mjs|cjs|json|ya?ml|toml|md|txt|py|rb|go|rs|java|c|h|cpp|sh|css|html|pem|key|crt|env|conf|cfg|ini|lock|svg|png|com|org|net|io|dev|local)$/i.test(
      value,
    ) ||
    /^(?!\d{8,}$)v?\d+(?:[.:x,/-]\d+)*(?:px|em|rem|ms|s|m|h|d|kb|mb|gb|%)?$/i.test(value) ||
    /^(?:(?:ctrl|control|alt|shift|cmd|command|meta|option|win)\+)+\w{1,10}$/i.test(value) ||
    /^(?:0x[0-9a-f]{1,8}|#[0-9a-f]{3,8}|\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?)$/i.test(value) ||
    /^(?:PBKDF2|BASE64URL|(?:RSA|DSA|ECDSA|EC|AES|SHA|HMAC|HS|RS|ES|PS|MD|ED|CURVE|BASE|CRAM)[-_]?(?:MD|SHA)?[-_]?\d{1,5}(?:[-_](?:CBC|GCM|CTR|ECB))?)$/i.test(
      value,
    ) ||
    (/^[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:[/:].*)?$/.test(value) && !looksRandom(value))
  );
}

/** Three to six words as dice draw them: `yellow needle mirror jungle`; sentences have short words, and those that end as verbs and adverbs do. */
export const isPassphrase = (value: string): boolean =>
  /^\$?[a-z]{4,9}(?:[ -][a-z]{3,9}){2,5}$/.test(value) &&
  !/(?:ed|ing|ly|tion|able|ible|ment|ous|ive|ful)(?:[ -]|$)|(?:^|[ -])(?:see|the|and|are|was|not|for|from|with|this|that|have|must|should|will|only|when|your|into|used|here|after|before|then|than|same|none|null|value|field|string|text|name|type|user|file|test|data|code|auth|login|admin|token|secret|secrets|password|credentials?|keys?|service|server|client|account|cluster|default|config|store|vault|manager|database|access|session|system|production|staging)(?:[ -]|$)/.test(
    value,
  );

/** Words and names: letters and separators only. */
const NAME = /^[A-Za-z_$@][A-Za-z_$.:/ -]*$/;
/** Bundlers append a digit to identifiers. */
const NUMBERED_NAME = /^[A-Za-z_$][A-Za-z_$.]*\d$/;
/** Design and theme tokens (`color.blue.500`) and numbered resources (`db-secret-1`). */
export const NUMBERED_WORDS = /^(?:--|\$)?[a-z]+(?:[-.][a-z]+)*[-.]\d{1,4}$/;
/** Code, templates, regular expressions and markup. */
const CODE_BRACKETS =
  /[\w\])}]\(|\(\)|\$\{|\{\{.*\}\}|\{[A-Za-z_.]*\}|\{\d|=>|&&|\|\||::|->|\?\.|\\[a-zA-Z.*+?()[\]{}/$^|-]|\[\^|\(\?|\[.-.\]|[\])][+*?{]|<\/?[A-Za-z][\w-]*\/?>/;

/**
 * Whether a value looks random, or mixes letters, digits and symbols. A password may also be several words joined by dashes.
 * A quoted value cannot be an identifier.
 */
export function looksSecret(value: string, isPassword: boolean, isQuoted = isPassword): boolean {
  if (value.length < (isPassword ? 6 : 8) || value.length > 400 || /\s/.test(value)) return false;
  if (
    isStandIn(value) ||
    isCode(value.replace(/^!+(?=[a-z])/, '')) ||
    isOrdinary(value) ||
    /^--[a-z]|^:[a-z]+:|^\([A-Za-z_]\w*\)$/.test(value)
  )
    return false;
  const fallback = DEFAULT_VALUE.exec(value)?.[1];
  if (fallback !== undefined) return looksSecret(fallback, isPassword, isQuoted);
  if (/^[-.,;:=+*/!?#]+$/.test(value) || CODE_BRACKETS.test(value)) return false;
  if (/[(){}[\]<>\\|]/.test(value) && !(isQuoted && /\d/.test(value) && /[A-Za-z]/.test(value))) return false;
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value)) return false;
  if (isPassword && /^[A-Za-z]+(?:-[A-Za-z]+){2,}$/.test(value)) return true;
  if (!isPassword && NUMBERED_WORDS.test(value)) return false;
  if (NAME.test(value) || (!isQuoted && NUMBERED_NAME.test(value))) return false;
  if (!/[A-Za-z]/.test(value)) return /^\d{8,}$/.test(value) && entropyOf(value) > 2;
  return entropyOf(value) >= 1.7;
}

export const KEY_WORDS = ['api', 'access', 'private', 'auth', 'signing', 'encryption'];
export const SECRET_WORD = `(?:password|passwd|passphrase|pwd|secret|token|(?:${KEY_WORDS.join('|')})[_-]?key|credentials?)`;
/** Literals of which one stands in every name that `SECRET_WORD` matches. */
export const SECRET_KEYWORDS = [
  'passw',
  'passphrase',
  'pwd',
  'secret',
  'token',
  ...KEY_WORDS.flatMap((word) => [`${word}key`, `${word}_key`, `${word}-key`]),
  'credential',
];
/** What is said about a secret is none: `token_type`, `password_min_length`. */
export const ABOUT_IT =
  '(?:type|ur[il]|name|count|limit|max|min|length|usage|expir|ttl|file|path|field|endpoint|policy|hint|label)';
export const QUOTED = '(?<quote>\\\\{0,3}["\'`])((?:(?!\\k<quote>)(?:\\\\["\'`\\\\]|[^\\n])){1,400})';
/** All of it or nothing: what is called with brackets is no value, and a part of its name is none either. */
export const BARE = '(?=(?<bare>(?:[^\\s"\'`,;(){}[\\]<>|&\\\\]|&(?![\\w-]{1,40}=|[&\\s])){4,400}))\\k<bare>';
/** Between the words of a command that goes on in the next line. */
export const COMMAND_SPACE = '(?:\\s|\\\\\\r?\\n){1,6}';
