// Ordinary sessions, in which nothing is secret though much is said about secrets: in ten languages, with what tools print.

import { between, HEX, json, many, pick, type Random } from './drawing.ts';

/** Sentences of a person and an agent; `%f` a file, `%n` a number, `%h` a hash, `%v` a version, `%i` an identifier. */
const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  English: [
    'The login form checks the password in %f and returns a token after %n ms.',
    'I read %f: the API key comes from the environment, so nothing has to change.',
    'Commit %h moves the secret store to %i; tests for the user account pass in %v.',
    'The password must have at least %n characters and one digit.',
    'Please rename %i to %i, and keep the access token out of the log.',
  ],
  German: [
    'Das Passwort wird in %f geprüft, danach gibt %i ein Token zurück.',
    'Der Schlüssel steht in der Umgebung; Version %v braucht ihn nicht mehr.',
    'Nach %n Fehlversuchen sperrt die Anmeldung das Konto (siehe %f).',
    'Commit %h benennt %i um. Das Kennwort muss mindestens %n Zeichen haben.',
  ],
  French: [
    'Le mot de passe est vérifié dans %f, puis %i renvoie un jeton.',
    'La clé vient de l’environnement : rien à changer depuis la version %v.',
    'Après %n essais, le compte est bloqué. Voir le commit %h.',
    'Le mot de passe doit contenir au moins %n caractères.',
  ],
  Spanish: [
    'La contraseña se comprueba en %f y luego %i devuelve un token.',
    'La clave viene del entorno; la versión %v ya no la necesita.',
    'Tras %n intentos la cuenta se bloquea (commit %h).',
    'La contraseña debe tener al menos %n caracteres.',
  ],
  Portuguese: [
    'A senha é verificada em %f e depois %i devolve um token.',
    'A chave vem do ambiente; a versão %v não precisa dela.',
    'Depois de %n tentativas a conta é bloqueada (commit %h).',
    'A senha precisa ter pelo menos %n caracteres.',
  ],
  Italian: [
    'La password è controllata in %f, poi %i restituisce un token.',
    'La chiave viene dall’ambiente; la versione %v non la usa più.',
    'Dopo %n tentativi l’account viene bloccato (commit %h).',
    'La password deve avere almeno %n caratteri.',
  ],
  Russian: [
    'Пароль проверяется в %f, затем %i возвращает токен.',
    'Ключ берётся из окружения; версия %v его не требует.',
    'После %n попыток учётная запись блокируется (коммит %h).',
    'Пароль должен быть не короче %n символов.',
  ],
  Chinese: [
    '密码在 %f 中校验，然后 %i 返回令牌。',
    '密钥来自环境变量，版本 %v 不再需要它。',
    '失败 %n 次后账号会被锁定（提交 %h）。',
    '密码至少需要 %n 个字符。',
  ],
  Japanese: [
    'パスワードは %f で検証され、%i がトークンを返します。',
    'キーは環境変数から読み込まれ、バージョン %v では不要です。',
    '%n 回失敗するとアカウントがロックされます（コミット %h）。',
    'パスワードは %n 文字以上必要です。',
  ],
  Korean: [
    '비밀번호는 %f 에서 확인하고 %i 가 토큰을 돌려줍니다.',
    '키는 환경 변수에서 읽으며 버전 %v 에서는 필요 없습니다.',
    '%n 번 실패하면 계정이 잠깁니다 (커밋 %h).',
    '비밀번호는 %n 자 이상이어야 합니다.',
  ],
};

export const LANGUAGES: readonly string[] = Object.keys(SENTENCES);

