// Secrets that a kind of text tells by its own form: pairs, codes, files of cookies, settings of pipelines, answers.

import { looksMadeUp } from '../read-nearby.ts';
import { PRINTING_KEYWORDS, readCodes, readPrinted } from '../read-printed.ts';
import { hasDigitAndLetter, placed, type SecretRule } from '../rule.ts';
import { isOrdinary, isReference, isStandIn, looksRandom } from '../value-looks.ts';

const GROUP = 'by name and place';
const SOURCE = { source: 'troupe: forms in its own tests', date: '2026-11-19' } as const;

const isValue = (secret: string): boolean => !isReference(secret) && !isStandIn(secret);
const MARKS = '["\'`“”‘’«»„*]{0,3}';
const CODE = '(?:\\d{3,5}[ -]\\d{3,5}|\\d{4,10}|[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,5}|[a-z0-9]{8,16})';
const isCodeOfDigits = (secret: string): boolean => /\d/.test(secret);

/** Names in pairs of a name and a password. */
const ADMIN =
  '(?:root|admin|administrator|ops|sa|postgres|pi|ubuntu|deploy|ec2-user|guest|oracle|svc[\\w-]{0,20}|dba|sysadmin|superuser)';

/** Of three to eight lower-case words, none of which belongs to a sentence about passphrases. */
const isPhrase = (secret: string): boolean =>
  !/(?:^| )(?:is|are|was|be|the|this|that|for|not|with|and|you|your|must|should|can|will|has|have|used|required|set|from|when|which|please|enter|wrong|missing|empty|optional|key|file|password|passphrase|der|die|das|ist|nicht|muss|bitte|falsch|le|la|est|el|los|es|no|não|está|para|com|obrigatória|incorrecta|inválida)(?= |$)/i.test(
    secret,
  );

