/** Shannon's entropy, in bits a character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const unit of text) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** A reference to a secret, or a place to put one, gives nothing away. */
export function isReference(secret: string): boolean {
  return /^(?:\$[\w{(]|%\w{1,60}%$|<|\{\{|\[(?:masked|redacted)|[*x.…]{1,100}$|(?:true|false|null|none|nil|undefined)$)/i.test(
    secret,
  );
}

/** The right side of an assignment in a program. */
export function isCode(secret: string): boolean {
  return (
    /^(?:await|async|new|function|this|self|return|typeof|const|require|import|string|str|number|boolean|bool|bytes|unknown|optional|required)\b/i.test(
      secret,
    ) ||
    (/^[A-Za-z_]\w{0,60}(?:\??\.[A-Za-z_]\w{0,60}){1,8}$/.test(secret) && !/\d/.test(secret))
  );
}

/** What people write where a secret would stand. */
const STAND_IN =
  /^(?:change[-_ ]?(?:me|it|this)|your\b|your[-_]|my[-_]|the[-_]|some[-_]|any[-_]|a[-_]|an[-_]|enter|insert|replace|todo|tbd|placeholder|dummy|sample|example|fake$|mock|test(?:ing|er|pass|[-_]|$)|foo|bar|baz|abc(?:def)?$|x{3}|process\.env|os\.environ|env[.(:]|secrets?\.|vars?\.|import\.meta|config\.|settings\.|options?\.|args\.|params?\.|data\.|props\.|ctx\.|req\.|res\.|vault:|arn:|ssm:|kms:|enc:|sealed:|op:\/\/|file:|env:)/i;
const WORDS_FOR_IT = new Set(
  (
    'db user my the new old bad wrong invalid valid super top very test your api auth access client app root admin some this is ' +
    'a an of not real login private public session refresh bearer csrf id secure default shared base jwt encrypted plain hashed ' +
    'confirm current temp rest or and key keys value string text field input name type here goes token tokens pass pw pwd password ' +
    'passwd passphrase passwords secret secrets credential credentials required missing expired reset forgot change basic oauth x ' +
    'none empty sign signing enter for with to in on no yes word hash header cookie'
  ).split(' '),
);

/** Camel, snake, kebab: the words of a name, in lower case. */
function wordsOf(name: string): readonly string[] {
  return name.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
}

/** Nothing that anybody would have to hide, though its name says so. */
export function isStandIn(value: string): boolean {
  return (
    isReference(value) ||
    STAND_IN.test(value) ||
    wordsOf(value).every((word) => word === '' || WORDS_FOR_IT.has(word)) ||
    /^(.)\1*$/.test(value)
  );
}

/** Paths, addresses, names of files, versions, dates and the like: they have digits and marks, and are no secrets. */
function isOrdinary(value: string): boolean {
  return (
    /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\|https?:|wss?:|data:|mailto:|urn:|@?[\w-]+\/[\w./-]+$)/.test(value) ||
    /^[\w.-]*\.(?:js|ts|tsx|jsx|mjs|cjs|json|ya?ml|toml|md|txt|py|rb|go|rs|java|c|h|cpp|sh|css|html|pem|key|crt|env|conf|cfg|ini|lock|svg|png|com|org|net|io|dev|local)$/i.test(
      value,
    ) ||
    /^v?\d+(?:[.:x,/-]\d+)*(?:px|em|rem|ms|s|m|h|d|kb|mb|gb|%)?$/i.test(value) ||
    /^(?:0x[0-9a-f]{1,8}|#[0-9a-f]{3,8}|\d{4}-\d\d-\d\d.*)$/i.test(value) ||
    /^[\w.+-]+@[\w-]+\.[\w.-]+(?:[/:].*)?$/.test(value)
  );
}

/** Names in a program and ordinary words, also several of them: letters, what separates them, a number at the end. */
const NAME = /^[A-Za-z_$@][A-Za-z_$.:/ -]*\d{0,3}$/;
/** The same for a password: people do put two digits behind a word. */
const NAME_WITHOUT_DIGITS = /^[A-Za-z_$@][A-Za-z_$.:/ -]*$/;

/**
 * Whether a value looks drawn at random, or made up by somebody who was told to mix letters, digits and marks. Where its
 * name says password, several words with marks between them are one, too.
 */
export function looksSecret(value: string, isPassword: boolean): boolean {
  if (value.length < (isPassword ? 6 : 8) || value.length > 400 || /\s/.test(value)) return false;
  if (isStandIn(value) || isCode(value) || isOrdinary(value)) return false;
  if (/[(){}[\]<>\\|]|=>|&&|::|->|\?\.|^[-.,;:=+*/!?#]+$/.test(value)) return false;
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value)) return false;
  if (isPassword && /^[A-Za-z]+(?:-[A-Za-z]+){2,}$/.test(value)) return true;
  if ((isPassword ? NAME_WITHOUT_DIGITS : NAME).test(value)) return false;
  if (!/[A-Za-z]/.test(value)) return /^\d{8,}$/.test(value) && entropyOf(value) > 2;
  return entropyOf(value) >= 2.2;
}
