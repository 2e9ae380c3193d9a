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

/** Whether a field of this name with this value is hidden whole. */
export function isSecretField(name: string, value: unknown, isValue: (text: string) => boolean): boolean {
  const kind = kindOfName(name);
  if (kind === 'other') return false;
  if (kind === 'secret') return hidesSomething(name, value);
  const isText = (text: unknown): boolean => typeof text === 'string' && isValue(text) && !/^[\d.,]{0,12}$/.test(text);
  return kind(value, isText);
}

type TellsByValue = (value: unknown, isText: (text: unknown) => boolean) => boolean;

/** The same few names stand in every record. */
const kinds = new Map<string, 'secret' | 'other' | TellsByValue>();
const MOST_NAMES = 5_000;

function kindOfName(name: string): 'secret' | 'other' | TellsByValue {
  const known = kinds.get(name);
  if (known !== undefined) return known;
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').split(/[^a-zA-Z]/);
  const kind = isSecretName(name) ? 'secret' : (SECRET_IF.get(words.at(-1)?.toLowerCase() ?? '') ?? 'other');
  if (kinds.size < MOST_NAMES) kinds.set(name, kind);
  return kind;
}

/** The names of secrets, without what separates their words. */
export function isSecretName(name: string): boolean {
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
const SECRET_IF: ReadonlyMap<string, TellsByValue> = new Map<string, TellsByValue>([
  ['pass', (value, isText) => (typeof value === 'number' ? value >= 1_000 : isText(value))],
  ['pin', (value) => /^\d{4,12}$/.test(String(value))],
  ['tokens', (value, isText) => isText(value) || (Array.isArray(value) && value.some(isText))],
]);
