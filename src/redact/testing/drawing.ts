// What is drawn at random: words, values and names; and how formats quote them.

export type Random = () => number;

export const LOWER = 'abcdefghijklmnopqrstuvwxyz';
export const DIGITS = '0123456789';
export const LETTERS = LOWER + LOWER.toUpperCase();
export const ALNUM = LETTERS + DIGITS;
export const HEX = `${DIGITS}abcdef`;

export const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;
export const many = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
export const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));

export const WORDS =
  'walrus fig marble comet harbor violet pickle thunder maple saturn copper biscuit lantern otter velvet cactus ember tundra mango raven quartz willow badger'.split(
    ' ',
  );
export const title = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** How people and programs make passwords and tokens. */
export const LOOKS: Readonly<Record<string, (random: Random) => string>> = {
  brackets: (random) =>
    many(random, LETTERS, 3) +
    many(random, DIGITS, 1) +
    many(random, '()[]{}', 2) +
    many(random, ALNUM, 5) +
    many(random, ')]}(', 1) +
    many(random, DIGITS, 1),
  operators: (random) =>
    many(random, ALNUM, 4) + many(random, '&|;<>=+?*', 2) + many(random, ALNUM, 5) + many(random, '!~^%@', 1),
  words: (random) => `${title(pick(random, WORDS))}-${between(random, 10, 99)}-${title(pick(random, WORDS))}`,
  'word and year': (random) =>
    `${title(pick(random, WORDS))}${between(random, 1950, 2029)}${pick(random, ['!', '?', '#', '$'])}`,
  'plain word': (random) => `${pick(random, WORDS)}${pick(random, WORDS)}`,
  phrase: (random) => `${pick(random, WORDS)} ${pick(random, WORDS)} ${between(random, 2, 99)} ${pick(random, WORDS)}`,
  quotes: (random) => `${many(random, ALNUM, 5)}${pick(random, ['"', "'"])}${many(random, ALNUM, 6)}`,
  backslash: (random) => `${many(random, LETTERS, 5)}\\${many(random, DIGITS, 2)}${many(random, LETTERS, 4)}`,
  umlauts: (random) =>
    `${pick(random, ['Größe', 'señal', 'façade', 'Übung'])}_${many(random, DIGITS, 3)}${many(random, LETTERS, 3)}`,
  hex: (random) => many(random, HEX, pick(random, [32, 40, 64])),
  base64: (random) => `${many(random, `${ALNUM}+/`, 42)}${pick(random, ['=', '=='])}`,
  token: (random) =>
    `${many(random, LETTERS, 1)}${many(random, ALNUM, between(random, 20, 40))}${many(random, DIGITS, 2)}`,
  uuid: (random) => [8, 4, 4, 4, 12].map((length) => many(random, HEX, length)).join('-'),
  'leet words': (random) => {
    const word = title(pick(random, WORDS));
    return `${word.slice(0, 2)}${between(random, 3, 9)}${word.slice(2)}-${title(pick(random, WORDS))}`;
  },
  'template and words': (random) => `$${pick(random, WORDS)} is ${pick(random, WORDS)}`,
  number: (random) => `${many(random, '123456789', 1)}${many(random, DIGITS, 9)}`,
};

export const STEMS =
  'password passwd db_password admin_password smtp_pass db_pass user_pwd mysql_pw redis_pw api_key client_secret jwt_secret jwt_key hmac_key encryption_key signing_key access_token refresh_token auth_token private_key secret_key passphrase webhook_secret session_secret app_secret master_key bearer_token keystore_password account_key github_token bot_token secret_access_key service_account_key cookie_secret app_password license_key registry_auth_token ldap_bind_password recovery_code seed_phrase unseal_key mot_de_passe zugangsschluessel clave_secreta chave_de_acesso senha_do_banco'.split(
    ' ',
  );
export const camel = (stem: string): string => stem.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export interface Name {
  readonly snake: string;
  readonly upper: string;
  readonly camel: string;
  readonly kebab: string;
  readonly pascal: string;
  readonly words: string;
}
export const nameOf = (stem: string): Name => ({
  snake: stem,
  upper: stem.toUpperCase(),
  camel: camel(stem),
  kebab: stem.replaceAll('_', '-'),
  pascal: title(camel(stem)),
  words: stem.replaceAll('_', ' '),
});

export interface Form {
  readonly write: (name: Name, value: string, random: Random) => string;
  /** Values that may stand there as they are. */
  readonly takes?: RegExp;
  readonly isKeyed?: boolean;
  /** Where nothing but the sentence says it: a value of letters alone is a word. */
  readonly isProse?: boolean;
}

export const json = JSON.stringify;
export const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
export const inDouble = (value: string): string => value.replace(/["\\]/g, '\\$&');
export const inSingle = (value: string): string => value.replace(/['\\]/g, '\\$&');
export const xml = (value: string): string =>
  value.replace(/[&<>"]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[mark] ?? mark);
/** Neither quoted nor with anything that a shell or YAML reads. */
export const BARE = /^[\w.@%+/=~^!?*:-]+$/;
export const NO_QUOTES = /^[^'"\\`$]+$/;