export const TOLD_RULES: readonly SecretRule[] = [
  {
    ...SOURCE,
    id: 'printed-secret',
    basis: 'place',
    group: GROUP,
    what: 'what a command printed whose whole answer is a secret: `pass show`, `vault kv get -field`, `… | base64 -d`',
    keywords: PRINTING_KEYWORDS,
    pattern: /(?!)/y,
    before: 0,
    reach: 0,
    isGeneral: true,
    read: readPrinted,
    samples: [
      '$ pass show work/mail\n{=Plumage_Dock4}\n',
      "$ kubectl get secret web -o jsonpath='{.data.pw}' | base64 --decode\n{=Thrush&Loam-3}",
      'ann@box:~$ gcloud secrets versions access latest --secret=x\n{=mocha-Rafter-31}',
    ],
    misses: [
      '$ pass show work/mail\nError: work/mail is not in the password store.',
      '$ git pass show\nCuttlefish_Ramp2',
    ],
  },
  {
    ...SOURCE,
    id: 'listed-code',
    basis: 'place',
    group: GROUP,
    what: 'codes for the second factor or for recovery, on the lines below those words',
    keywords: [
      'recovery code',
      'backup code',
      'scratch code',
      'emergency code',
      'wiederherstellungscode',
      'backup-code',
      'codes de secours',
      'códigos de',
    ],
    pattern: /(?!)/y,
    before: 0,
    reach: 0,
    isGeneral: true,
    read: readCodes,
    samples: ['Recovery codes:\n- {=b1b2c-3d4e5}\n- {=c6a7b-8c9d0}\n', 'Backup codes\n\n    {=7831 2214}\n'],
    misses: ['Recovery codes\n\nKeep them safe, see page 12.\n', 'backup code\nsrc/backup2.ts\n'],
  },
  placed(GROUP, {
    ...SOURCE,
    id: 'only-column',
    what: 'the only column of what a database answers, below a head that names a password',
    keywords: ['password', 'passwd', 'secret', 'token', 'api_key'],
    pattern:
      '(?<=(?:^|\\n) ?(?:\\w{1,30}_)?)(?:password|passwd|secret|token|api_key) {0,60}\\r?\\n ?-{3,200} {0,3}\\r?\\n ?([^\\s]{4,400}) {0,60}\\r?\\n(?=\\(\\d)',
    flags: 'i',
    reach: 900,
    accepts: (secret) => isValue(secret) && !/^[|+-]/.test(secret),
    samples: ['\n password \n----------\n {=heronmud7}\n(1 row)\n'],
    misses: ['Password\n--------\n\nThe password is asked for.\n'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'argument-of-list',
    what: 'password of a program in a list of its arguments: `["ldapsearch", "-w", "…"]`, `"-p…"`',
    keywords: ['"-p', "'-p", '"-w', "'-w", '"-a"', "'-a'", '"-k"', "'-k'", '"-u"', "'-u'"],
    pattern:
      '["\']-(?:[wpPaku]["\']\\s{0,3},?\\s{1,20}["\'](?:(?<=-u["\'],?\\s{0,20}["\'])[^\\s"\':]{1,60}:)?([^\\s"\']{6,200})|[pw](?=[^\\s"\']{0,60}\\d)([^\\s"\'=]{6,100}))["\']',
    accepts: (secret) => isValue(secret) && looksMadeUp(secret),
    samples: ['["ldapsearch", "-w", "{=Cider!ng-Plum3}"]', 'exec.Command("mysql", "-uroot", "-p{=M4rsh$Fern2}", "x")'],
    misses: ['["ssh", "-p", "2222", "host"]', '["docker", "run", "-p", "8080:80"]', '["grep", "-w", "someWord"]'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'shell-default',
    what: 'random value that a variable of a shell falls back to: `${NAME:-…}`',
    keywords: [':-', ':='],
    pattern: '(?<=\\$\\{[A-Za-z_]\\w{0,60}):[-=]["\']?([\\w+/=.-]{16,200})["\']?\\}',
    accepts: (secret) => isValue(secret) && !isOrdinary(secret) && looksRandom(secret),
    samples: ['curl -H "X-Thing: ${SOME_VALUE:-{=R8fxyDCgm6Bt04rusakhIABqA7LnDp}}"'],
    misses: ['${NAME:-default-value-of-it}', '${IMAGE:-registry.example/app:v1.22.333}'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'pipeline-variable',
    what: 'secret variable that a step of Azure Pipelines or GitHub Actions sets or masks',
    keywords: ['issecret=true]', '::add-mask::'],
    pattern: '(?:issecret=true\\]|::add-mask::)([^\\s"\'`]{4,4000})',
    flags: 'i',
    accepts: isValue,
    samples: ['echo "##vso[task.setvariable variable=X;issecret=true]{=twowords9}"', 'echo "::add-mask::{=Heron31}"'],
    misses: ['##vso[task.setvariable variable=X;issecret=true]$(TOKEN)', '::add-mask::$TOKEN'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'storage-account-key',
    what: 'key of a storage account of Azure, in what its tool lists',
    keywords: ['"value"'],
    pattern: '"value":\\s{0,3}"([A-Za-z0-9+/]{86}==)"',
    samples: ['"keyName": "key2", "value": "{b64:86}=="'],
    misses: ['"value": "c2hvcnQ="'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'package-manager-password',
    what: 'password that poetry or bundler keeps for a registry',
    keywords: ['poetry config', 'bundle config', 'bundle_'],
    pattern:
      '(?:poetry config (?:--\\S{1,20} )?(?:http-basic\\.[\\w.-]{1,40} \\S{1,80}|pypi-token\\.[\\w.-]{1,40}) |bundle config (?:(?:set|--global|--local) ){0,2}[\\w.:/-]{1,100} [\\w.@-]{1,60}:)["\']?([^\\s"\'`;|&]{4,400})',
    accepts: isValue,
    samples: [
      'poetry config http-basic.corp bot {=Heron-Slate-4}',
      'bundle config set --global gems.corp.example bot:{=heronSlate4}',
    ],
    misses: [
      'poetry config virtualenvs.create false',
      'bundle config set path vendor/bundle',
      'poetry config http-basic.corp bot $PW',
    ],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'random-password',
    what: 'result of a random password, as plans and states of Terraform show it',
    keywords: ['random_password'],
    pattern: '"?random_password"?[\\s\\S]{1,300}?"?\\b(?:result|bcrypt_hash)"?\\s{1,20}?[=:]\\s{1,3}"([^"\\n]{4,200})"',
    reach: 560,
    accepts: isValue,
    samples: ['+ resource "random_password" "x" {\n      ~ result = "{=Gq7)v2]Lm}" -> (known after apply)'],
    misses: ['resource "random_password" "x" {\n  length = 20\n}'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'login-answer',
    what: 'code of OAuth that comes back in an address, and assertion of SAML',
    keywords: ['?code=', '&code=', 'samlresponse', 'samlrequest', 'relaystate', 'id_token='],
    pattern:
      '(?:(?<=https?://[^\\s"\'<>]{1,300})[?&]code=([\\w%./~-]{20,2000})|\\bSAMLRe(?:sponse|quest)["\']?\\s{0,2}[=:]\\s{0,2}["\']?([A-Za-z0-9+/=%_-]{40,15000})|SAMLResponse["\'] value=["\']([A-Za-z0-9+/=]{40,15000}))',
    accepts: (secret) => hasDigitAndLetter(secret),
    samples: ['Location: https://app.example/cb?code={w:43}&state=x', 'SAMLResponse={b64:200}&RelayState=x'],
    misses: ['https://app.example/x?code=404', 'const SAMLResponse = parse(body)'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'combined-user-option',
    what: 'user and password of curl, with its options in one word: `-su ann:…`',
    keywords: ['curl '],
    pattern:
      'curl\\b[^\\n;|&]{0,200}?\\s-[a-zA-Z]{1,6}u\\s{0,3}(?:"[^\\s:"]{1,100}:([^"\\n]{3,200})"|\'[^\\s:\']{1,100}:([^\'\\n]{3,200})\'|[^\\s:"\'$]{1,100}:([^\\s"\']{3,200}))',
    accepts: isValue,
    samples: ["curl -su 'bot:{=Oat:Hen:5}' http://127.0.0.1:9200", 'curl -sSku bot:{=hunter2} https://x.example'],
    misses: ['curl -su "$U:$P" https://x', 'curl -sSfu user: https://x'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'kept-cookie',
    what: 'cookie of a session in a file of cookies: of Netscape, or as browsers write it',
    keywords: ['\ttrue\t', '\tfalse\t', '"httponly"', '"cookies"', '"domain"', "'httponly'", 'httponly:', '"samesite"'],
    pattern:
      '(?:(?<=^|\\n)[^\\t\\n]{1,200}\\t(?:TRUE|FALSE)\\t[^\\t\\n]{1,200}\\t(?:TRUE|FALSE)\\t\\d{1,20}\\t[^\\t\\n]{1,100}\\t([^\\s]{12,4000})|["\']?name["\']?:\\s{0,3}["\'][^"\'\\n]{0,60}(?:sess|sid|auth|token|__host-|__secure-|jwt|login|remember)[^"\'\\n]{0,60}["\'],\\s{0,20}["\']?value["\']?:\\s{0,3}["\']([^"\'\\n]{8,4000})["\'])',
    flags: 'i',
    before: 420,
    reach: 4500,
    accepts: (secret) => isValue(secret) && hasDigitAndLetter(secret),
    samples: [
      '# Netscape HTTP Cookie File\n.x.example\tTRUE\t/\tTRUE\t1797000000\tJSESSIONID\t{lo:26}',
      '{"cookies":[{"name":"connect.sid","value":"{=s%3A8GEjxCiQFrvN7t9ULJ}","httpOnly":true}]}',
    ],
    misses: ['"httpOnly": true, "name": "theme", "value": "dark-mode-2026"', 'a\tTRUE\tb\tFALSE\t12\tname\tshort'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'told-code',
    what: 'setup key, recovery codes, PIN or one-time code beside its word',
    basis: 'sentence',
    keywords: [
      'setup key',
      'setup code',
      'manual key',
      'pairing code',
      'backup code',
      'recovery code',
      'one-time code',
      'einmalcode',
      'bestätigungscode',
      'code de vérification',
      'código de verificación',
      'código de verificação',
      '验证码',
      '認証コード',
      'pin ',
    ],
    pattern: `(?:(?:setup|manual entry|manual|secret) (?:key|code)(?: is|:)? ${MARKS}([A-Z2-7]{4}(?: [A-Z2-7]{4}){3,7}|[A-Z2-7]{16,64})|(?:pairing|backup|recovery|one-time) codes?(?: (?:is|are|was))?:? ${MARKS}(${CODE}(?:, ${CODE}){0,9})(?![\\w-])|(?:bestätigungscode|einmalcode|code de vérification|código de verificaci(?:ón|ão)|código de verificação)(?: (?:ist|lautet|est|es|é))?(?: ?:)? ${MARKS}(\\d{4,8})(?!\\w)|(?:验证码|認証コード)(?:是|为|は)?[:：]?\\s?(\\d{4,8})|(?<![\\w-])pin (?:est|es|é|ist|lautet|でした)[: ]{1,2}${MARKS}(\\d{4,8}))`,
    flags: 'iu',
    accepts: (secret) => isCodeOfDigits(secret) || secret === secret.toUpperCase(),
    samples: [
      'enter the setup key {=BLSZ 5MGP GHLF M3K7} by hand',
      'your backup codes: {=8bcc4-3a177, 1b75d-276f9}',
      'Ihr Bestätigungscode lautet {=551764}',
      '验证码是 {=551764}',
    ],
    misses: ['the setup code in setup.py', 'recovery codes are shown once', 'pin 13 is an output'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'licence-text',
    what: 'licence of a program, as a long word beside that word',
    keywords: ['licence ', 'license ', 'lizenz'],
    pattern: `(?:licen[cs]e|lizenz)(?: ?(?:key|code|schlüssel))?(?: is|:)? ${MARKS}([A-Z0-9]{8,12}-[\\w+/=-]{40,4000}|[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){3,7})(?![\\w-])`,
    flags: 'iu',
    accepts: (secret) => hasDigitAndLetter(secret) && !/^(?:Apache|AGPL|LGPL|GPL|MPL|BSD)/i.test(secret),
    samples: ['use the IDE licence {=KK71FMJ6RE-eyJsaWNlbnNlSWQiIWoj8I4Ql37fMyackMxceRfYh2q6bgbohIWc4Cu3STC8}'],
    misses: ['license Apache-2.0', 'the license LGPL-2.1-or-later', 'SPDX license identifier'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'third-argument',
    what: 'password behind the address of a database and a user in a call, or behind a user in one of Rust',
    keywords: ['connect(', 'connection(', 'pdo(', 'credentials::new(', 'open(', 'sequelize(', 'createpool('],
    pattern:
      '(?:(?:connect|connection|pdo|open|sequelize|createpool)\\(\\s{0,8}["\'][a-z][\\w+]{1,20}:[^"\'\\n]{1,200}["\'],\\s{0,8}["\'][^"\'\\n]{1,60}["\'],|credentials::new\\(\\s{0,4}"[^"\\n]{1,60}"(?:\\.\\w{1,12}\\(\\))?,)\\s{0,8}(?:"([^"\\n]{3,200})"|\'([^\'\\n]{3,200})\')',
    flags: 'i',
    accepts: isValue,
    samples: [
      'DriverManager.getConnection("jdbc:h2:~/x", "sa", "{=Heron_Keel5}");',
      "new PDO('mysql:host=db;dbname=x', 'app', '{=two words}')",
      'Credentials::new("bot".to_owned(), "{=Heron-Moor-1}".to_owned())',
    ],
    misses: ['DriverManager.getConnection("jdbc:h2:~/x", "sa", "")', 'connect("tcp://x", "a", "password")'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'bearer-of-next-line',
    what: 'bearer token on the line after the one that goes on',
    keywords: ['bearer \\', 'token \\', 'basic \\'],
    pattern: '(?:bearer|token|basic) \\\\\\r?\\n\\s{0,20}([\\w.+/=~-]{12,4000})',
    flags: 'i',
    accepts: hasDigitAndLetter,
    samples: ['curl -H "Authorization: Bearer \\\n{an:40}" https://x.example'],
    misses: ['the token \\\nis missing here'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'typed-answer',
    what: 'what was typed behind the question for a password',
    keywords: ['password for ', 'passphrase for ', 'pin for '],
    pattern:
      "(?:(?<=\\[sudo\\] )password for [\\w.-]{1,40}|(?:password|passphrase|pin) for (?:key )?'[^'\\n]{1,200}'): ([^\\s]{4,200})[ \\t]{0,9}(?=\\r?\\n|$)",
    flags: 'i',
    accepts: isValue,
    samples: [
      "Password for 'https://bot@git.example': {=Heron7slate}\nok",
      '[sudo] password for ann: {=Heron7slate}\n',
    ],
    misses: ["Password for 'https://bot@git.example': \nok", '[sudo] password for ann: sorry, try again.'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'name-and-password',
    what: 'name and password as a pair in a sentence: `root / …`, `u: … p: …`',
    basis: 'sentence',
    keywords: [' / ', ' p: ', ' pw: ', ' p='],
    pattern: `(?:(?<![\\w./@-])(?:${ADMIN}|[\\w.+-]{1,40}@[\\w.-]{3,60}) / ${MARKS}([^\\s"'\`*,;()]{7,100})|(?<=(?:^|\\s)(?:u|user|usr|login)[:=] ?[\\w.@+-]{1,60}[,;]? )p(?:w|ass)?[:=] ?([^\\s"'\`,;]{6,100}))`,
    flags: 'i',
    before: 70,
    reach: 200,
    accepts: (secret) => isValue(secret) && looksMadeUp(secret.replace(/[.!?]+$/, '')),
    samples: ['root / {=Heron-Oven-88} on the new box', 'u: ann@x.example p: {=Heron#Fork3}'],
    misses: ['root / user2 / group', 'u: 1 p: 2', 'admin / moderator'],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'quoted-passphrase',
    what: 'passphrase of plain words in quotes, or all of the line behind the label of a network',
    basis: 'sentence',
    keywords: [
      'passphrase',
      'seed: ',
      'seed=',
      'words: ',
      'pass phrase',
      'wi-fi',
      'wifi',
      'wlan',
      'mnemonic',
      'seed phrase',
      'recovery phrase',
      'mot de passe',
      'frase',
    ],
    pattern: `(?:(?:passphrase|pass phrase|mnemonic|seed phrase|recovery phrase|frase (?:de contraseña|secreta|de recuperación|senha))(?: (?:for|of|to|on)(?: [\\w.-]{2,30}){1,3})?(?: is| was| ist| es| é|:)? ["'\`“„«‘]\\s?([\\p{Ll}]{3,14}(?:[ -][\\p{Ll}]{2,14}){2,23})\\s?["'\`”“»’]|(?<=(?:^|\\n|[.!] )[\\p{L} -]{0,24})(?:(?:wi-?fi|wlan)[ -](?:password|passphrase|pass|key|schlüssel|passwort|kennwort)|(?:senha|contraseña|clave|mot de passe) (?:do|da|del|du|de la|de l[’'])\\s?(?:wi-?fi|wlan))(?: [\\p{L}-]{2,16}){0,3} ?: ([\\p{Ll}]{2,14}(?: [\\p{L}]{2,14}){2,6})(?=[ \\t]{0,9}(?:\\r?\\n|$))|(?<![\\w-])(?:seed|seed words|mnemonic|recovery words)[:=] ((?:[a-z]{3,8} ){11}(?:(?:[a-z]{3,8} ){6}|(?:[a-z]{3,8} ){12})?[a-z]{3,8})(?![\\w-]))`,
    flags: 'iu',
    before: 60,
    reach: 460,
    accepts: isPhrase,
    samples: [
      'The passphrase ‘slow amber river otter’ worked.',
      'WLAN-Passwort im Keller: elf blaue Hunde',
      'Senha do Wi-Fi: dois gatos verdes',
    ],
    misses: [
      'The passphrase "is not set" was shown',
      'WLAN-Passwort im Keller: bitte nicht ändern',
      'the passphrase for this key',
    ],
  }),
  placed(GROUP, {
    ...SOURCE,
    id: 'password-of-words',
    what: 'password of words with a digit that a person asks to set: `set DB password = …`',
    basis: 'sentence',
    keywords: ['password = ', 'password: ', 'passwort = ', 'pw = '],
    pattern:
      '(?<=(?:set|change|make|use|reset|update|setze|ändere) (?:the |our |my |das |)(?:[\\w-]{1,16} ){0,2})(?:password|passwort|pw) ?[=:] ([A-Z][a-z]{2,14}(?: [A-Z][a-z]{1,14}){1,3} \\d{1,4})(?=[.!]?[ \\t]{0,9}(?:\\r?\\n|$))',
    before: 60,
    reach: 140,
    samples: ['pls set DB password = {=Heron Gable 6}\nthen restart it'],
    misses: ['set the password: See Section 4 of the manual', 'set password: Go To Step'],
  }),
];
