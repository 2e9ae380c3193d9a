import { describe, expect, it } from 'vitest';
import { createRedactor } from './create-redactor.ts';

function redact(text: string): string {
  const redactor = createRedactor();
  redactor.scan(text);
  return redactor.redactText(text);
}

/** Of each pair, the second is the secret in the first. */
const UNDER_A_KEY: readonly (readonly [string, string])[] = [
  ["environment {\n  SONAR_LOGIN = '3f50a548ebe40d5b3b4722973464a0f7f2133fb9'\n}", '3f50a548ebe40d5b'],
  [
    '  AdminPassword:\n    Type: String\n    Description: of the admin\n    NoEcho: true\n    Default: "Teal Otter 12"',
    'Teal Otter',
  ],
  ['  RedisAuthToken:\n    NoEcho: true\n    Default: Larch77Weir\n', 'Larch77Weir'],
  ['[{"ParameterKey":"DbPassword","ParameterValue":"Alder+Newt+8"}]', 'Alder+Newt+8'],
  ['{"Parameters":[{"Name":"/stage/api/secret","Type":"SecureString","Value":"Fox.Millet.44"}]}', 'Fox.Millet.44'],
  ['{"name":"__Host-session","value":"e7%3ABk2EjxCiQFrv","domain":"x.example"}', 'e7%3ABk2EjxCiQFrv'],
  ["  storePassword 'Gannet-Loft-3'\n", 'Gannet-Loft-3'],
  ['release { keyPassword "Gannet-Loft-4" }', 'Gannet-Loft-4'],
  ['<tr><th>Kennwort</th><td>Teal-Pine-9</td></tr>', 'Teal-Pine-9'],
  ['<dt>Password</dt><dd><kbd>Teal&lt;Pine9</kbd></dd>', 'Pine9'],
  ['#define SMTP_PASS "tawny.Reed"', 'tawny.Reed'],
  ['dbPassword := lo.CoalesceOrEmpty(os.Getenv("DB_PASSWORD"), "Thistle%Ember4")', 'Thistle%Ember4'],
  ['headers={"Authorization": f"Bearer {token or \'a1adbaadef42a643f3b39d5fd9d95da69276ef77\'}"}', 'a1adbaadef42'],
  ['INFO 71 --- [main] o.a.Loader : spring.datasource.password=Linnet(7)', 'Linnet(7)'],
];

const PRINTED: readonly (readonly [string, string])[] = [
  ['$ aws secretsmanager get-secret-value --secret-id x --query SecretString --output text\nOriole-Vane-6!', 'Oriole'],
  ['ann@box:~/app$ vault kv get -field=pw secret/app\nteal-Girder-11\n', 'teal-Girder'],
  ['$ op read op://vault/mail/password\nMagpie_Dune4', 'Magpie_Dune4'],
  ['% security find-generic-password -a ann -s mail -w\nwalnuteel', 'walnuteel'],
  ["$ kubectl -n web get secrets app -o jsonpath='{.data.x}' | base64 --decode\nCrake&Loam-2", 'Crake'],
  ['$ gh auth token\nTeal.Reed.31', 'Teal.Reed'],
  ['$ heroku config:get ADMIN_PW -a shop\nsunnybrook', 'sunnybrook'],
];

const LISTED: readonly (readonly [string, string])[] = [
  ['Recovery codes:\n- b1b2c-3d4e5\n- c6a7b-8c9d0\n', '8c9d0'],
  ['Backup codes\n\n    7831 2214\n    4520 9917\n', '4520'],
  ['$ docker exec db printenv POSTGRES_PASSWORD\nheronmud', 'heronmud'],
  ['$ cat /run/secrets/db\nHeron-Mud-6', 'Heron-Mud'],
  [' password \n----------\n heronmud7\n(1 row)', 'heronmud7'],
  ['le mot de passe root devient Loutre!Quai3', 'Loutre!Quai3'],
  ['when asked for a password answer Heron-Mud-7', 'Heron-Mud'],
];

const IN_COMMANDS: readonly (readonly [string, string])[] = [
  ['subprocess.run(["redis-cli", "-h", "db", "-a", "Merlin!ng-Fig7", "ping"])', 'Merlin!ng-Fig7'],
  ["spawn('mongodump', ['-u', 'root', '-p', 'Merlin$Dune6'])", 'Merlin$Dune6'],
  ['curl -fsSu bot:Larch:Wren:7 http://127.0.0.1:9200', 'Larch:Wren:7'],
  ['poetry config --local http-basic.corp bot Merlin-Brick-3', 'Merlin-Brick-3'],
  ['bundle config --global gems.corp.example bot:larchGrid71', 'larchGrid71'],
  ['restic -r s3:x backup --password-command "printf Merlin-Crane-31"', 'Merlin-Crane-31'],
  ["ansible-vault view --vault-password-file <(printf 'Rowan+Plover3') x.yml", 'Rowan+Plover3'],
  ['echo "::add-mask::Merlin31fig"', 'Merlin31fig'],
  ['curl -H "X-Thing: ${OTHER:-Q8fxyDCgm6Bt04rusakhIABqA7LnDq}"', 'Q8fxyDCgm6Bt'],
];