/** What tools print and files hold. */
const OUTPUTS: readonly string[] = [
  '$ git log --oneline -3\n%h fix(auth): refresh the token before it expires\n%h feat(login): add a password field\n%h chore: bump %i to %v',
  'import { createToken, verifyPassword } from "./%i";\n\nexport async function login(user: string, password: string): Promise<Token> {\n  const account = await accounts.find(user);\n  if (!(await verifyPassword(password, account.passwordHash))) throw new AuthError(401);\n  return createToken(account.id, { expiresIn: %n });\n}',
  'def %i(request):\n    token = request.headers.get("X-Auth-Token")\n    if not token:\n        return Response(status=401)\n    key = f"user:{request.user.id}:v%n"\n    return cache.get(key)',
  'func (s *Server) %i(ctx context.Context, req *pb.LoginRequest) (*pb.Token, error) {\n\tif req.Password == "" {\n\t\treturn nil, status.Errorf(codes.InvalidArgument, "password is required")\n\t}\n\treturn s.tokens.Create(ctx, req.User)\n}',
  'let key = Key::from_env("%i")?;\nlet token = session.token().await.context("no token for user account")?;\nassert_eq!(token.len(), %n);',
  'public class %i {\n    private final TokenService tokenService;\n    private static final int PASSWORD_LENGTH = %n;\n    Token authenticate(Credentials credentials) { return tokenService.issue(credentials.getUser()); }\n}',
  'services:\n  api:\n    image: registry.example/api:%v\n    environment:\n      DB_PASSWORD: ${DB_PASSWORD}\n      API_TOKEN_FILE: /run/secrets/api_token\n    ports: ["%n:80"]',
  '[2026-11-19T10:%n:02Z] INFO  auth: user 42 logged in from 10.0.0.%n (session %u)\n[2026-11-19T10:%n:03Z] WARN  auth: token expired for account 7, request %u',
  'added %n packages, and audited %n packages in 4s\n\nfound 0 vulnerabilities\nnpm notice integrity: sha512-%b==\nnpm notice shasum: %h%h',
  'diff --git a/%f b/%f\nindex %h..%h 100644\n--- a/%f\n+++ b/%f\n@@ -%n,7 +%n,7 @@\n-  const key = cacheKey(user, "%v");\n+  const key = cacheKey(account, "%v");',
  '| user | role | key id | last login |\n|---|---|---|---|\n| ann | admin | %i | 2026-11-%n |\n| bob | user | %i | 2026-10-%n |',
  '{"id":"msg_%h","type":"tool_use","name":"Read","input":{"file_path":"/srv/app/%f"},"usage":{"input_tokens":%n,"output_tokens":%n}}',
  'CREATE TABLE users (\n  id serial PRIMARY KEY,\n  password_hash text NOT NULL,\n  token_expires_at timestamptz,\n  api_key_id uuid REFERENCES api_keys (id)\n);',
  '<form action="/login" method="post">\n  <label for="password">Password</label>\n  <input id="password" name="password" type="password" autocomplete="current-password" minlength="%n">\n</form>',
  '.token.keyword { color: #%x; }\n.login-form .password-field { width: %npx; }\n',
  ' ✓ src/auth/%i.test.ts (%n tests) %nms\n ✗ src/login/%i.test.ts > rejects a wrong password\n   AssertionError: expected 200 to be 401',
];

const STEMS = 'session account user token login key password billing order cache schema report queue'.split(' ');
const TAILS = 'Service Controller Store Factory Handler Repository V2 Client64 Sha256 OAuth2Flow'.split(' ');

const HOLES: Readonly<Record<string, (random: Random) => string>> = {
  f: (random) => `src/${pick(random, STEMS)}/${pick(random, STEMS)}-${pick(random, STEMS)}${between(random, 2, 9)}.ts`,
  n: (random) => String(between(random, 10, 59)),
  h: (random) => `${many(random, HEX, 6)}${between(random, 1, 9)}`,
  v: (random) => `${between(random, 1, 20)}.${between(random, 0, 40)}.${between(random, 0, 9)}`,
  i: (random) =>
    `${pick(random, STEMS)}${pick(random, STEMS).replace(/^./, (one) => one.toUpperCase())}${pick(random, TAILS)}`,
  u: (random) => [8, 4, 4, 4, 12].map((length) => many(random, HEX, length)).join('-'),
  b: (random) => many(random, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 86),
  x: (random) => many(random, HEX, 6),
};

/** Texts of a session, in order. `length`: about how many characters. */
export function drawSession(random: Random, language: string, length: number): readonly string[] {
  const texts: string[] = [];
  const fill = (text: string): string =>
    text.replace(/%([fnhviubx])/g, (_, hole: string) => HOLES[hole]?.(random) ?? '');
  for (let size = 0; size < length; ) {
    const said = Array.from({ length: between(random, 1, 4) }, () => fill(pick(random, SENTENCES[language] ?? [])));
    const printed = fill(pick(random, OUTPUTS));
    const text = pick(random, [
      said.join(' '),
      printed,
      `${said.join('\n')}\n\n\`\`\`\n${printed}\n\`\`\``,
      json({ text: printed }),
    ]);
    texts.push(text);
    size += text.length;
  }
  return texts;
}
