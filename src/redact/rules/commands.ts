import { decodeBase64 } from '../disguises.ts';
import { placed, type SecretRule } from '../rule.ts';
import { COMMAND_SPACE, isReference, isStandIn, looksSecret, QUOTED, SECRET_WORD } from '../value-looks.ts';

const GROUP = 'by name and place';
/** A word of a command that is a secret, in quotes or not. */
const ARGUMENT = `(?:"([^"\\n]{1,200})"|'([^'\\n]{1,200})'|["']?([^\\s"';|&)\`]{1,200}))`;
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
  '(?:sqlcmd|bcp|mosquitto_pub|mosquitto_sub)\\b[^\\n;|&]{0,200}?\\s-P\\s{1,3}',
];
/** Up to the secret. */
const SECRET_COMMANDS = [
  'sqlplus(?:\\s{1,3}-\\w{1,8}){0,4}\\s{1,3}[\\w$#]{1,40}/(?=[^\\s@]{3,100}@)(?:(?=([^\\s@]{3,100})@))',
  'net user\\s{1,3}[\\w.-]{1,40}\\s{1,3}(?!/)',
  '(?:gh|glab)\\s{1,3}(?:secret|variable)\\s{1,3}set\\b[^\\n;|&]{0,200}?\\s(?:--body|--value|-[bv])(?:[\\s=]{1,3}|(?=["\']))',
  'ssh-keygen\\b[^\\n;|&]{0,200}?\\s-[NP]\\s{0,3}(?!\'\'|"")',
  'openssl\\s{1,3}(?:enc|aes-\\w{1,12}|aria-\\w{1,12}|des3|cms|smime|pkcs12)\\b[^\\n;|&]{0,200}?\\s-(?:k|K|passout pass:|passin pass:)\\s{0,3}',
  'ldap\\w{1,20}\\b[^\\n;|&]{0,200}?\\s-w\\s{0,3}',
  '(?:smbclient|rpcclient|smbmap|smbget|net rpc)\\b[^\\n;|&]{0,200}?\\s-U\\s{0,3}["\']?[\\w.\\/-]{1,60}%',
  '(?:xfreerdp3?|wlfreerdp|rdesktop|mstsc)\\b[^\\n;|&]{0,200}?\\s(?:/p:|-p\\s{0,3})',
  '(?:cqlsh|ipmitool|sqlcmd|twine|evil-winrm|crackmapexec|nxc|psexec(?:\\.exe)?)\\b[^\\n;|&]{0,200}?\\s-[pP]\\s{1,3}',
  '(?:snmp(?:walk|get|set|bulkwalk|table|status))\\b[^\\n;|&]{0,200}?\\s-[AX]\\s{1,3}',
  '--password-stdin\\s{0,3}<<<\\s{0,3}',
  'rclone\\s{1,3}obscure\\s{1,3}',
  'vault\\s{1,3}login\\s{1,3}(?:-\\S{1,60}\\s{1,3}){0,4}(?:token=)?(?!-)',
  '(?:useradd|usermod)\\b[^\\n;|&]{0,200}?\\s-p\\s{1,3}',
  '(?:expdp|impdp|rman\\s{1,3}target)\\s{1,3}\\w{1,40}/',
  'send(?:\\s{1,3}--)?\\s{1,3}(?<=(?:assword|assphrase|asscode|oken):?[^\\n]{0,12}["\'}]?(?:\\s{0,3}[{\\n]\\s{0,8}|\\s{1,3})send(?:\\s{1,3}--)?\\s{1,3})(?=["\'])',
  'chpasswd\\s{0,3}<<<\\s{0,3}["\']?[\\w.-]{1,40}:',
  'kinit\\b[^\\n;|&]{0,80}<<<\\s{0,3}',
  'cmdkey\\b[^\\n]{0,200}?/pass:',
  'wpa_passphrase\\s{1,3}(?:"[^"\\n]{1,40}"|\'[^\'\\n]{1,40}\'|\\S{1,40})\\s{1,3}',
  'nmcli\\b[^\\n;|&]{0,200}?\\spassword\\s{1,3}',
];
const isArgument = (secret: string): boolean => !isReference(secret) && !secret.startsWith('-');

