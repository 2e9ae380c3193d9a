// Sentences that say what a secret is, in the languages that people write to agents in.

import { isNameOfCode } from '../read-nearby.ts';
import { placed, type SecretRule } from '../rule.ts';
import { isCode, isOrdinary, isPassphrase, isReference, isStandIn, NUMBERED_WORDS } from '../value-looks.ts';

const GROUP = 'by name and place';

/** In quotes, as code, in bold, or a word alone. The last group is the value. */
const VALUE =
  '(?:([<(\\[{]\\p{Lu}\\p{Ll}{2,12}[>)\\]}]\\d{2,5}[;!?]?)|\\*{0,2}`([^`\\n]{4,100})`|\\*{0,2}[“«「『„]\\s?([^”»」』“\\n]{4,100}?)\\s?[”»」』“]|\\*{0,2}"([^"\\n]{4,100})"|\\*{0,2}\'([^\'\\n]{4,100})\'|\\*{0,2}(?:&quot;)?([^\\s"\'`“”«»「」『』，。；、,<>]{3,200}[^\\s"\'`“”«»「」『』，。；、,<>.;:*)_\\]]))';
const SPACE = '[ \\t\\u00a0]{1,3}';

/** Words of sentences end with marks that belong to the sentence. */
const bare = (value: string): string => value.replace(/[!?~]{1,3}$/, '');

