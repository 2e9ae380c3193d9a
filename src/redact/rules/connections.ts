import { hasDigitAndLetter, placed, type SecretRule, shaped, UUID } from '../rule.ts';
import { isReference, isStandIn } from '../value-looks.ts';

const GROUP = 'connections';
const BY_PLACE = 'by name and place';
const SOURCE = { source: 'troupe: forms in its own tests', date: '2026-11-20' } as const;

const isValue = (secret: string): boolean => !isReference(secret) && !isStandIn(secret);

export const CONNECTION_RULES: readonly SecretRule[] = [
  placed(GROUP, {
    id: 'url-password',
    what: 'password in a URL: postgres, mysql, mongodb, redis, amqp, ftp, https and any other scheme',
    source: 'RFC 3986 (user information of a URI)',
    date: '2026-11-19',
    keywords: ['://'],
    pattern: ":\\/\\/[^\\s:@/\"'<>`]{0,200}:((?:[^\\s@/\"'<>`]|'(?![,;)\\]}+:.])){1,300})@(?=[\\w.\\[$%{-])",
    isWrapped: true,
    accepts: (secret) => !isUrlStandIn(secret) && secret !== 'x-oauth-basic',
    samples: [
      'psql postgres://app:{=hunter2}@db.example/app',
      'redis://:{=hunter2}@localhost',
      'mongodb+srv://u:{=p%40ss}@h',
      'amqp://guest:{=gu3st!}@mq:5672',
    ],
    misses: [
      'https://user@example.com:443/path',
      'https://$USER:$PASS@host',
      'http://user:password@host',
      'http://localhost:3000/@scope',
    ],
  }),
  placed(GROUP, {
    // Passwords with @ or / in them: the last @ before the host ends it.
    id: 'database-url',
    what: 'password with unusual characters in the URL of a database',
    source: 'RFC 3986 (user information of a URI)',
    date: '2026-11-19',
    keywords: [
      'postgres',
      'mysql',
      'mariadb',
      'mongodb',
      'redis',
      'amqp',
      'mssql',
      'sqlserver',
      'clickhouse',
      'cockroach',
      'oracle',
      'nats',
      'ldap',
      'smtp',
      'ftp:',
      'ssh:',
      'rsync:',
      'smb:',
      'dav',
      'mqtt',
    ],
    pattern:
      '(?:postgres(?:ql)?|mysql2?|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|oracle|nats|ldaps?|smtps?|[a-z]{0,4}s?ftps?|ftpe?s|ssh|rsync|smb|cifs|(?:web)?davs?|mqtts?)(?:\\+[a-z0-9_]{1,20})?:\\/\\/[^\\s:@/"\'<>`]{0,200}:([^\\s"\'<>`]{1,200})@[\\w.-]{1,200}(?::\\d{2,5})?(?:[/?,]|$|(?=[\\s"\'<>`)]))',
    accepts: (secret) => !isUrlStandIn(secret) && !secret.includes('://') && !/^\d{2,5}\//.test(secret),
    samples: ['postgres://app:{=h@nt/er2}@db.example/app', 'mysql+pymysql://root:{=a@b}@db:3306/x'],
    misses: ['postgres://localhost:5432/app@home'],
  }),
  placed(GROUP, {
    // Where a user's name may stand: tokens are longer than names, and have digits.
    id: 'url-token',
    what: 'token in the place of a user in a URL',
    source: 'RFC 3986 (user information of a URI)',
    date: '2026-11-19',
    keywords: ['://'],
    pattern: ':\\/\\/([\\w.~+=-]{16,300})@(?=[\\w.\\[-])',
    minEntropy: 3,
    accepts: (secret) => /\d/.test(secret) && !/^[a-z]+(?:[._-][a-z0-9]+)*$/.test(secret),
    samples: ['git clone https://{an:40}@github.com/o/r'],
    misses: ['https://firstname.lastname@bitbucket.org/team/repo.git'],
  }),
  shaped(GROUP, {
    id: 'github-url-token',
    what: 'token of GitHub in the place of a user',
    source: 'secretlint npm',
    date: '2026-11-19',
    keywords: [':x-oauth-basic@'],
    pattern: '://([^\\s:@/]{1,256}):x-oauth-basic@',
    before: 260,
    reach: 20,
    accepts: (secret) => !isReference(secret),
    samples: ['https://{hex:40}:x-oauth-basic@github.com/o/r'],
    misses: ['https://$TOKEN:x-oauth-basic@github.com/o/r'],
  }),
  placed(GROUP, {
    id: 'connection-string',
    what: 'password in a connection string (ODBC, ADO, JDBC, libpq)',
    source: 'kingfisher odbc',
    date: '2026-11-19',
    keywords: ['pwd=', 'password=', 'pass='],
    pattern:
      '(?:[;?&{]|\\b(?:user(?:name| id)?|uid|host|server|dbname|data source)\\s?=[^\\s;&"\']{1,100}[;&\\s])\\s{0,3}(?:pwd|password|pass)\\s{0,2}=\\s{0,2}(\\{[^}\\n]{1,100}\\}|[^\\s;&"\'`{}<>]{1,200})',
    flags: 'i',
    before: 140,
    reach: 260,
    accepts: (secret) => !isStandIn(secret) && !/^[:@?][A-Za-z_]*$|^[\w.]+[([]|^[A-Za-z_.]+[,)]*,$/.test(secret),
    samples: [
      'Server=x;User Id=sa;Password={=hunter2};Encrypt=yes',
      'Driver={ODBC Driver 17};Server=h;UID=sa;PWD={=S3cr3t!}',
      'jdbc:mysql://h/db?user=u&password={=hunter2}',
      'host=db user=app password={=hunter2} dbname=x',
    ],
    misses: ['a;password=$PW', '?user=x&password=', ';password=:password;'],
  }),
  placed(GROUP, {
    id: 'signed-url',
    what: 'signature or token in a URL',
    source: 'AWS and Azure documentation of signed URLs',
    date: '2026-11-19',
    keywords: ['sig=', '?key=', '&key=', 'signature=', '-token=', '_token=', 'access_token='],
    pattern:
      '[?&;](?:sig|key|signature|x-amz-signature|x-amz-security-token|x-goog-signature|access_token|auth_token|private_token|refresh_token|id_token)=([\\w%+/=.~-]{16,4000})',
    flags: 'i',
    before: 24,
    reach: 4100,
    accepts: (secret) => /\d/.test(secret) && /[A-Za-z]/.test(secret),
    samples: [
      'https://x.example/?sv=1&sig={b64:40}',
      'https://s3/x?X-Amz-Signature={hex:64}',
      'https://x/y?access_token={an:30}',
    ],
    misses: ['?sig=short', '?signature=the-signature-of-this-request'],
  }),
  placed(GROUP, {
    id: 'netrc',
    what: 'password in .netrc',
    source: 'kingfisher netrc',
    date: '2026-11-19',
    keywords: ['password'],
    pattern:
      '\\b(?:machine\\s{1,20}(?:[\\w-]{1,60}\\.[\\w.-]{1,200}|localhost)|(?:machine\\s{1,20}[\\w.-]{1,200}|default)\\s{1,20}login\\s{1,20}\\S{1,200})(?:\\s{1,20}login\\s{1,20}\\S{1,200})?\\s{1,20}password\\s{1,20}(\\S{1,300})',
    before: 500,
    reach: 400,
    accepts: (secret) => !isReference(secret) && !/^[a-z]*@[a-z.]*$/.test(secret),
    samples: ['machine api.example.com login me password {=hunter2}', 'machine api\n  login me\n  password {=hunter2}'],
    misses: ['machine learning password strength', 'default password policy'],
  }),
  placed(GROUP, {
    id: 'pgpass',
    what: 'line of .pgpass',
    source: 'PostgreSQL documentation of the password file',
    date: '2026-11-19',
    keywords: [':5432:', ':5433:', ':6432:', ':*:'],
    pattern:
      '(?<=^|\\n|[\\t→ "\'`])[\\w.*-]{1,100}:(?:543\\d|6432|\\*):[\\w*.-]{1,60}:[\\w*.-]{1,60}:([^\\s:"\'`]{3,100})(?=\\s|["\'`]|$)',
    before: 110,
    reach: 360,
    accepts: (secret) => !isStandIn(secret),
    samples: ['db.example:5432:app:me:{=hunter2}', '*:*:*:postgres:{=s3cret9}'],
    misses: ['localhost:5432:db', 'a:*:b'],
  }),
  placed(BY_PLACE, {
    ...SOURCE,
    id: 'mail-password',
    what: 'password of a mail relay behind its server and user, as Postfix keeps it',
    keywords: ['static:', ']:25', ']:465', ']:587', ']:2525'],
    pattern:
      '(?:\\bstatic:[^\\s:]{1,60}:|\\]:(?:25|465|587|2525)[ \\t]{1,20}[^\\s:]{1,80}:)([^\\s:]{4,200})(?=\\s|$)',
    accepts: (secret) => isValue(secret),
    samples: [
      'smtp_sasl_password_maps = static:relay:{=otter_81}',
      '[mx.example.com]:587 ann@example.com:{=Heron7slate}\n',
    ],
    misses: ['static:relay:$PW', '[mx.example.com]:587 ann@example.com\n', '[mx.example.com]:25 and more: than that'],
  }),
  placed(BY_PLACE, {
    ...SOURCE,
    id: 'stream-key',
    what: 'key of a stream behind the address of its server',
    keywords: ['rtmp://', 'rtmps://'],
    pattern: 'rtmps?://[^\\s"\'/]{3,200}/[\\w-]{1,40}/([\\w?=&.-]{8,200})',
    accepts: (secret) => hasDigitAndLetter(secret) && isValue(secret),
    samples: [
      'ffmpeg -i a.mp4 -f flv rtmp://live.example/app/{=live_63_uhmHnPQOUgmLQoZp}',
      'rtmps://x.example:443/live2/{=7cds-fk6l-jx80-68fs}',
    ],
    misses: ['rtmp://live.example/app', 'rtmp://live.example/app/$KEY'],
  }),
  placed(BY_PLACE, {
    ...SOURCE,
    id: 'passwd-line',
    what: 'password in a line of a list of users, as tools that crack passwords print it',
    keywords: [':/bin/', ':/sbin/', ':/usr/', '/nologin'],
    pattern: '(?<=^|\\n)[\\w.-]{1,40}:([^:\\s]{4,100}):\\d{1,10}:\\d{0,10}:[^:\\n]{0,80}:[^:\\n]{0,80}:/',
    before: 300,
    accepts: (secret) => isValue(secret) && !/^[!*$]/.test(secret),
    samples: ['\nroot:{=Lantern.Maple#65}:0:0::/root:/bin/sh\n'],
    misses: ['root:x:0:0:root:/root:/bin/bash', 'ann:*:1000:1000::/home/ann:/bin/sh'],
  }),
  placed(BY_PLACE, {
    ...SOURCE,
    id: 'protocol-login',
    what: 'password in a line of FTP, POP3, IMAP or Redis',
    keywords: ['user ', ' login ', '> auth ', 'auth default'],
    pattern:
      '(?:(?<=^|\\n)(?:[<>-]{1,3} )?USER [^\\n]{1,80}\\n(?:(?:[<>-]{1,3} )?[+\\d][^\\n]{0,120}\\n){0,2}(?:[<>-]{1,3} )?PASS ([^\\s]{4,200})|(?<=(?:^|\\n)(?:[CS<>]:? )?[\\w.]{1,8}) LOGIN [^\\s]{1,80} (?:"([^"\\n]{4,200})"|([^\\s"]{4,200}))|(?<=> )AUTH (?:[\\w.-]{1,40} )?([^\\s]{6,200}))(?=[ \\t]{0,9}(?:\\r?\\n|$))',
    before: 4,
    reach: 700,
    accepts: (secret) => isValue(secret) && /[\d\W_]/.test(secret),
    samples: [
      '\nUSER ann\n331 Password required\nPASS {=IvoryCanyon492}\n',
      '\na1 LOGIN ann@x.example "{=Ember>509}"\n',
      'redis> AUTH default {=lantern_95}\n',
    ],
    misses: ['PASS src/login.test.ts\n', 'a1 OK LOGIN completed\n', '> AUTH LOGIN\n'],
  }),
  placed(BY_PLACE, {
    ...SOURCE,
    id: 'secret-id',
    what: 'secret of a pair of two ids, beside the one that is open: of Consul, Nomad and Vault',
    keywords: ['secret_id', 'secretid', 'secret id'],
    pattern: `secret[_ ]?id["']?\\s{0,20}[:=\\s]\\s{0,20}["']?(${UUID})`,
    flags: 'i',
    samples: [
      'SecretID:       {=7f0433e8-c75e-4741-92bf-99d360344bfa}',
      'Secret ID    = {=df497e82-8b61-4c5f-9614-b72df694e582}',
    ],
    misses: ['AccessorID:       fb4cbc75-2f82-45e2-ad6b-a819afb0fd13', '--secret-id prod/db-2024'],
  }),
  placed(BY_PLACE, {
    ...SOURCE,
    id: 'shown-secret',
    what: 'password that a program shows after it has made, reset or been asked for it',
    keywords: [
      'password is generated',
      'new value:',
      'key content',
      'generated password',
      'temporary password',
      'initial password',
      'one-time password',
    ],
    pattern:
      '(?:(?:password|secret|token)[^\\n]{0,80}\\n(?:[^\\n]{0,80}\\n)?\\s{0,8}New value:|Key Content\\s{0,16}:|(?:generated|temporary|initial|one-time) password(?: is generated)?(?: for [\\w@.%-]{1,60})?(?: is)?:)[ \\t]{1,4}([^\\s]{4,200})',
    flags: 'i',
    before: 200,
    reach: 400,
    accepts: (secret) => isValue(secret) && /[^A-Za-z.,]/.test(secret),
    samples: [
      'Password for the [elastic] user successfully reset.\nNew value: {=ppaG9+Egz2Ej6-hDhTYr}\n',
      '    Key Content            : {=opal1954}\n',
    ],
    misses: ['Key Content            : $KEY', 'New value: 17'],
  }),
];

/** `user:password@host` and `a:b@host` in documentation, and regular expressions for URLs. */
function isUrlStandIn(secret: string): boolean {
  return isStandIn(secret) || /^[A-Za-z]{1,3}$|\||^\(|\(\?|\w\(\)/.test(secret);
}