export const COMMAND_RULES: readonly SecretRule[] = [
  placed(GROUP, {
    id: 'command-option',
    what: 'option of a command: --password, --token, --api-key and the like',
    keywords: [
      '-pass',
      '-pwd',
      '-secret',
      '-token',
      '-api',
      '-access',
      '-private',
      '-auth',
      '-sign',
      '-encr',
      '-cred',
      '-pat',
      '-db',
      '-client',
    ],
    pattern: `(?<![\\w-])--?(?:[a-z]{1,20}-){0,2}(?:${SECRET_WORD}|pass|pat)(?:=|${COMMAND_SPACE})(?:${QUOTED}|([^\\s"'\`;|&)\\\\,]{1,400}))`,
    flags: 'i',
    before: 45,
    reach: 500,
    accepts: (secret) => isArgument(secret) && (looksSecret(secret, true) || (/\d/.test(secret) && /\s/.test(secret))),
    samples: [
      'deploy --password {=hunter2} now',
      "tool --api-key='{an:20}' x",
      'vault -token={=hunter2}',
      'x --db-password "{=hunter2}"',
      'deploy --password \\\n  {=hunter2}',
    ],
    misses: [
      'docker login --password-stdin',
      'use --token to say which',
      '--password PASSWORD',
      '--token <token>',
      'npm run build -- --pass',
    ],
  }),
  placed(GROUP, {
    id: 'command-password',
    what: 'password of mysql, sqlcmd, sshpass, docker login, redis-cli, mongo, mosquitto, htpasswd, zip or 7z',
    keywords: [
      'mysql',
      'mariadb',
      'sshpass',
      'docker',
      'podman',
      'helm',
      'buildah',
      'skopeo',
      'az ',
      'oc ',
      'redis-cli',
      'mongo',
      'htpasswd',
      'sqlcmd',
      'bcp',
      'mosquitto_',
      'zip',
      '7z',
    ],
    pattern: `(?<![\\w.-])(?:${PASSWORD_OPTIONS.join('|')})${ARGUMENT}`,
    flags: '',
    before: 2,
    reach: 900,
    accepts: (secret) => isArgument(secret) && !isStandIn(secret),
    samples: [
      'mysql -u root -p{=hunter2} db',
      'sshpass -p {=hunter2} ssh x',
      "sshpass -p '{=two words}' ssh x",
      'docker login -u me -p {=hunter2}',
      'zip -r -P {=hunter2} a.zip src',
      '7z a -p{=hunter2} a.7z src',
      'redis-cli -h x -a {=hunter2}',
      'sqlcmd -S x -U sa -P {=hunter2}',
    ],
    misses: [
      'mkdir -p build && ssh -p 22 host && docker run -p 8080:80 x',
      'zip -r out.zip . && gzip -9 x && unzip -p a.zip b.txt',
      'mysql -u root -p db',
    ],
  }),
  placed(GROUP, {
    id: 'user-and-password',
    what: 'user and password of curl, wget, httpie, smbclient or lftp',
    keywords: ['curl', 'wget', 'http', 'xh', 'smbclient', 'lftp'],
    pattern:
      '\\b(?:curl|wget|smbclient|lftp|(?:https?|xh)(?=\\s))\\b[^\\n;|&]{0,400}?\\s(?:-u|-U|--user|--proxy-user|-a|--auth)(?:\\s{1,3}|=)?["\']?[^\\s:"\'`\\\\]{1,200}:([^\\s"\'`\\\\]{1,200})',
    before: 1,
    reach: 900,
    accepts: (secret) => !isStandIn(secret) && !secret.startsWith('//') && !/^\d{2,5}(?:[/:]|$)/.test(secret),
    samples: ['curl -s -u admin:{=hunter2} https://x.example', "curl --user 'me:{=hunter2}' https://x"],
    misses: ['curl -u "$USER:$PASS" https://x', 'curl -u user:password https://x'],
  }),
  placed(GROUP, {
    id: 'openssl-password',
    what: 'password of openssl',
    keywords: ['pass:'],
    pattern: `(?<![\\w-])--?pass(?:in|out|word|wd)?${COMMAND_SPACE}["']?pass:${ARGUMENT}`,
    before: 24,
    reach: 260,
    accepts: (secret) => !isStandIn(secret),
    samples: ['openssl rsa -in k.pem -passin pass:{=hunter2}', "openssl enc -pass 'pass:{=hunter2}' -in x"],
    misses: ['openssl rsa -passin env:PW -passout file:pw.txt'],
  }),
  placed(GROUP, {
    // What a config map is made of is no secret.
    id: 'from-literal',
    what: 'literal of a Kubernetes secret',
    keywords: ['--from-literal'],
    pattern: `(?<!configmap(?:[^\\n;|&]|\\\\\\r?\\n){0,300})--from-literal(?:=|${COMMAND_SPACE})["']?[\\w.-]{1,100}=${ARGUMENT}`,
    accepts: (secret) => !isReference(secret),
    samples: [
      'kubectl create secret generic x --from-literal=pw={=hunter2}',
      "kubectl create secret generic x --from-literal=pw='{=two words}'",
    ],
    misses: ['kubectl create configmap x --from-literal=mode=development --from-literal=b=c'],
  }),
  placed(GROUP, {
    id: 'piped-password',
    what: 'password that a command is given on its input: echo … | sudo -S',
    keywords: ['echo ', 'printf ', 'echo\t'],
    pattern: `(?:echo|printf)\\s{1,3}(?:-\\w{1,3}\\s{1,3}){0,2}(?:'%s(?:\\n)?'\\s{1,3}|"%s(?:\\n)?"\\s{1,3})?(?:"([^"\\n]{3,200})"|'([^'\\n]{3,200})'|([^\\s"'|;&<>]{3,200}))\\s{0,3}\\|\\s{0,3}(?:[\\w./ -]{0,80}\\s)?(?:sudo\\s[^|;\\n]{0,40}-\\w{0,3}S|(?:docker|podman|helm|oras|crane|skopeo|buildah|nerdctl|az|gh|npm|op|vault|flyctl|fly|wrangler|heroku|aws|gcloud|kubectl|pass|cryptsetup|gpg2?|kinit|passwd|smbpasswd|restic|borg|psql|mysql|ssh-add|openssl|keepassxc-cli|bw|doctl|huggingface-cli|hf|twine|snap|su|htpasswd|rclone|age|ansible-vault)\\b[^|;\\n]{0,120}?(?:stdin|password|passphrase|login|secret|insert|kinit|passwd|with-token|luks|variable set|-pass|\\bput\\b)|(?:sudo )?chpasswd)`,
    reach: 600,
    accepts: (secret) => !isReference(secret) && !isStandIn(secret) && !/^(?:y|yes|no|n)$|^[\w.-]+:$/i.test(secret),
    samples: [
      'echo {=Walrus-88-Fig} | sudo -S apt-get update',
      'echo "{=two words}" | docker login --username ann --password-stdin r.internal',
      "printf '%s' '{=hunter2!}' | gh auth login --with-token",
      'echo "ann:{=Maple1983!}" | chpasswd',
    ],
    misses: ['echo $PW | sudo -S ls', 'echo hello | grep password', 'echo y | sudo apt install x'],
  }),
  placed(GROUP, {
    id: 'command-secret',
    what: 'secret in its place among the words of a command: sqlplus, net user, gh secret, keytool, ldapsearch and the like',
    keywords: [
      'sqlplus',
      'net user',
      'snmp',
      'password-stdin',
      'secret set',
      'ssh-keygen',
      'openssl',
      'ldap',
      'smbclient',
      'rpcclient',
      'xfreerdp',
      '/p:',
      'cqlsh',
      'ipmitool',
      'rclone',
      'vault login',
      'passwd',
      'chpasswd',
      'send ',
      'secrets put',
      'useradd',
      'usermod',
      'sshpass',
      'expdp',
      'impdp',
      'rman',
      'vncpasswd',
      'cryptsetup',
      'kinit',
      'twine',
      'psexec',
      'evil-winrm',
      'crackmapexec',
      'nxc ',
      'vault kv put',
      'secretsmanager',
      'cmdkey',
      'runas',
      'wpa_passphrase',
      'nmcli',
    ],
    pattern: `(?<![\\w.-])(?:${SECRET_COMMANDS.join('|')})${ARGUMENT}`,
    flags: '',
    before: 12,
    reach: 700,
    accepts: (secret) =>
      isArgument(secret) &&
      !isStandIn(secret) &&
      secret.length >= 4 &&
      secret !== '/add' &&
      !/^(?:\*|\/\w+|@.*)$/.test(secret),
    samples: [
      'sqlplus scott/{=Walrus-88-Fig}@//db1:1521/orcl',
      'net user ann {=Maple1983!} /add',
      "gh secret set API --body '{=two words 7}'",
      "ssh-keygen -t rsa -N '{=Maple1983!}' -f k",
      'openssl enc -aes-256-cbc -in a -out b -k {=hunter2}',
      'ldapsearch -x -D cn=admin -w {=hunter2!} -b dc=x',
      'smbclient //srv/share -U ann%{=hunter2!}',
    ],
    misses: [
      'sqlplus /nolog',
      'net user ann /delete',
      'openssl x509 -in a.pem',
      "ssh-keygen -t ed25519 -N '' -f k",
      'gh secret set API --body "$TOKEN"',
    ],
  }),
  placed(GROUP, {
    id: 'credentials-call',
    what: 'password or key in its place among the arguments of a call: Credentials(user, password), jwt.sign(data, key)',
    keywords: [
      'credential(',
      'credentials(',
      'basicauth(',
      'digestauth(',
      'getconnection(',
      'auth=(',
      '.auth(',
      'login(',
      'jwt.sign(',
      'jwt.verify(',
      'jwt.encode(',
      'jwt.decode(',
      'createhmac(',
      'hmac.new(',
      'cookieparser(',
      'verify_password(',
    ],
    pattern:
      '(?:(?:credentials?|basicauth|digestauth|getconnection|auth=|\\.auth|login)\\((?:[^()\\n"\']{0,60},)?\\s{0,4}["\'][\\w.@+-]{1,60}["\'],\\s{0,4}|jwt\\.(?:sign|verify|encode|decode)\\([^()\\n"\']{1,80},\\s{0,4}|createhmac\\(\\s{0,4}["\'][\\w-]{1,20}["\'],\\s{0,4}|(?:hmac\\.new|cookieparser|verify_password)\\(\\s{0,4})b?(?:"([^"\\n]{4,200})"|\'([^\'\\n]{4,200})\')',
    flags: 'i',
    reach: 480,
    accepts: (secret) => looksSecret(secret, true),
    samples: [
      'new NetworkCredential("ann", "{=hunter2}")',
      "auth=('ann', '{=S3cr3t!pw}')",
      "jwt.sign(payload, '{=hunter2x}')",
      'hmac.new(b"{=S3cr3t!pw}", text)',
    ],
    misses: ['login("ann", "password")', "jwt.sign(payload, process.env['KEY'])", "createHmac('sha256', key)"],
  }),
  placed(GROUP, {
    id: 'typed-password',
    what: 'what a test of a page types into a field for a password',
    keywords: ['.fill(', '.type(', 'send_keys(', 'sendkeys(', 'setvalue('],
    pattern:
      '(?:password|passwd|pwd|passcode|token|secret)["\'\\]]{1,4}\\s{0,3}\\)\\s{0,3}\\.(?:fill|type|send_?keys|setvalue)\\(\\s{0,3}(?:"([^"\\n]{4,200})"|\'([^\'\\n]{4,200})\')',
    flags: 'i',
    before: 30,
    reach: 260,
    accepts: (secret) => looksSecret(secret, true),
    samples: ["page.getByLabel('Password').fill('{=S3cr3t!pw}')", 'find("password").send_keys("{=hunter2x}")'],
    misses: ["page.getByLabel('Password').fill('password')", "page.getByLabel('Name').fill('hunter2')"],
  }),
  placed(GROUP, {
    id: 'sql-password',
    what: 'password in a statement for a database: IDENTIFIED BY, SET PASSWORD, ENCRYPTED PASSWORD',
    keywords: ['identified', 'password', 'pgp_sym_', 'aes_encrypt', 'dblink', 'crypt('],
    pattern: `(?:identified\\s{1,3}(?:with\\s{1,3}['"]?\\w{1,60}['"]?\\s{1,3})?(?:by|as)\\s{1,3}(?:password\\s{1,3}|values\\s{1,3})?|(?<=(?:role|user|login|encrypted|with|set)\\s[^;\\n]{0,120})password\\s{0,3}(?:for\\s{1,3}['"\\w@%\`.-]{1,80}\\s{0,3})?=?\\s{0,3}(?:password\\s{0,2})?\\(?\\s{0,2}|(?<!\\w)crypt\\(\\s{0,3}(?=[^\\n]{1,300}gen_salt)|(?:pgp_sym_(?:en|de)crypt|aes_(?:en|de)crypt)\\([^()\\n]{1,80},\\s{0,3})(?:N?'((?:[^'\\n]|''){3,300})'|(?<=(?:user|to|role|login)\\s[^\\n"]{1,80}identified[^\\n"]{0,60})"([^"\\n]{3,300})"|"([^"\\n]{3,300})"(?=\\s{0,3};)|(?<=by\\s{1,3})([^\\s;'"\`<>]{4,100})(?=;))`,
    flags: 'i',
    reach: 520,
    accepts: (secret) => !isReference(secret) && !isStandIn(secret),
    samples: [
      "CREATE USER 'app'@'%' IDENTIFIED BY '{=Walrus 88 Fig}';",
      "ALTER USER 'root'@'localhost' IDENTIFIED WITH mysql_native_password BY '{=hunter2}';",
      "ALTER ROLE app WITH LOGIN ENCRYPTED PASSWORD '{=sunshinewillow}';",
      "SET PASSWORD FOR 'ann'@'%' = PASSWORD('{=hunter2!}');",
    ],
    misses: ["identified by 'password'", 'users are identified by name', "CREATE USER x IDENTIFIED BY '$PW'"],
  }),
];