/** Whether it is more than a word of the sentence. */
function isTold(secret: string, match: RegExpExecArray): boolean {
  const value = bare(secret);
  if (/\\[nrt]/.test(value)) return false;
  const isQuoted =
    match.slice(1).filter((group) => group !== undefined && group !== '').length > 0 &&
    /[`"'“”«»「」『』„]/.test(match[0]);
  // Without a verb, a word with a number is a name: `password field2`.
  if (
    match.groups?.['bareword'] !== undefined &&
    !(isQuoted && WORDS_AND_NUMBER.test(value)) &&
    !/(?=.*\d)(?=.*[^a-z\d]).{8}|^(?=(?:.*\d){4}).{9}|^[a-z]{5,}\d{3,4}$/.test(value)
  )
    return false;
  if (NUMBERED_WORDS.test(value) || /^[A-Za-z]+(?:token|key|secret|password)s?$/i.test(value)) return false;
  if (
    /&(?:quot|[lr]dquo|lt|gt|amp|apos|nbsp|#\d+)\b/.test(value) ||
    (/^[a-z]\w*_\w*$/.test(value) &&
      !(WORDS_AND_NUMBER.test(value) && (isQuoted || match.groups?.['bareword'] === undefined))) ||
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
    /^(?:(?:sha|md|hs|rs|es|utf|base|aes|rsa|argon|bcrypt|http|oauth)-?\d{1,4}|[A-Za-z_.$]{3,}\(.*\)|\$\w+|<[^>]*>?|--?[a-z][\w-]*|[\w-]+\.(?:js|ts|py|md|json|ya?ml|env|txt|pem|key)|v?\d+(?:\.\d+){1,3}|\d{1,4}(?:px|ms|s|%|-.*)?)$/i.test(
      value,
    )
  )
    return false;
  // Marked by hand, a symbol, a method: `*not*`, `:NEWLINE`, `Fetcher#configured_uri`.
  if (/^([+*_]).*\1$|^[:@]{1,2}[A-Za-z_.?!]+$|^[A-Z]\w*#[a-z_]+$/.test(value)) return false;
  // Of code: `token: 'UserByIdPipe'`, `class Guard1`.
  if (/^[<>=~^!]{1,2}\d|\/[\w.-]+@v?\d|^[A-Z][a-z]+\d$/.test(value)) return false;
  if (
    isNameOfCode(value.replace(/^["']|["']$/g, '')) &&
    !/pass|kennw|contrase|senha|pwd|密|パスワード|typed|(?:log|sign)(?:ged|ed)? ?in|connecte|melde/i.test(match[0])
  )
    return false;
  if (isPassphrase(value) && value.split('-').length >= (isQuoted ? 3 : 4))
    return match.groups?.['bareword'] === undefined || isQuoted;
  if (/\s/.test(value)) return isQuoted && /\d/.test(value) && value.split(/\s+/).length <= 6;
  if (/[\\(){}[\]]/.test(value) && !/\d/.test(value)) return false;
  return (
    /\d/.test(value) ||
    /[^\w.,:;!?'’()/-]/.test(value.replace(/[\p{L}\p{M}]/gu, 'a')) ||
    (isQuoted && /[a-z][A-Z]/.test(value) && value.length >= 12)
  );
}

/** `otter_maple_81`: as people make passwords up, and rarely name things. */
const WORDS_AND_NUMBER =
  /^(?!.*(?:test|user|item|page|file|step|version|case|key|token|field|column|part|line|pass|secret))[a-z]{3,}(?:_[a-z]{3,}){1,2}_\d{1,4}$/;

interface Sentence
  extends Pick<SecretRule, 'id' | 'what' | 'source' | 'date' | 'keywords' | 'samples' | 'misses' | 'near'> {
  readonly pattern: string;
  readonly before?: number;
  /** What such a sentence says of other things. */
  readonly other?: RegExp;
}

const sentence = ({ before = 0, other, ...rest }: Sentence): SecretRule =>
  placed(GROUP, {
    ...rest,
    basis: 'sentence',
    flags: 'iu',
    before,
    reach: 340,
    accepts: (secret, match) => isTold(secret, match) && !other?.test(secret),
  });

const NOUN =
  '(?:(?:api|access|secret|private|auth|signing|encryption|licen[sc]e|master|admin|root|hmac|jwt|account|storage|session|deploy|service account|webhook)[ -]?keys?|(?:db|smtp|sudo|wifi|root|admin) pass|pass(?:word|phrase|code|wd)|pwd|(?<=\\s)pw(?=\\s)|code ?word|(?:security|secret) answer|secret|(?:(?:api|access|auth|bot|bearer)[ -])?token|credentials?|pin)(?:${SPACE}(?:you|we|they|I) (?:need|want|have|use|used|set|got|asked for)(?: (?:in|on|for|at) [\\w.-]{2,16})?|${SPACE}(?:that works|itself))?(?: \\([^()\\n]{1,30}\\))?'.replaceAll(
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
      'pw ',
      'code word',
      'codeword',
      'security answer',
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
    pattern: `(?<![\\w-])${NOUN}(?:${SPACE}(?:for|of|on|to|in|at)${SPACE}(?:(?:the|our|my|this)${SPACE})?[\\w@./-]{1,40}(?:${SPACE}[\\w@./-]{1,24}){0,2})?(?:(?:${SPACE}(?:are|is)|:)${SPACE}[\\w.@-]{2,30}(?:${SPACE})?/|${SPACE}(?:back${SPACE})?(?:is now|is still|is|was|seems${SPACE}to${SPACE}be|are|will be|should be|must be|to|into|as|changed to|set to|reset to|becomes?|now reads?|now|of|—|–|-|=|has been (?:set|changed|reset) to|are${SPACE}[\\w.-]{2,30}(?:${SPACE})?(?:/|and|:))(?:${SPACE}(?:simply|just|still|now))?[:,]?|:|(?<=(?:with|using|and|by|use|try|enter|type|typed|is|here's|old|new|previous|current|bad|wrong|right|correct|[\\w.],|expected)${SPACE}(?:(?:the|this|my|your)${SPACE})?(?:[\\w-]{2,16}${SPACE})?${NOUN})(?<bareword>))${SPACE}${VALUE}`,
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
    pattern: `(?<=(?:use|using|used|agreed${SPACE}on|settled${SPACE}on|with|enter|entered|type|typed|try|tried|put|set|choose|chose|pick|picked|send|pass|take|took)${SPACE})${VALUE}\\*{0,2}${SPACE}(?:as|for|is)${SPACE}(?:(?:the|a|an|your|my|our|its|their|new)${SPACE}){0,2}(?:[\\w-]{1,20}${SPACE}){0,3}${NOUN}(?![\\w-])`,
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
    pattern: `${GERMAN_NOUN}(?:${SPACE}(?:für|von|der|des|zum|zur|im|am|auf dem)${SPACE}[\\w.äöüß-]{2,30}(?:${SPACE}[\\w.äöüß-]{2,24})?)?(?:(?:${SPACE})?[:=]|${SPACE}(?:lautet|ist|war|wäre|heißt|heisst|ist jetzt|ist nun|wurde auf|auf|in|zu|steht auf|bleibt)[:,]?)(?:${SPACE}(?:jetzt|nun|einfach|weiterhin))?(?:${SPACE}[\\w.@-]{2,30}${SPACE}/)?${SPACE}${VALUE}|(?<=(?:mit|unter|per|[\\p{L}\\d],)${SPACE}(?:(?:dem|der|meinem|unserem)${SPACE})?)${GERMAN_NOUN}${SPACE}${VALUE}(?=${SPACE}(?:an|ein|auf)|[\\s.,;]|$)`,
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
    pattern: `(?<![\\p{L}\\d_-])${ROMANCE_NOUN}(?:${SPACE}(?:administrateur|admin|actuel|actuelle|nouveau|principal|administrador|nueva|nova|atual|actual))?(?:${SPACE}(?:de|du|del|do|da|para|pour|des|de la|de l[’'])(?:${SPACE})?[\\w.éèáíóúãçñ-]{2,30}(?:${SPACE}[\\w.éèáíóúãçñ-]{2,24})?)?(?:[ \\u00a0]?[:=]|${SPACE}(?:est|es|é|era|était|será|sera|ficou|fica|quedó|queda|devient|reste|par|en|a|à|por|para|com|con|avec|sigue siendo|agora é|ahora es|est maintenant|son|são|sont)[:,]?|(?<=(?:avec|con|com|usa|use|pon|ponha|utilise|mets)${SPACE}(?:(?:le|la|el|a|o)${SPACE})?${ROMANCE_NOUN}))(?:${SPACE}[\\w.@-]{2,30}${SPACE}/)?${SPACE}${VALUE}`,
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
    pattern: `${CJK_NOUN}\\s{0,2}(?:\\([^()]{1,20}\\)|（[^（）]{1,20}）)?(?:已经?|现在|現在|今)?(?:是|为|為|改成了?|改为了?|改為|设置?为|设成|设为|更新为|重置为|就是|[:：=]|は|が|を|も|를|는|은|(?=[「『])|(?=\\s[A-Za-z!-9])|(?<=用${CJK_NOUN}))\\s{0,2}[:：]?(?:\\*{2})?(?:[\\w.@-]{2,30}\\s?/\\s?)?(?:\`([^\`\\n]{4,100})\`|[“«「『"']([^”»」』"'\\n]{4,100})[”»」』"']|([!-~]{4,200}(?:[\\p{L}\\p{M}\\d_]{0,6}[!-~]{3,200})?|(?=[\\p{Script=Latin}!-~]{4})[\\p{Script=Latin}!-~]{4,200}))`,
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
  sentence({
    id: 'told-with-user',
    what: 'password behind a user with whom one logs in, in seven languages',
    source: 'troupe: forms in its own tests',
    date: '2026-11-20',
    keywords: [
      'melde dich',
      'melden sie sich',
      'meldet euch',
      'logge dich',
      'log dich',
      'anmelden mit',
      'einloggen mit',
      'anmeldung mit',
      'connecte-',
      'connectez',
      'connecte toi',
      'connexion avec',
      'identifie-toi',
      'inicia sesión',
      'iniciar sesión',
      'entra con',
      'entrar con',
      'accede con',
      'conéctate',
      'entre com',
      'entrar com',
      'faça login',
      'acesse com',
      'inicie sessão',
      'log in',
      'login with',
      'login as',
      'logged in',
      'logging in',
      'sign in',
      'signed in',
      'ssh in',
      'connect with',
      'connect as',
      '登录',
      '登錄',
      'ログイン',
    ],
    pattern: `(?:(?:melde dich|melden sie sich|meldet euch|logge? dich|anmelden|einloggen|anmeldung)(?:${SPACE}[\\p{L}.-]{1,20}){0,3}${SPACE}(?:mit|als)|connecte[\\p{L}-]{0,8}|connexion|identifie-toi|(?:inicia|iniciar) sesión|entra|entrar|entre|accede|acesse|conéctate|faça login|inicie sessão|(?:log(?:ged|ging)?|sign(?:ed)?|ssh)${SPACE}?in|login|connect)(?:${SPACE}(?:avec|comme|con|como|com|as|with|using)(?:${SPACE}(?:the|user|l['’]|le|la|el|o|usuario|utilisateur|benutzer)){0,2})?${SPACE}[\\w.@+-]{2,40}(?:,?${SPACE}?(?:/|und|et|y|e|and|with|con|avec|com|mit|:|using)${SPACE}(?:(?:the|le|la|el|a|o|dem|password|passwort|mot de passe|contraseña|senha|pw|pass|token)${SPACE}){0,3})${VALUE}`,
    samples: [
      'Melde dich mit ann und {=Walrus88fig} an.',
      'Connecte-toi avec admin / {=Comet1977!}',
      'Inicia sesión con root y {=Walrus88fig}.',
      'Sign in as admin with {=raven_willow_8}.',
    ],
    misses: [
      'Melde dich mit deinem Konto und der PIN an.',
      'sign in with GitHub and OAuth2',
      'Connecte-toi avec ton compte et confirme',
      'log in as root with sudo',
    ],
  }),
  sentence({
    id: 'told-using',
    other: /^[A-Z]?[a-z]+\d{1,4}$/,
    what: 'password with which one says to have logged in or opened something',
    source: 'troupe: forms in its own tests',
    date: '2026-11-20',
    keywords: [
      'logged in using ',
      'logged in with ',
      'log in using ',
      'log in with ',
      'opens with ',
      'open with ',
      'unlocks with ',
      'unlock it with ',
      'typed ',
      'unlock with ',
      'decrypts with ',
    ],
    pattern: `(?:log(?:ged)?${SPACE}in${SPACE}(?:using|with)|(?:opens?|unlocks?|decrypts?)(?:${SPACE}it)?${SPACE}with|(?<=(?:password|passphrase|pw|pwd|pin)[^\\n.]{0,24})typed)${SPACE}${VALUE}`,
    samples: [
      'I logged in using {=KyCE7mUyhfgAWB} today',
      'the pdf opens with {=Maple1978!}',
      'It rejected my password (I typed {=FuvOcw5Q})',
    ],
    misses: ['logged in with GitHub', 'the file opens with vim', 'opens with Excel2016'],
  }),
  sentence({
    id: 'told-change',
    other: /^(?:var)?(?:char|binary)|^u?int|^float|^(?:sha|md|utf|base|aes|rsa)-?\d/i,
    what: 'what a password was changed to, behind what it was before',
    source: 'troupe: forms in its own tests',
    date: '2026-11-20',
    keywords: [
      ...['changed', 'updated', 'rotated', 'reset'].map((verb) => `${verb} from `),
      'geändert',
      'gewechselt',
      'changé de ',
      'changée de ',
      'passé de ',
      'cambiado de ',
      'cambiada de ',
      'cambié de ',
      'alterada de ',
      'mudou de ',
      'mudada de ',
      'trocada de ',
    ],
    near: /pass|pw|kennw|contrase|senha|clave|token|secret|schlüssel|mdp|key/i,
    pattern: `(?:(?:changed|updated|rotated|reset) from|(?:geändert|gewechselt):?${SPACE}(?:alt|von)|(?:changée?|passé|cambiad[oa]|cambié|alterada|mudou|mudada|trocada) de):?${SPACE}["'\`„“«]?[^\\s"'\`“”«»]{4,80}["'\`“”»]?,?${SPACE}(?:to|neu|auf|zu|à|en|a|por|para|pour):?${SPACE}${VALUE}`,
    samples: [
      'Password changed from "hunter2x9" to "{=SitzymS9yM}".',
      'Passwort geändert: alt Otter331, neu {=maple490}',
      'La contraseña ha cambiado de Otter331 a {=Walrus88fig}',
    ],
    misses: ['password field changed from varchar64 to varchar128', 'the token type changed from jwt to opaque'],
  }),
];