const TOLD: readonly (readonly [string, string])[] = [
  ['> The admin password is now:\n>\n> `osprey-Ink-4431`', 'osprey-Ink'],
  ['rotated it (`q_7752ef9d00f6e6c5722e2515657c` is the new **client secret**)', 'q_7752ef9d'],
  ['**Kibana** — login `root` / password `hub-Elm-Solar-23`', 'hub-Elm'],
  ['log in with ann@x.example and Merlin_Hoof7 as the password', 'Merlin_Hoof7'],
  ['bitte Milan!Turm4 als WLAN-Passwort eintragen', 'Milan!Turm4'],
  ['Passwort geändert → Erika_Rad_4', 'Erika_Rad_4'],
  ['Kennwort für den Drucker lautet Milan.Turm.77', 'Milan.Turm'],
  ['**Identifiant :** root\n**Mot de passe :** Merle.Sable.7', 'Merle.Sable'],
  ['Utilise Merle_Sable_8 comme mot de passe', 'Merle_Sable'],
  ['Contraseña provisional: `Halcon.Tren.9`', 'Halcon.Tren'],
  ['pon Halcon#Tren4 como contraseña del servidor', 'Halcon#Tren4'],
  ['A senha nova é Garça.Trem.4', '.Trem.4'],
  ['Senha temporária: Falcao.Trem.5', 'Falcao.Trem'],
  ['数据库密码已重置为 Maple!Wind5，请登录。', 'Maple!Wind5'],
  ['用 Tiger_Tea_7 作为管理员密码', 'Tiger_Tea'],
  ['管理者のパスワードには Sora.Umi.31 を使ってください', 'Sora.Umi'],
  ['비밀번호는 Bada.San.31 입니다', 'Bada.San'],
  ["[10:01] kim: what's the grafana password?\n[10:02] lee: Merlin-Tarn-8", 'Merlin-Tarn'],
  ['root / Merlin-Oven-71 on the old box', 'Merlin-Oven'],
  ['if it asks, type ops / Brant-Coil-4', 'Brant-Coil'],
  ['u: kim@x.example p: Merlin#Fork7', 'Merlin#Fork7'],
  ['The passphrase is ‘slow amber river otter’.', 'amber river'],
  ['WLAN-Passwort im Keller: elf blaue Hunde', 'blaue'],
  ['Your backup code is 2551 7734.', '2551'],
  ['Enter the setup key BLSZ 5MGP GHLF M3K7 by hand', 'BLSZ'],
  ["Password for 'https://kim@git.example': Merlin7fig\nok", 'Merlin7fig'],
];

describe.each(Object.entries({ UNDER_A_KEY, PRINTED, LISTED, IN_COMMANDS, TOLD }))('a secret %s', (_where, rows) => {
  it.each(rows)('is redacted in %j', (text, secret) => {
    expect(text).toContain(secret);
    const left = redact(text);
    expect(left).not.toContain(secret);
    expect(left).toContain('[redacted:');
  });
});