/** Tokens have digits or capitals in the middle; the words behind «bearer» in a sentence have neither. */
const isNoWord = (secret: string): boolean => /[\d_=]/.test(secret) || /[a-z][A-Z]/.test(secret);

export const HEADER_RULES: readonly SecretRule[] = [
  placed(GROUP, {
    id: 'authorization-header',
    what: 'what an Authorization header carries',
    keywords: ['authorization'],
    pattern:
      '(?:proxy-)?authorization\\\\{0,3}["\'`]?(?:\\s{0,3}[:=,]\\s{0,3}|\\s{1,3}(?=["\'](?:bearer|basic|token)\\s))\\\\{0,3}["\'`]?(?:(?:bearer|token|basic|digest|apikey|negotiate|ssws|bot)\\s{1,3})?([^\\s"\'\\\\,`;<>()]{6,4000})',
    flags: 'i',
    accepts: (secret) =>
      !isStandIn(secret) &&
      !/^[\w.]+[([]|^\{|\$\{/.test(secret) &&
      (/\d/.test(secret) ||
        (secret.length >= 16 &&
          /[a-z][A-Z]/.test(secret) &&
          !/token|key|secret|access|code|header|value|grant|author/i.test(secret))),
    samples: [
      'curl -H "Authorization: Bearer {an:20}"',
      "{'Authorization': 'token {an:40}'}",
      '{"Authorization":"{an:20}"}',
      'Proxy-Authorization: Basic {b64:20}',
    ],
    misses: [
      'Authorization: Bearer $TOKEN',
      'authorization: required',
      'Authorization: Bearer <token>',
      'authorization: AuthorizationCodeGrant',
    ],
  }),
  placed(GROUP, {
    id: 'bearer-token',
    what: 'token behind the word Bearer',
    keywords: ['bearer'],
    pattern: 'bearer\\s{1,3}([\\w.~+/=-]{16,4000})',
    flags: 'i',
    accepts: (secret) =>
      !isStandIn(secret) &&
      (/\d/.test(secret)
        ? !/^[a-z]+(?:[-_.][a-z0-9]+){0,40}$/.test(secret) ||
          /(?<![a-z0-9])(?=[a-z]*\d[a-z]*\d)[a-z0-9]{10}/.test(secret)
        : /[a-z][A-Z]/.test(secret) && !/token|key|secret|access|auth|value/i.test(secret)),
    samples: ['bearer {an:30}', 'using Bearer cal_live_{=9f8e7d6c5b4a3f2e}'],
    misses: ['the bearer authentication_scheme_name', 'Bearer some-long-placeholder-token'],
  }),
  placed(GROUP, {
    id: 'basic-credentials',
    what: 'user and password in base64 behind the word Basic',
    keywords: ['basic'],
    pattern: '\\bbasic\\s{1,3}([A-Za-z0-9+/]{8,1000}={0,2})(?![\\w+/=])',
    flags: 'i',
    before: 1,
    accepts: (secret) => secret.length % 4 === 0 && isNoWord(secret) && decodesToPair(secret),
    samples: ['Basic {=dXNlcjpodW50ZXIyCg==}'],
    misses: ['Basic implementation of a basic authentication', 'basic usage12'],
  }),
  placed(GROUP, {
    id: 'cookie',
    what: 'cookies of a header',
    keywords: ['cookie:', 'cookie":', "cookie':", 'cookie\\":'],
    pattern: '(?:set-)?cookie\\\\{0,3}["\']?:\\s{0,3}\\\\{0,3}["\']?([\\w.%-]{1,80}=[^\\r\\n"\'\\\\]{6,4000})',
    flags: 'i',
    accepts: (secret) => /\d|[a-z][A-Z]/.test(secret) && !/^[\w.-]+=\s*[<{$]/.test(secret),
    samples: ['Cookie: sid={an:20}; theme=dark', 'Set-Cookie: session={w:40}; HttpOnly'],
    misses: ['Cookie: <cookie>', 'the cookie: a small text', 'cookie: name=value'],
  }),
  placed(GROUP, {
    id: 'session-cookie',
    what: 'session in a cookie, by its usual names',
    keywords: [
      'session=',
      'sessionid=',
      'session_id=',
      'session-token=',
      'session_token=',
      'sid=',
      'sessid=',
      'token=',
      '__secure-',
      '__host-',
    ],
    pattern:
      '(?<![\\w-])(?:_?[a-z]{0,20}_?session(?:_?id|-token|_token)?|connect\\.sid|phpsessid|jsessionid|asp\\.net_sessionid|laravel_session|sid|sessid|(?:x[_-])?[cx]srf[_-]?token|__secure-[\\w.-]{1,40}|__host-[\\w.-]{1,40}|remember_token)=([\\w%.+/:~-]{16,2000})',
    flags: 'i',
    before: 40,
    reach: 2100,
    minEntropy: 3,
    accepts: (secret) =>
      /\d/.test(secret) &&
      /[A-Za-z]/.test(secret) &&
      !/^(?:[a-z]+[._/-])+[a-z0-9]+$/i.test(secret) &&
      !/^[A-Za-z]+\d{0,3}$/.test(secret),
    samples: ['curl -b "session={an:32}" https://x', 'connect.sid=s%3A{an:32}.{an:40}', 'PHPSESSID={lo:26}'],
    misses: ['session=active', 'sid=12', 'const session=createSessionWithOptions1'],
  }),
  placed(GROUP, {
    id: 'key-header',
    what: 'header that carries a key: X-Api-Key, X-Auth-Token, PRIVATE-TOKEN and the like',
    keywords: ['x-', 'private-token', 'job-token', 'api-key:', 'apikey:', 'ocp-apim', 'deploy-token'],
    pattern:
      '(?<![\\w])(?:x-[a-z-]{0,30}(?:key|token|secret|auth)|private-token|job-token|deploy-token|api-?key|ocp-apim-subscription-key)\\\\{0,3}["\']?\\s{0,3}[:=]\\s{0,3}\\\\{0,3}["\']?([^\\s"\'\\\\,;<>(){}]{8,1000})',
    flags: 'i',
    minEntropy: 2.5,
    accepts: (secret) => !isReference(secret) && /\d/.test(secret) && /[A-Za-z]/.test(secret),
    samples: ['X-Api-Key: {an:32}', '-H "PRIVATE-TOKEN: {an:20}"', "'x-auth-token': '{an:24}'"],
    misses: ['X-Api-Key: <key>', 'x-token: string', 'x-key: required'],
  }),
];

/** Base64 of `user:password`. */
function decodesToPair(secret: string): boolean {
  const text = String.fromCharCode(...decodeBase64(secret.replace(/=+$/, '')));
  return /^[\x20-\x7e\n\r\x80-\xff]+$/.test(text) && text.includes(':');
}
