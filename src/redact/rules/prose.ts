// Sentences that say what a secret is, in the languages that people write to agents in.

import { isNameOfCode } from '../read-nearby.ts';
import { placed, type SecretRule } from '../rule.ts';
import { isCode, isOrdinary, isReference, isStandIn, NUMBERED_WORDS } from '../value-looks.ts';

const GROUP = 'by name and place';

/** In quotes, as code, in bold, or a word alone. The last group is the value. */
const VALUE =
  '(?:\\*{0,2}`([^`\\n]{4,100})`|\\*{0,2}[“«「『„]\\s?([^”»」』“\\n]{4,100}?)\\s?[”»」』“]|\\*{0,2}"([^"\\n]{4,100})"|\\*{0,2}\'([^\'\\n]{4,100})\'|\\*{0,2}(?:&quot;)?([^\\s"\'`“”«»「」『』，。；、,<>]{3,200}[^\\s"\'`“”«»「」『』，。；、,<>.;:*)_\\]]))';
const SPACE = '[ \\t\\u00a0]{1,3}';

/** Words of sentences end with marks that belong to the sentence. */
const bare = (value: string): string => value.replace(/[!?~]{1,3}$/, '');

/** Whether it is more than a word of the sentence. */
function isTold(secret: string, match: RegExpExecArray): boolean {
  const value = bare(secret);
  const isQuoted =
    match.slice(1).filter((group) => group !== undefined && group !== '').length > 0 &&
    /[`"'“”«»「」『』„]/.test(match[0]);
  // Without a verb, a word with a number is a name: `password field2`.
  if (match.groups?.['bareword'] !== undefined && !/(?=.*\d)(?=.*[^a-z\d]).{8}|^(?=(?:.*\d){4}).{9}/.test(value))
    return false;
  if (NUMBERED_WORDS.test(value) || /^[A-Za-z]+(?:token|key|secret|password)s?$/i.test(value)) return false;
  if (
    /&(?:quot|[lr]dquo|lt|gt|amp|apos|nbsp|#\d+)\b|^[a-z]\w*_\w*$/.test(value) ||
    /[\u3040-\u30ff\u4e00-\u9fff]{4}/.test(value)
  )
    return false;
  if (value.length < 4 || isStandIn(value) || isReference(value) || isOrdinary(value) || isCode(value)) return false;
  // Versions of packages, calls.
  if (
    /^[@\w./-]+[<>=~^!]{1,2}\d[\d.]*$|^\w+(?:::|->)\w|%[#+]?[a-z]$|^&?[a-z]\w*\.[A-Z]\w+(?:\{\})?$|^[A-Za-z_]\w*\[\w|\$\{|^\[{1,2}[\w-]+\]\(|^pkcs#\d/i.test(
      value,
    )
  )
    return false;
  // `parts[1]`, `1].type`: an index.
  if (/^[\w$.]*\[[-:\w$.+]*\]?;?$|^[\w$]{1,12}\][.;)]/.test(value)) return false;
  if (!isQuoted && /^[A-Za-z_$][\w$.]*\(/.test(value)) return false;
  if (/^[([{<&]/.test(value) && !/[)\]}>]/.test(value)) return false;
  if (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+\(/.test(value)) return false;
  if (
    /^(?:(?:sha|md|hs|rs|es|utf|base|aes|rsa|argon|bcrypt|http|oauth)-?\d{1,4}|[A-Za-z_.$]{3,}\(.*\)|\$\w+|<.*|--?[a-z][\w-]*|[\w-]+\.(?:js|ts|py|md|json|ya?ml|env|txt|pem|key)|v?\d+(?:\.\d+){1,3}|\d{1,4}(?:px|ms|s|%|-.*)?)$/i.test(
      value,
    )
  )
    return false;
  // Marked by hand, a symbol, a method: `*not*`, `:NEWLINE`, `Fetcher#configured_uri`.
  if (/^([+*_]).*\1$|^[:@]{1,2}[A-Za-z_.?!]+$|^[A-Z]\w*#[a-z_]+$/.test(value)) return false;
  // Of code: `token: 'UserByIdPipe'`, `class Guard1`.
  if (/^[<>=~^!]{1,2}\d|\/[\w.-]+@v?\d|^[A-Z][a-z]+\d$/.test(value)) return false;
  if (isNameOfCode(value.replace(/^["']|["']$/g, '')) && !/pass|kennw|contrase|senha|pwd/i.test(match[0])) return false;
  if (/\s/.test(value)) return isQuoted && /\d/.test(value) && value.split(/\s+/).length <= 6;
  if (/[\\(){}[\]]/.test(value) && !/\d/.test(value)) return false;
  return (
    /\d/.test(value) ||
    /[^\w.,:;!?'’()/-]/.test(value.replace(/[\p{L}\p{M}]/gu, 'a')) ||
    (isQuoted && /[a-z][A-Z]/.test(value) && value.length >= 12)
  );
}

interface Sentence
  extends Pick<SecretRule, 'id' | 'what' | 'source' | 'date' | 'keywords' | 'samples' | 'misses' | 'near'> {
  readonly pattern: string;
  readonly before?: number;
}

const sentence = ({ before = 0, ...rest }: Sentence): SecretRule =>
  placed(GROUP, { ...rest, basis: 'sentence', flags: 'iu', before, reach: 340, accepts: isTold });

const NOUN =
  '(?:(?:api|access|secret|private|auth|signing|encryption|licen[sc]e|master|admin|root|hmac|jwt|account|storage|session|deploy|service account|webhook)[ -]?keys?|(?:db|smtp|sudo|wifi|root|admin) pass|pass(?:word|phrase|code|wd)|pwd|secret|(?:(?:api|access|auth|bot|bearer)[ -])?token|credentials?|pin)(?:${SPACE}(?:you|we|they) (?:need|want|have|use|asked for)|${SPACE}that works)?'.replaceAll(
    '${SPACE}',
    SPACE,
  );
const ROMANCE_NOUN =
  "(?:mot de passe|mdp|contrase(?:ñ|n)a|clave(?: (?:de (?:api|acceso)|secreta|api))?|senha|palavra-passe|(?:chave|cl[ée]f?)(?: (?:de |da |d[’'])?(?:api|acesso|secrète|secreta|privada|privée))|token(?!\\s?=)|jeton(?: d[’']accès)?|secreto|segredo|identifiants?|credenciais|credenciales)";
const GERMAN_NOUN =
  '(?:\\p{L}{0,20}passw(?:o|ö)rt|kennwort|\\p{L}{0,12}[- ]?schlüssel|zugangsdaten|\\p{L}{0,10}-?token(?!\\s?=)|geheimnis|zugangscode|passphrase)';
const CJK_NOUN =
  '(?:密码|密碼|口令|密钥|密鑰|令牌|凭证|パスワード|トークン|合言葉|暗証番号|(?:api|アクセス|秘密)?\\s?キー|シークレット|비밀번호)';

export const PROSE_RULES: readonly SecretRule[] = [
  sentence({
    id: 'told-in-english',
    what: 'secret told in a sentence: “the password is …”, “changed the token to …”',
    source: 'troupe: forms in its own tests',
    date: '2026-11-19',
    keywords: [
      'password',
      'passphrase',
      'passcode',
      'passwd',
      'pwd',
      'secret',
      'token',
      'credential',
      'api key',
      'access key',
      'license key',
      'licence key',
      'encryption key',
      'signing key',
      'private key',
      'master key',
      'root key',
      'admin key',
      'secret key',
      'auth key',
      'pin ',
      'hmac key',
      'jwt key',
      'account key',
      'storage key',
      'session key',
      'deploy key',
      'webhook key',
      'db pass',
      'smtp pass',
      'sudo pass',
      'wifi pass',
      'root pass',
      'admin pass',
    ],
    pattern: `(?<![\\w-])${NOUN}(?:${SPACE}(?:for|of|on|to|in|at)${SPACE}[\\w@.:/-]{1,40}(?:${SPACE}[\\w@.:/-]{1,24})?)?(?:(?:${SPACE}(?:are|is)|:)${SPACE}[\\w.@-]{2,30}(?:${SPACE})?/|${SPACE}(?:back${SPACE})?(?:is now|is still|is|was|seems${SPACE}to${SPACE}be|are|will be|should be|must be|to|into|as|changed to|set to|reset to|becomes?|now reads?|now|of|—|–|-|has been (?:set|changed|reset) to|are${SPACE}[\\w.-]{2,30}(?:${SPACE})?(?:/|and|:))(?:${SPACE}(?:simply|just|still|now))?[:,]?|:|(?<=(?:with|using|and|by|use|try|enter|type|is|here's)${SPACE}(?:(?:the|this|my|your)${SPACE})?(?:[\\w-]{2,16}${SPACE})?${NOUN})(?<bareword>))${SPACE}${VALUE}`,
    samples: [
      'The staging password is {=Walrus-88-Fig}.',
      'I changed the admin password to `{=Comet#1977}`, done',
      'log in with the password {=Tundra2024!} and look',
      'The credentials are admin / {=Maple1983!} until Friday',
      'token for ci is {=Walrus-88-Fig}',
    ],
    misses: [
      'the password is required',
      'the token is 12 characters long',
      'set the password to the value of DB_PASSWORD',
      'The secret is out, in 2024',
      'a token of type 2',
    ],
  }),
  sentence({
    id: 'told-as-english',
    what: 'secret told before what it is: “use … as the admin password”',
    source: 'troupe: forms in its own tests',
    date: '2026-11-19',
    keywords: ['password', 'passphrase', 'passcode', 'pwd', 'secret', 'token', 'api key', 'access key', 'pin'],
    pattern: `(?<=(?:use|using|used|with|enter|entered|type|typed|try|tried|put|set|choose|chose|pick|picked|send|pass|take|took)${SPACE})${VALUE}\\*{0,2}${SPACE}(?:as|for|is)${SPACE}(?:(?:the|a|an|your|my|our|its|their|new)${SPACE}){0,2}(?:[\\w-]{1,20}${SPACE}){0,3}${NOUN}(?![\\w-])`,
    before: 200,
    near: /\s(?:as|for|is)\s[^\n]{0,40}$/i,
    samples: ['Please use {=Walrus-88-Fig} as the admin password.', 'try `{=Comet 77 lantern}` for the root password'],
    misses: [
      'use the same value as the admin password',
      'Use process.env.X as the password',
      'use sha256 for the password',
    ],
  }),
  sentence({
    id: 'told-beside-english',
    what: 'secret told beside what it is: “… is the password for …”, “log in as ann with …”',
    source: 'troupe: forms in its own tests',
    date: '2026-11-19',
    keywords: [
      'the password',
      'the passphrase',
      'the root password',
      'the admin password',
      '(password',
      'log in',
      'logged in',
      'sign in',
      "pw's",
      "password's",
    ],
    pattern: `(?:(?<=(?:^|[\\s"(])${VALUE}\\*{0,2}${SPACE}(?:is|was)${SPACE})the${SPACE}(?:[\\w-]{1,20}${SPACE}){0,2}(?:password|passphrase)(?![\\w-])|(?<=(?:reset|set|changed|back)${SPACE}to${SPACE}${VALUE}${SPACE})\\((?:the${SPACE})?password|(?:log(?:ged)?|sign(?:ed)?)${SPACE}in${SPACE}(?:to${SPACE}\\S{1,40}${SPACE})?(?:as|with)${SPACE}[\\w.@-]{2,40}${SPACE}?(?:with|using|and|/)${SPACE}${VALUE}|(?:pw|password)'s${SPACE}(?:now${SPACE})?${VALUE})`,
    samples: [
      '{=Walrus88fig} is the password for staging',
      'log in as kim with {=Walrus88fig}',
      "the pw's {=Walrus88fig}",
      'reset to {=Walrus88fig} (password of the admin)',
    ],
    misses: [
      'it is the password for staging',
      'log in as root with sudo',
      'sign in as ann with GitHub',
      "the password's length",
    ],
  }),
  sentence({
    id: 'told-in-german',
    what: 'secret told in German: “das Passwort lautet …”',
    source: 'troupe: forms in its own tests',
    date: '2026-11-19',
    keywords: [
      'passwort',
      'passwört',
      'kennwort',
      'schlüssel',
      'zugangsdaten',
      'zugangscode',
      'geheimnis',
      'token',
      'passphrase',
    ],
    pattern: `${GERMAN_NOUN}(?:${SPACE}(?:für|von|der|des|zum|zur|im|am|auf dem)${SPACE}[\\w.äöüß-]{2,30}(?:${SPACE}[\\w.äöüß-]{2,24})?)?(?:(?:${SPACE})?[:=]|${SPACE}(?:lautet|ist|war|wäre|heißt|heisst|ist jetzt|ist nun|wurde auf|auf|in|zu|steht auf|bleibt)[:,]?)(?:${SPACE}(?:jetzt|nun|einfach|weiterhin))?(?:${SPACE}[\\w.@-]{2,30}${SPACE}/)?${SPACE}${VALUE}|(?<=(?:mit|unter|per)${SPACE}(?:(?:dem|der|meinem|unserem)${SPACE})?)${GERMAN_NOUN}${SPACE}${VALUE}(?=${SPACE}(?:an|ein|auf)|[\\s.,;]|$)`,
    samples: [
      'Das Passwort lautet {=Walrus-88-Fig}.',
      'Ich habe das Kennwort auf {=Comet1977!} geändert.',
      'Das neue Kennwort ist „{=Walrus-88-Fig}“.',
      'Zugangsdaten: admin / {=Maple1983!}',
      'Der API-Schlüssel ist {an:24}.',
    ],
    misses: ['Das Passwort ist zu kurz', 'Passwort: mindestens 8 Zeichen', 'Das Token ist abgelaufen'],
  }),
  sentence({
    id: 'told-as-german',
    what: 'secret told in German before what it is: “nimm … als Passwort”',
    source: 'troupe: forms in its own tests',
    date: '2026-11-19',
    keywords: ['als '],
    pattern: `(?<=(?:nimm|nehmt|nehmen|nutze|benutze|verwende|verwenden|setze|gib|mit|wähle|bitte|Sie|habe|wir)${SPACE})${VALUE}\\*{0,2}${SPACE}als${SPACE}(?:(?:das|neues|neue|dein|mein|den|der|die|ein)${SPACE}){0,2}(?:[\\p{L}-]{1,24}${SPACE}){0,2}${GERMAN_NOUN}`,
    before: 130,
    samples: ['Nimm {=Walrus-88-Fig} als Passwort für den Admin.'],
    misses: ['Nimm den Wert als Passwort', 'verwende sha256 als Hash'],
  }),
  sentence({
    id: 'told-in-romance',
    what: 'secret told in French, Spanish or Portuguese',
    source: 'troupe: forms in its own tests',
    date: '2026-11-19',
    keywords: [
      'mot de passe',
      'mdp',
      'contraseña',
      'contrasena',
      'clave',
      'senha',
      'palavra-passe',
      'chave',
      'clé ',
      'clef ',
      'cle ',
      'token',
      'jeton',
      'secreto',
      'segredo',
      'identifiant',
      'credencia',
    ],
    pattern: `(?<![\\p{L}\\d_-])${ROMANCE_NOUN}(?:${SPACE}(?:de|du|del|do|da|para|pour|des|de la|de l[’'])(?:${SPACE})?[\\w.éèáíóúãçñ-]{2,30}(?:${SPACE}[\\w.éèáíóúãçñ-]{2,24})?)?(?:[ \\u00a0]?[:=]|${SPACE}(?:est|es|é|era|était|será|sera|par|en|a|à|por|para|com|con|avec|sigue siendo|agora é|ahora es|est maintenant|son|são|sont)[:,]?|(?<=(?:avec|con|com|usa|use|pon|ponha|utilise|mets)${SPACE}(?:(?:le|la|el|a|o)${SPACE})?${ROMANCE_NOUN}))(?:${SPACE}[\\w.@-]{2,30}${SPACE}/)?${SPACE}${VALUE}`,
    samples: [
      'La contraseña es {=Walrus-88-Fig}.',
      'Le mot de passe est {=Comet1977!}',
      'Mot de passe : {=Comet1977!}',
      'A senha é {=Maple1983!}.',
      'La clé API est « {=Walrus-88-Fig} ».',
      'Mudei a senha para {=Walrus-88-Fig}.',
    ],
    misses: [
      'La contraseña es obligatoria',
      'Le mot de passe est requis',
      'A senha é inválida',
      'le mot de passe : 8 caractères',
    ],
  }),
  sentence({
    id: 'told-as-romance',
    what: 'secret told in French, Spanish or Portuguese before what it is',
    source: 'troupe: forms in its own tests',
    date: '2026-11-19',
    keywords: ['comme ', 'como '],
    pattern: `(?<=(?:utilise[rz]?|usa[r]?|use|usamos|usando|utiliza[r]?|pon|mets|mettez|avec|con|com|coloque|puse|pus)${SPACE})${VALUE}\\*{0,2}${SPACE}(?:comme|como)${SPACE}(?:(?:la|le|el|a|o|une?|nouveau|nova|nueva|votre|ton)${SPACE}){0,2}${ROMANCE_NOUN}`,
    before: 130,
    samples: [
      'Usa {=Walrus-88-Fig} como contraseña del administrador.',
      'Utilise {=Comet1977!} comme mot de passe.',
      'Use {=Maple1983!} como senha do banco.',
    ],
    misses: ['usa el valor como contraseña', 'use sha256 como hash'],
  }),
  sentence({
    id: 'told-in-chinese-or-japanese',
    what: 'secret told in Chinese, Japanese or Korean: “密码是 …”, “パスワードは …”',
    source: 'troupe: forms in its own tests',
    date: '2026-11-19',
    keywords: [
      '密码',
      '密碼',
      '口令',
      '密钥',
      '密鑰',
      '令牌',
      '凭证',
      'パスワード',
      'トークン',
      '合言葉',
      '暗証番号',
      'キー',
      'シークレット',
      '비밀번호',
    ],
    pattern: `${CJK_NOUN}\\s{0,2}(?:\\([^()]{1,20}\\)|（[^（）]{1,20}）)?(?:已经?|现在|現在|今)?(?:是|为|為|改成了?|改为了?|改為|设置?为|设成|设为|更新为|重置为|就是|[:：=]|は|が|を|も|를|는|은|(?=[「『])|(?<=用${CJK_NOUN}))\\s{0,2}[:：]?(?:\\*{2})?(?:[\\w.@-]{2,30}\\s?/\\s?)?(?:\`([^\`\\n]{4,100})\`|[“«「『"']([^”»」』"'\\n]{4,100})[”»」』"']|([!-~]{4,200}(?:[\\p{L}\\p{M}\\d_]{0,6}[!-~]{3,200})?|(?=[\\p{Script=Latin}!-~]{4})[\\p{Script=Latin}!-~]{4,200}))`,
    samples: [
      '密码是{=Walrus-88-Fig}',
      '密码：{=Comet1977!}',
      '我把密码改成了 {=Walrus-88-Fig}。',
      'パスワードは{=Walrus-88-Fig}です。',
      '管理者のパスワードを {=Maple1983!} に変更しました。',
      'トークンは「{an:20}」です。',
    ],
    misses: ['密码是必填项', 'パスワードは必須です', '密码：password'],
  }),
  sentence({
    id: 'told-as-chinese-or-japanese',
    what: 'secret told in Chinese or Japanese before what it is',
    source: 'troupe: forms in its own tests',
    date: '2026-11-19',
    keywords: ['作为', '作為', '当作', '做', 'をパスワード', 'をトークン', 'を管理者', 'を新しい'],
    pattern:
      '(?<=[用将把使\\s「『`“”"]|^)([!-~]{6,120}|(?=[\\p{Script=Latin}!-~]{6})[\\p{Script=Latin}!-~]{6,120})[」』`”"]?\\s{0,2}(?:(?:作为|作為|当作|做)(?:\\p{L}{0,8})(?:密码|密碼|口令|密钥|令牌)|を(?:[\\p{L}ー]{0,12}の?)?(?:パスワード|トークン|キー))',
    before: 126,
    samples: ['请用 {=Walrus-88-Fig} 作为管理员密码', '{=Comet1977!} をパスワードとして使ってください。'],
    misses: ['用变量作为密码', 'この値をパスワードとして'],
  }),
];