describe('what is no secret', () => {
  it.each([
    'DB_PASSWORD=\nDB_HOST=localhost',
    'DB_PASSWORD=\nDB_HOST=\n',
    'PASSWORD=${PASSWORD:?must be set}',
    'password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256',
    '{"password":"密码","confirmPassword":"确认密码","token":"令牌"}',
    'password: パスワード\npassword_confirmation: パスワード（確認）',
    'api_key: Chiave API\nsecret: Segreto',
    '"password" = "Wachtwoord";',
    'credJWT "git.example/plugins/auth-jwt"',
    'FIRST_PASS "Lower.Types"',
    '  DBPassword:\n    Type: String\n    NoEcho: true\n    Default: !Ref Other',
    '$ pass show work/mail\nError: work/mail is not in the password store.',
    '$ kubectl get secret app -o yaml\napiVersion: v1',
    '["docker", "run", "-p", "8080:80", "-w", "/app"]',
    'the token limit of Claude-Opus-4 is high',
    'the password field is in Login-Form.tsx since Node-20',
    'use Argon2 as the password hash',
    'nimm OAuth2 als Vorlage für das Token',
    'admin / moderator / guest',
    'the passphrase "is not set" was shown',
    'WLAN-Passwort im Keller: bitte nicht ändern',
    'PIN 13 is an output, exit code: 1234',
    '密码是必填项，长度 8-64',
    'password for this key is required (RFC-7519)',
  ])('is left alone in %j', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('what only two texts together tell', () => {
  const results = (...pairs: readonly (readonly [string, string])[]) => ({
    session_id: 's',
    messages: pairs.map(([command, text], at) => ({
      id: `m${at}`,
      role: 'assistant' as const,
      timestamp: null,
      model: null,
      content: [
        { type: 'tool_use' as const, tool_use_id: `t${at}`, name: 'Bash', input: { command }, summary: null },
        { type: 'tool_result' as const, tool_use_id: `t${at}`, text, is_error: false },
      ],
    })),
  });
  function exported(talk: ReturnType<typeof results>): string {
    const redactor = createRedactor();
    redactor.learn(redactor.gather(talk).gathered);
    return JSON.stringify(redactor.redactValue(talk));
  }

  it('is redacted when a command prints nothing else', () => {
    expect(exported(results(['cd app && pass show work/mail', 'Plumage_Dock4471']))).not.toContain('Plumage_Dock');
    expect(exported(results(['vault kv get -field=x secret/app | tr -d "n"', 'Teal-Girder-88-fig\n']))).not.toContain(
      'Girder',
    );
    expect(exported(results(['ls -1 src', 'Plumage_Dock4471']))).toContain('Plumage_Dock');
  });

  it.each([
    ["yq '.auth.token' values.yaml", 'fromage_lantern_60'],
    ['grep DB_PASSWORD .env | cut -d= -f2', '361643d8fd823c7c38abaa655bbe52a5c410173c'],
    ["docker compose exec db sh -c 'echo $POSTGRES_PASSWORD'", 'badger_biscuit_12'],
    [
      "python3 -c 'import secrets; print(secrets.token_hex(32))'",
      'ebbf06598b603b67b5cb721fbe907a2e66a29470a8ec605b358aa96f',
    ],
    ['kubectl -n x get secret y -o jsonpath="{.data.password}" | base64 -d; echo', 'QUGXDraNlZ5RTdAmGo4zkfvH'],
  ])('is redacted when the words of the command tell: %s', (command, value) => {
    expect(exported(results([command, value]))).not.toContain(value);
    expect(redact(`$ ${command}\n${value}\n`)).not.toContain(value);
  });

  it.each([
    ['sha256sum password.txt | cut -d" " -f1', '5a8f00465d8b4451b0990fb0bd6934df5a8f00465d8b4451b0990fb0bd6934df'],
    ['git log -1 --format=%H -- src/token.ts', 'ef753b0689de6c061bd5c04fccbd273ebcd4bc5e'],
    ['npx vitest run src/password.test.ts | tail -1', 'Duration-7s-ok-12'],
    ["kubectl get secret db -o jsonpath='{.metadata.uid}'", 'd2c1fdb8-4a39-4a59-9fd0-0a6b4a3c2a11'],
    ['cat src/token.ts | head -1', 'export-const-Token7'],
  ])('stays when the command tells about it only: %s', (command, value) => {
    expect(exported(results([command, value]))).toContain(value);
  });

  it('is redacted when it answers a question in the message before', () => {
    const said = (id: string, role: 'user' | 'assistant', text: string) => ({
      ...{ id, role, timestamp: null, model: null },
      content: [{ type: 'text' as const, text }],
    });
    const talk = {
      session_id: 's',
      messages: [said('a', 'assistant', 'What was the ftp password again?'), said('b', 'user', "it's canyon_maple_26")],
    };
    const redactor = createRedactor();
    redactor.learn(redactor.gather(talk).gathered);
    expect(JSON.stringify(redactor.redactValue(talk))).not.toContain('canyon_maple');
  });

  it('is redacted when a token is cut between two results', () => {
    const left = exported(
      results(['tail -c 40 a', 'uploading with ghp_QZ6DRplUeB8MTn'], ['head -c 40 b', '1NjSTZ8tZ2nShmbMjvxogg\ndone']),
    );
    expect(left).not.toMatch(/QZ6DRplUeB8MTn|1NjSTZ8tZ2nShmbMjvxogg/);
    const apart = exported(results(['ls', 'all done'], ['git rev-parse x', '1NjSTZ8tZ2nShmbMjvxogg']));
    expect(apart).toContain('1NjSTZ8tZ2nShmbMjvxogg');
  });
});
