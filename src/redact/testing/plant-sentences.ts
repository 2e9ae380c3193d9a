// Forms of code, commands and sentences in which a secret may stand.

import { BARE, base64, type Form, inDouble, inSingle, json, NO_QUOTES, pick, title } from './drawing.ts';

export const CODE_FORMS: Readonly<Record<string, Form>> = {
  'variable of C++': { isKeyed: true, write: ({ camel: name }, value) => `std::string ${name}("${inDouble(value)}");` },
  'pairs of a map in Java': {
    isKeyed: true,
    write: ({ camel: name }, value) => `Map.of("user", "ann", "${name}", "${inDouble(value)}")`,
  },
  'pair of Kotlin': { isKeyed: true, write: ({ camel: name }, value) => `mapOf("${name}" to "${inDouble(value)}")` },
  'let of RSpec': { isKeyed: true, write: ({ snake }, value) => `let(:${snake}) { '${inSingle(value)}' }` },
  'attribute of Elixir': { isKeyed: true, write: ({ snake }, value) => `  @${snake} "${inDouble(value)}"` },
  'environment of Perl': { isKeyed: true, write: ({ upper }, value) => `$ENV{${upper}} = '${inSingle(value)}';` },
  'declaration of SQL': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: ({ pascal }, value) => `DECLARE @${pascal} NVARCHAR(50) = '${value}';`,
  },
  'default of Spring': {
    isKeyed: true,
    takes: /^[^"\\{}$]+$/,
    write: ({ kebab }, value) => `@Value("\${app.${kebab}:${value}}")`,
  },
  'literal on the next line': {
    isKeyed: true,
    write: ({ camel: name }, value) => `const ${name} =\n  '${inSingle(value)}';`,
  },
  'Lua long brackets': {
    isKeyed: true,
    takes: /^[^\]\\]+$/,
    write: ({ snake }, value) => `local ${snake} = [[${value}]]`,
  },
  'Rust raw string': {
    isKeyed: true,
    takes: /^[^"\\]+$/,
    write: ({ snake }, value) => `let ${snake} = r#"${value}"#;`,
  },
  'brackets on the next line': {
    isKeyed: true,
    write: ({ upper }, value) => `${upper} = (\n    "${inDouble(value)}"\n)\n`,
  },
  'Clojure map': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: ({ kebab }, value) => `{:db {:user "ann" :${kebab} "${value}"}}`,
  },
  'TypeScript const': {
    isKeyed: true,
    write: ({ camel: name }, value) => `export const ${name}: string = '${inSingle(value)}';`,
  },
  'Rust const': {
    isKeyed: true,
    write: ({ upper }, value) => `pub const ${upper}: &'static str = "${inDouble(value)}";`,
  },
  'Go const': { isKeyed: true, write: ({ camel: name }, value) => `const ${name} string = "${inDouble(value)}"` },
  'Go short': { isKeyed: true, takes: /^[^`]+$/, write: ({ camel: name }, value) => `\t${name} := \`${value}\`` },
  'Java field': {
    isKeyed: true,
    write: ({ upper }, value) => `private static final String ${upper} = "${inDouble(value)}";`,
  },
  'Java setter': { isKeyed: true, write: ({ pascal }, value) => `dataSource.set${pascal}("${inDouble(value)}");` },
  'C define': { isKeyed: true, write: ({ upper }, value) => `#define ${upper} "${inDouble(value)}"` },
  'Python default': {
    isKeyed: true,
    write: ({ upper, snake }, value) => `${snake} = os.getenv('${upper}', '${inSingle(value)}')`,
  },
  'Python environ': { isKeyed: true, write: ({ upper }, value) => `os.environ["${upper}"] = "${inDouble(value)}"` },
  'Python keyword': {
    isKeyed: true,
    write: ({ snake }, value) => `conn = connect(host="db1", user="ann", ${snake}="${inDouble(value)}")`,
  },
  'Python f-string': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: ({ snake }, value) => `print(f"${snake}=${value.replaceAll(/[{}]/g, '')}")`.replace(/\$\{/, '{'),
  },
  'Python typed': {
    isKeyed: true,
    write: ({ snake }, value) => `class Settings:\n    ${snake}: str = Field(default="${inDouble(value)}")\n`,
  },
  'JS default': {
    isKeyed: true,
    write: ({ camel: name, upper }, value, random) =>
      `const ${name} = process.env.${upper} ${pick(random, ['||', '??'])} '${inSingle(value)}';`,
  },
  'JS object': {
    isKeyed: true,
    write: ({ camel: name }, value) => `new Client({ host: 'db1', ${name}: "${inDouble(value)}", port: 1 })`,
  },
  'JS setter': { isKeyed: true, write: ({ camel: name }, value) => `config.set('${name}', '${inSingle(value)}');` },
  'PHP define': { isKeyed: true, write: ({ upper }, value) => `define('${upper}', '${inSingle(value)}');` },
  'PHP array': { isKeyed: true, write: ({ snake }, value) => `return [\n  '${snake}' => '${inSingle(value)}',\n];` },
  'PHP env default': {
    isKeyed: true,
    write: ({ snake, upper }, value) => `'${snake}' => env('${upper}', '${inSingle(value)}'),`,
  },
  'Ruby hash': { isKeyed: true, write: ({ snake }, value) => `client = Client.new(:${snake} => "${inDouble(value)}")` },
  'Ruby fetch': { isKeyed: true, write: ({ upper }, value) => `ENV.fetch("${upper}", "${inDouble(value)}")` },
  'C# property': {
    isKeyed: true,
    write: ({ pascal }, value) => `public string ${pascal} { get; set; } = "${inDouble(value)}";`,
  },
  'Kotlin val': {
    isKeyed: true,
    write: ({ camel: name }, value) => `private val ${name}: String = "${inDouble(value)}"`,
  },
  'Swift let': { isKeyed: true, write: ({ camel: name }, value) => `static let ${name} = "${inDouble(value)}"` },
  Terraform: {
    isKeyed: true,
    write: ({ snake }, value) => `resource "x" "y" {\n  ${snake.padEnd(20)} = "${inDouble(value)}"\n}`,
  },
  'Terraform variable': {
    isKeyed: true,
    write: ({ snake }, value) => `variable "${snake}" {\n  type    = string\n  default = "${inDouble(value)}"\n}`,
  },
  'Terraform state': {
    isKeyed: true,
    write: ({ snake }, value) => json({ outputs: { [snake]: { value, type: 'string', sensitive: true } } }, null, 2),
  },
  'diff line': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: ({ snake }, value) => `@@ -1,2 +1,2 @@\n host: db1\n-${snake}: "old"\n+${snake}: "${value}"\n`,
  },
  'numbered lines': {
    isKeyed: true,
    takes: /^[^\s#'"]+$/,
    write: ({ upper }, value) => `     1→MODE=prod\n     2→${upper}=${value}\n     3→PORT=1\n`,
  },
  'grep line': { isKeyed: true, takes: /^[^\s#'"]+$/, write: ({ upper }, value) => `.env:4:${upper}=${value}\n` },
  'escaped log': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: ({ snake }, value) => `time=2026-11-18 level=info msg="login" ${snake}="${value}" user=ann`,
  },
  'log object': {
    isKeyed: true,
    write: ({ camel: name }, value) => `[debug] config { host: 'db1', ${name}: '${inSingle(value)}' }`,
  },
  'Python dict': {
    isKeyed: true,
    takes: /^[^'\\]+$/,
    write: ({ snake }, value) => `{'host': 'db1', '${snake}': '${value}', 'port': 1}`,
  },
  'Laravel key': {
    isKeyed: true,
    takes: /^[\w+/=]{40,}$/,
    write: (_name, value) => `APP_NAME=x\nAPP_KEY=base64:${value}\nAPP_DEBUG=1\n`,
  },
  'redis conf': {
    isKeyed: true,
    takes: BARE,
    write: (_name, value, random) => `bind 0.0.0.0\n${pick(random, ['requirepass', 'masterauth'])} ${value}\n`,
  },
};

export const COMMAND_FORMS: Readonly<Record<string, Form>> = {
  'sudo -S': { takes: BARE, write: (_name, value) => `echo ${value} | sudo -S apt-get update` },
  'sudo -S, quoted': { takes: NO_QUOTES, write: (_name, value) => `echo '${value}' | sudo -S systemctl restart x` },
  'docker login': { takes: NO_QUOTES, write: (_name, value) => `docker login -u ann -p '${value}' registry.internal` },
  'docker login stdin': {
    takes: NO_QUOTES,
    write: (_name, value) => `echo "${value}" | docker login --username ann --password-stdin registry.internal`,
  },
  sqlplus: { takes: /^[\w.!#-]+$/, write: (_name, value) => `sqlplus scott/${value}@//db1:1521/orcl` },
  keytool: {
    takes: BARE,
    write: (_name, value, random) =>
      `keytool -genkeypair -alias x -${pick(random, ['storepass', 'keypass'])} ${value} -keystore k.jks`,
  },
  'mysql -p': { takes: BARE, write: (_name, value) => `mysql -h db1 -u root -p${value} app` },
  sshpass: { takes: NO_QUOTES, write: (_name, value) => `sshpass -p '${value}' ssh root@db1` },
  chpasswd: { takes: BARE, write: (_name, value) => `echo "ann:${value}" | chpasswd` },
  'net user': { takes: BARE, write: (_name, value) => `net user ann ${value} /add` },
  'gh secret': { takes: NO_QUOTES, write: ({ upper }, value) => `gh secret set ${upper} --body '${value}'` },
  'aws configure': { takes: BARE, write: (_name, value) => `aws configure set aws_secret_access_key ${value}` },
  'npm config': {
    takes: /^[\w.-]{20,}$/,
    write: (_name, value) => `npm config set //registry.internal/:_authToken ${value}`,
  },
  'git remote': {
    takes: /^[\w-]{16,}$/,
    write: (_name, value) => `git remote add origin https://oauth2:${value}@git.internal/a/b.git`,
  },
  'git extraheader': {
    write: (_name, value) => `git -c http.extraheader="AUTHORIZATION: basic ${base64(`x:${value}`)}" fetch`,
  },
  'openssl -k': { takes: BARE, write: (_name, value) => `openssl enc -aes-256-cbc -in a -out b -k ${value}` },
  'gpg passphrase': { takes: BARE, write: (_name, value) => `gpg --batch --passphrase ${value} -c a.txt` },
  netrc: { takes: /^\S+$/, write: (_name, value) => `machine api.internal\n  login ann\n  password ${value}\n` },
  pgpass: { takes: /^[^\s:\\'"`]+$/, write: (_name, value) => `db1.internal:5432:app:ann:${value}\n` },
  PGPASSWORD: { isKeyed: true, takes: BARE, write: (_name, value) => `PGPASSWORD=${value} psql -h db1 -U ann app` },
  'wifi conf': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: (_name, value) => `network={\n  ssid="home"\n  psk="${value}"\n}`,
  },
  htpasswd: { takes: BARE, write: (_name, value) => `htpasswd -bB .htpasswd ann ${value}` },
  'connection string': {
    isKeyed: true,
    takes: /^[^;"'{}\s]+$/,
    write: (_name, value) => `Server=db1;Database=app;User Id=sa;Password=${value};Encrypt=true`,
  },
  'Azure storage': {
    isKeyed: true,
    takes: /^[\w+/]{42}={1,2}$/,
    write: (_name, value) =>
      `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${value};EndpointSuffix=core.windows.net`,
  },
  'libpq DSN': {
    isKeyed: true,
    takes: /^[\w.!@#-]+$/,
    write: (_name, value) => `host=db1 user=ann password=${value} dbname=app sslmode=require`,
  },
  'webdav prompt': {
    isKeyed: true,
    takes: /^\S+$/,
    write: ({ words }, value) => `Enter ${words}: ${value}\nWelcome, ann.\n`,
  },
  'expect script': { isKeyed: true, takes: BARE, write: (_name, value) => `expect "Password:"\nsend "${value}\\r"\n` },
  'answer of a tool': {
    isKeyed: true,
    takes: /^\S+$/,
    write: ({ words }, value) => `Created user ann.\n${title(words)}: ${value}\nChange it soon.\n`,
  },
  'use as': {
    isProse: true,
    takes: NO_QUOTES,
    write: (_name, value, random) =>
      `Please use ${pick(random, ['`', '', '"', "'"])}X${''} as the ${pick(random, ['admin', 'root', 'database', 'initial'])} password.`.replace(
        /(.)X|X/,
        (_, q: string) => (q && q !== ' ' ? `${q}${value}${q}` : ` ${value}`),
      ),
  },
  'changed to': {
    isProse: true,
    takes: NO_QUOTES,
    write: (_name, value, random) =>
      `I ${pick(random, ['changed', 'set', 'reset', 'updated'])} the ${pick(random, ['', 'admin ', 'database '])}password to ${value}.`,
  },
  'password is': {
    isProse: true,
    takes: NO_QUOTES,
    write: ({ words }, value) => `The ${words} is ${value}, please do not share it.`,
  },
  'log in with': {
    isProse: true,
    takes: NO_QUOTES,
    write: (_name, value) => `Log in as admin with the password ${value} and look.`,
  },
  'user / password': {
    isProse: true,
    takes: /^[^\s'"`/]+$/,
    write: (_name, value) => `The staging credentials are admin / ${value} until Friday.`,
  },
  'here is the': { isProse: true, takes: NO_QUOTES, write: ({ words }, value) => `here's the ${words}: ${value}` },
  German: {
    isProse: true,
    takes: NO_QUOTES,
    write: (_name, value, random) =>
      pick(random, [
        `Das Passwort lautet ${value}.`,
        `Passwort: ${value}`,
        `Das neue Kennwort ist „${value}“.`,
        `Nimm ${value} als Passwort für den Admin.`,
        `Der API-Schlüssel ist ${value}.`,
        `Ich habe das Passwort auf ${value} geändert.`,
        `Zugangsdaten: admin / ${value}`,
      ]),
  },
  French: {
    isProse: true,
    takes: NO_QUOTES,
    write: (_name, value, random) =>
      pick(random, [
        `Le mot de passe est ${value}.`,
        `Mot de passe : ${value}`,
        `Utilise ${value} comme mot de passe.`,
        `La clé API est « ${value} ».`,
        `J'ai changé le mot de passe en ${value}.`,
        `Le jeton d'accès : ${value}`,
      ]),
  },
  Spanish: {
    isProse: true,
    takes: NO_QUOTES,
    write: (_name, value, random) =>
      pick(random, [
        `La contraseña es ${value}.`,
        `Contraseña: ${value}`,
        `Usa ${value} como contraseña del administrador.`,
        `La clave de API es ${value}.`,
        `He cambiado la contraseña a ${value}.`,
        `El token de acceso es ${value}`,
      ]),
  },
  Portuguese: {
    isProse: true,
    takes: NO_QUOTES,
    write: (_name, value, random) =>
      pick(random, [
        `A senha é ${value}.`,
        `Senha: ${value}`,
        `Use ${value} como senha do banco.`,
        `A chave de API é ${value}.`,
        `Mudei a senha para ${value}.`,
        `A palavra-passe é ${value}.`,
      ]),
  },
  Chinese: {
    isProse: true,
    takes: /^[^\s'"`\\$]+$/,
    write: (_name, value, random) =>
      pick(random, [
        `密码是${value}`,
        `密码：${value}`,
        `数据库密码为 ${value}。`,
        `请用 ${value} 作为管理员密码`,
        `API密钥是 ${value}`,
        `密钥：${value}`,
        `口令: ${value}`,
        `我把密码改成了 ${value}。`,
      ]),
  },
  Japanese: {
    isProse: true,
    takes: /^[^\s'"`\\$]+$/,
    write: (_name, value, random) =>
      pick(random, [
        `パスワードは${value}です。`,
        `パスワード：${value}`,
        `管理者のパスワードを ${value} に変更しました。`,
        `APIキーは ${value} です`,
        `トークンは「${value}」です。`,
        `${value} をパスワードとして使ってください。`,
        `暗証番号は ${value}`,
      ]),
  },
};
