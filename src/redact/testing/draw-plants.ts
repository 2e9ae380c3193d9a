// Secrets in the forms that agents' sessions have them in. Written without the rules: nothing here comes from the engine.

/** One secret in one text. */
export interface Plant {
  /** Which form it has, and which look: for reports. */
  readonly form: string;
  readonly look: string;
  readonly secret: string;
  readonly text: string;
  /** Whether a structured format names it by a secret's key: nothing of that kind may get out. */
  readonly isKeyed: boolean;
}

type Random = () => number;

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const LETTERS = LOWER + LOWER.toUpperCase();
const ALNUM = LETTERS + DIGITS;
const HEX = `${DIGITS}abcdef`;

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const many = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
const between = (random: Random, low: number, high: number): number => low + Math.floor(random() * (high - low + 1));

const WORDS =
  'walrus fig marble comet harbor violet pickle thunder maple saturn copper biscuit lantern otter velvet cactus ember tundra mango raven quartz willow badger'.split(
    ' ',
  );
const title = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** How people and programs make passwords and tokens. */
const LOOKS: Readonly<Record<string, (random: Random) => string>> = {
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
  number: (random) => `${many(random, '123456789', 1)}${many(random, DIGITS, 9)}`,
};

const STEMS =
  'password passwd db_password admin_password smtp_pass db_pass user_pwd mysql_pw redis_pw api_key client_secret jwt_secret jwt_key hmac_key encryption_key signing_key access_token refresh_token auth_token private_key secret_key passphrase webhook_secret session_secret app_secret master_key bearer_token keystore_password account_key github_token bot_token secret_access_key service_account_key cookie_secret app_password license_key registry_auth_token ldap_bind_password'.split(
    ' ',
  );
const camel = (stem: string): string => stem.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export interface Name {
  readonly snake: string;
  readonly upper: string;
  readonly camel: string;
  readonly kebab: string;
  readonly pascal: string;
  readonly words: string;
}
const nameOf = (stem: string): Name => ({
  snake: stem,
  upper: stem.toUpperCase(),
  camel: camel(stem),
  kebab: stem.replaceAll('_', '-'),
  pascal: title(camel(stem)),
  words: stem.replaceAll('_', ' '),
});

interface Form {
  readonly write: (name: Name, value: string, random: Random) => string;
  /** Values that may stand there as they are. */
  readonly takes?: RegExp;
  readonly isKeyed?: boolean;
  /** Where nothing but the sentence says it: a value of letters alone is a word. */
  readonly isProse?: boolean;
}

const json = JSON.stringify;
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
const inDouble = (value: string): string => value.replace(/["\\]/g, '\\$&');
const inSingle = (value: string): string => value.replace(/['\\]/g, '\\$&');
const xml = (value: string): string =>
  value.replace(/[&<>"]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[mark] ?? mark);
/** Neither quoted nor with anything that a shell or YAML reads. */
const BARE = /^[\w.@%+/=~^!?*:-]+$/;
const NO_QUOTES = /^[^'"\\`$]+$/;

export const FORMS: Readonly<Record<string, Form>> = {
  'JSON field': { isKeyed: true, write: ({ snake }, value) => json({ host: 'db1', [snake]: value, port: 5432 }) },
  'JSON, indented': {
    isKeyed: true,
    write: ({ camel: name }, value) => json({ host: 'db1', auth: { user: 'ann', [name]: value } }, null, 2),
  },
  'JSON in a string': { isKeyed: true, write: ({ camel: name }, value) => json({ body: json({ [name]: value }) }) },
  'JSON twice in a string': {
    isKeyed: true,
    write: ({ snake }, value) => json({ a: json({ body: json({ [snake]: value, x: 1 }) }) }),
  },
  JSONL: { isKeyed: true, write: ({ snake }, value) => `${json({ id: 1 })}\n${json({ id: 2, [snake]: value })}\n` },
  'JSON, broken off': { isKeyed: true, write: ({ snake }, value) => `{"a": [1, 2, {"${snake}": ${json(value)}, "b` },
  JSON5: { isKeyed: true, write: ({ camel: name }, value) => `{\n  // local\n  ${name}: '${inSingle(value)}',\n}` },
  'name and value': { isKeyed: true, write: ({ upper }, value) => json([{ name: upper, value }]) },
  'key and value': {
    isKeyed: true,
    write: ({ snake }, value) => json({ items: [{ key: snake, value, type: 'text' }] }),
  },
  'MCP env': {
    isKeyed: true,
    write: ({ upper }, value) =>
      json({ mcpServers: { db: { command: 'npx', args: ['-y', 'db-mcp'], env: { [upper]: value } } } }, null, 2),
  },
  'MCP args': {
    isKeyed: true,
    write: ({ kebab }, value) =>
      json({ mcpServers: { db: { command: 'npx', args: ['-y', 'db-mcp', `--${kebab}`, value] } } }, null, 2),
  },
  'argument list': { isKeyed: true, write: ({ kebab }, value) => json(['deploy', `--${kebab}`, value, '--yes']) },
  'argument list, joined': {
    isKeyed: true,
    write: ({ kebab }, value) => json(['deploy', `--${kebab}=${value}`, '--yes']),
  },
  'Python subprocess': {
    isKeyed: true,
    write: ({ kebab }, value) => `subprocess.run(['deploy', '--${kebab}', '${inSingle(value)}'], check=True)`,
  },
  'YAML plain': {
    isKeyed: true,
    takes: /^[\w][\w.@%+/=~^!?*()[\]{}|;<>&-]*$/,
    write: ({ snake }, value) => `db:\n  host: db1\n  ${snake}: ${value}\n  port: 5432\n`,
  },
  'YAML plain with spaces': {
    isKeyed: true,
    takes: /^[a-z][\w ]+$/,
    write: ({ camel: name }, value) => `db:\n  ${name}: ${value}\n`,
  },
  'YAML single quotes': {
    isKeyed: true,
    write: ({ kebab }, value) => `${kebab}: '${value.replaceAll("'", "''")}'\nuser: ann\n`,
  },
  'YAML double quotes': {
    isKeyed: true,
    write: ({ camel: name }, value) => `app:\n  ${name}: "${inDouble(value)}" # local\n`,
  },
  'YAML block': {
    isKeyed: true,
    write: ({ snake }, value, random) =>
      `db:\n  ${snake}: ${pick(random, ['|', '>-', '|-', '|2'])}\n    ${value}\n  port: 1\n`,
  },
  'YAML anchor': { isKeyed: true, takes: BARE, write: ({ snake }, value) => `x:\n  ${snake}: &pw ${value}\ny: *pw\n` },
  'YAML tag': { isKeyed: true, takes: BARE, write: ({ snake }, value) => `x:\n  ${snake}: !!str ${value}\n` },
  'YAML list of env': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: ({ upper }, value) => `env:\n  - name: ${upper}\n    value: "${value}"\n  - name: MODE\n    value: x\n`,
  },
  'compose environment': {
    isKeyed: true,
    takes: BARE,
    write: ({ upper }, value) => `services:\n  db:\n    environment:\n      - ${upper}=${value}\n      - MODE=prod\n`,
  },
  'YAML flow map': {
    isKeyed: true,
    takes: /^[\w.@%+/=~^!?*-]+$/,
    write: ({ snake }, value) => `db: { host: db1, ${snake}: ${value}, port: 1 }\n`,
  },
  'k8s data': {
    isKeyed: true,
    takes: /^[\w+/=]{20,}$/,
    write: ({ snake }, value) => `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  ${snake}: ${value}\n`,
  },
  'k8s data of any key': {
    isKeyed: true,
    takes: /^[\w+/=]{20,}$/,
    write: (_name, value) => `apiVersion: v1\nkind: Secret\ndata:\n  username: YWRtaW4=\n  db.conf: ${value}\n`,
  },
  'k8s stringData': {
    isKeyed: true,
    takes: BARE,
    write: (_name, value) =>
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  connection: ${value}\ntype: Opaque\n`,
  },
  TOML: { isKeyed: true, write: ({ snake }, value) => `[db]\nhost = "db1"\n${snake} = "${inDouble(value)}"\n` },
  'TOML literal': { isKeyed: true, takes: /^[^']+$/, write: ({ kebab }, value) => `[db]\n${kebab} = '${value}'\n` },
  'TOML multi-line': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: ({ snake }, value) => `[db]\n${snake} = """\n${value}"""\n`,
  },
  INI: {
    isKeyed: true,
    takes: /^[^;#"']+$/,
    write: ({ snake }, value) => `[mysql]\nuser = ann\n${snake} = ${value}\n`,
  },
  '.env plain': {
    isKeyed: true,
    takes: /^[^\s#'"]+$/,
    write: ({ upper }, value) => `MODE=prod\n${upper}=${value}\nPORT=1\n`,
  },
  '.env double quotes': { isKeyed: true, write: ({ upper }, value) => `A=1\n${upper}="${inDouble(value)}"\n` },
  '.env single quotes': {
    isKeyed: true,
    takes: /^[^']+$/,
    write: ({ upper }, value) => `export ${upper}='${value}'\n`,
  },
  properties: {
    isKeyed: true,
    takes: /^[^\\]+$/,
    write: ({ kebab }, value, random) =>
      `spring.datasource.url=jdbc:h2:mem\nspring.datasource.${kebab}${pick(random, ['=', ' = ', ': '])}${value}\n`,
  },
  'fish set': { isKeyed: true, takes: NO_QUOTES, write: ({ upper }, value) => `set -gx ${upper} '${value}'` },
  'csh setenv': { isKeyed: true, takes: BARE, write: ({ upper }, value) => `setenv ${upper} ${value}` },
  PowerShell: {
    isKeyed: true,
    takes: NO_QUOTES,
    write: ({ upper }, value) => `$env:${upper} = "${value}"\n./deploy.ps1`,
  },
  'cmd set': {
    isKeyed: true,
    takes: /^[^\s"&|<>^%]+$/,
    write: ({ upper }, value) => `set ${upper}=${value}\r\nstart.bat\r\n`,
  },
  'Dockerfile ENV': {
    isKeyed: true,
    takes: BARE,
    write: ({ upper }, value) => `FROM node\nENV ${upper} ${value}\nRUN x\n`,
  },
  'Dockerfile ENV with =': {
    isKeyed: true,
    takes: BARE,
    write: ({ upper }, value) => `FROM node\nENV MODE=x ${upper}=${value}\n`,
  },
  'Dockerfile ARG': { isKeyed: true, takes: BARE, write: ({ upper }, value) => `ARG ${upper}=${value}\n` },
  'command with variable': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: ({ upper }, value) => `${upper}='${value}' npm start`,
  },
  'docker run -e': {
    isKeyed: true,
    takes: BARE,
    write: ({ upper }, value) => `docker run --rm -e ${upper}=${value} -p 80:80 img`,
  },
  'shell default': {
    isKeyed: true,
    takes: /^[\w.@+=!-]+$/,
    write: ({ upper }, value) => `${upper}="\${${upper}:-${value}}"\n`,
  },
  option: {
    isKeyed: true,
    takes: NO_QUOTES,
    write: ({ kebab }, value) => `tool login --${kebab} '${value}' --host db1`,
  },
  'option with =': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: ({ kebab }, value) => `tool login --${kebab}="${value}" --host db1`,
  },
  'option, plain': {
    isKeyed: true,
    takes: BARE,
    write: ({ kebab }, value) => `tool login --${kebab} ${value} --host db1`,
  },
  XML: {
    isKeyed: true,
    write: ({ camel: name }, value) => `<settings>\n  <server><${name}>${xml(value)}</${name}></server>\n</settings>`,
  },
  'XML attribute': { isKeyed: true, write: ({ camel: name }, value) => `<add host="db1" ${name}="${xml(value)}" />` },
  'XML key and value': {
    isKeyed: true,
    write: ({ pascal }, value) => `<appSettings>\n  <add key="${pascal}" value="${xml(value)}" />\n</appSettings>`,
  },
  plist: {
    isKeyed: true,
    write: ({ pascal }, value) => `<dict>\n\t<key>${pascal}</key>\n\t<string>${xml(value)}</string>\n</dict>`,
  },
  'Android strings': {
    isKeyed: true,
    write: ({ snake }, value) => `<resources>\n  <string name="${snake}">${xml(value)}</string>\n</resources>`,
  },
  'XML property': {
    isKeyed: true,
    write: ({ camel: name }, value) => `<bean><property name="${name}" value="${xml(value)}"/></bean>`,
  },
  'XML CDATA': {
    isKeyed: true,
    takes: /^[^\]]+$/,
    write: ({ camel: name }, value) => `<${name}><![CDATA[${value}]]></${name}>`,
  },
  'URL user': {
    isKeyed: true,
    write: (_name, value) => `DATABASE=postgres://app:${encodeURIComponent(value)}@db1.internal:5432/app`,
  },
  'query string': {
    isKeyed: true,
    write: ({ snake }, value) =>
      `GET https://api.internal/v1/items?page=2&${snake}=${encodeURIComponent(value)}&sort=asc`,
  },
  'form body': {
    isKeyed: true,
    write: ({ snake }, value) =>
      `curl -X POST https://auth.internal/login -d 'user=ann&${snake}=${encodeURIComponent(value).replaceAll("'", '%27')}&remember=1'`,
  },
  'curl JSON body': {
    isKeyed: true,
    takes: /^[^']+$/,
    write: ({ camel: name }, value) =>
      `curl -X POST https://auth.internal/login -H 'content-type: application/json' -d '${json({ user: 'ann', [name]: value })}'`,
  },
  'curl user': { takes: /^[^\s'"\\`]+$/, write: (_name, value) => `curl -u 'ann:${value}' https://api.internal/v1` },
  header: {
    isKeyed: true,
    takes: /^[\w.@+/=~-]{8,}$/,
    write: ({ kebab }, value, random) =>
      `curl -H 'X-${kebab.split('-').map(title).join('-')}: ${value}' https://api.internal/${between(random, 1, 9)}`,
  },
  'Authorization Bearer': {
    isKeyed: true,
    takes: /^[\w.+/=-]{16,}$/,
    write: (_name, value) => `GET /v1 HTTP/1.1\r\nHost: api.internal\r\nAuthorization: Bearer ${value}\r\n\r\n`,
  },
  'Authorization Basic': {
    isKeyed: true,
    write: (_name, value) => `Authorization: Basic ${base64(`ann:${value}`)}`,
  },
  Cookie: {
    isKeyed: true,
    takes: /^[\w.-]{16,}$/,
    write: (_name, value) => `Cookie: theme=dark; session_id=${value}; lang=de`,
  },
  'SQL identified by': {
    isKeyed: true,
    takes: /^[^'\\]+$/,
    write: (_name, value) => `CREATE USER 'app'@'%' IDENTIFIED BY '${value}';`,
  },
  'SQL identified with': {
    isKeyed: true,
    takes: /^[^'\\]+$/,
    write: (_name, value) => `ALTER USER 'root'@'localhost' IDENTIFIED WITH mysql_native_password BY '${value}';`,
  },
  'SQL password': {
    isKeyed: true,
    takes: /^[^'\\]+$/,
    write: (_name, value, random) =>
      `${pick(random, ['ALTER', 'CREATE'])} ROLE app WITH LOGIN ${pick(random, ['', 'ENCRYPTED '])}PASSWORD '${value}';`,
  },
  'SQL set': {
    isKeyed: true,
    takes: /^[^'\\]+$/,
    write: ({ snake }, value) => `UPDATE users SET ${snake} = '${value}' WHERE id = 3;`,
  },
  'SQL insert': {
    isKeyed: true,
    takes: /^[^'\\]+$/,
    write: ({ snake }, value) => `INSERT INTO users (id, name, ${snake}) VALUES (3, 'ann', '${value}');`,
  },
  'CSV column': {
    isKeyed: true,
    takes: /^[^",\n]+$/,
    write: ({ snake }, value) => `id,user,${snake},role\n1,ann,${value},admin\n`,
  },
  'CSV column, quoted': {
    isKeyed: true,
    takes: /^[^"\n]+$/,
    write: ({ words }, value) => `"id","user","${words}"\n"1","ann","${value}"\n`,
  },
  'psql table': {
    isKeyed: true,
    takes: /^[^|\n]+$/,
    write: ({ snake }, value) => ` id | name | ${snake}\n----+------+----------\n  1 | ann  | ${value}\n(1 row)\n`,
  },
  'mysql table': {
    isKeyed: true,
    takes: /^[^|\n]+$/,
    write: ({ snake }, value) =>
      `+----+------+---------+\n| id | name | ${snake} |\n+----+------+---------+\n|  1 | ann  | ${value} |\n+----+------+---------+\n`,
  },
  'Markdown table, column': {
    isKeyed: true,
    takes: /^[^|`]+$/,
    write: ({ words }, value) => `| Service | User | ${title(words)} |\n|---|---|---|\n| db | ann | \`${value}\` |\n`,
  },
  'Markdown table, row': {
    isKeyed: true,
    takes: /^[^|`]+$/,
    write: ({ words }, value) => `| Setting | Value |\n|---|---|\n| Host | db1 |\n| ${title(words)} | ${value} |\n`,
  },
  'aligned columns': {
    isKeyed: true,
    takes: /^\S+$/,
    write: ({ upper }, value) => `NAME          ${upper.padEnd(24)}ROLE\nann           ${value.padEnd(24)}admin\n`,
  },
  'Markdown bold': {
    isKeyed: true,
    takes: /^[^`]+$/,
    write: ({ words }, value) => `Done. The login:\n\n**User:** ann\n**${title(words)}:** \`${value}\`\n`,
  },
  'Markdown list': {
    isKeyed: true,
    takes: /^[^`\s]+$/,
    write: ({ words }, value) => `- **User**: ann\n- **${title(words)}**: ${value}\n`,
  },
  'Markdown next line': {
    isKeyed: true,
    takes: /^[^`\s]+$/,
    write: ({ words }, value) => `**${title(words)}:**\n\n${value}\n\nKeep it safe.`,
  },
  'Markdown fence': {
    isKeyed: true,
    takes: /^[^`]+$/,
    write: ({ words }, value) => `Here is the new ${words}:\n\n\`\`\`\n${value}\n\`\`\`\n`,
  },
  'Markdown heading': {
    isKeyed: true,
    takes: /^[^`\s]+$/,
    write: ({ words }, value) => `### ${title(words)}\n\n\`${value}\`\n`,
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

/** Beginnings that vendors publish, and what follows them. */
const VENDORS: Readonly<Record<string, (random: Random) => string>> = {
  'GitHub classic': (random) => `ghp_${many(random, ALNUM, 36)}`,
  'GitHub fine': (random) => `github_pat_${many(random, ALNUM, 22)}_${many(random, ALNUM, 59)}`,
  ...Object.fromEntries(
    [
      'glpat-',
      'gldt-',
      'glrt-',
      'glft-',
      'glsoat-',
      'glimt-',
      'glagent-',
      'gloas-',
      'glptt-',
      'glcbt-',
      'glffct-',
      'glrtr-',
    ].map((start) => [
      `GitLab ${start}`,
      (random: Random) => start + many(random, ALNUM, start === 'glagent-' ? 50 : 20),
    ]),
  ),
  npm: (random) => `npm_${many(random, ALNUM, 36)}`,
  PyPI: (random) => `pypi-AgEIcHlwaS5vcmc${many(random, `${ALNUM}-_`, 120)}`,
  Docker: (random) => `dckr_${pick(random, ['pat', 'oat'])}_${many(random, ALNUM, 32)}`,
  'Hugging Face': (random) => `${pick(random, ['hf_', 'api_org_'])}${many(random, LETTERS, 34)}`,
  Databricks: (random) => `dapi${many(random, HEX, 32)}`,
  DigitalOcean: (random) => `${pick(random, ['dop_v1_', 'doo_v1_', 'dor_v1_'])}${many(random, HEX, 64)}`,
  Doppler: (random) => `dp.${pick(random, ['pt', 'ct', 'sa', 'scim', 'audit'])}.${many(random, ALNUM, 43)}`,
  Fly: (random) => `${pick(random, ['fo1_', 'fm2_'])}${many(random, `${ALNUM}_-`, 60)}`,
  Grafana: (random) => `glsa_${many(random, ALNUM, 32)}_${many(random, HEX, 8)}`,
  Vault: (random) => `${pick(random, ['hvs.', 'hvb.', 'hvr.'])}${many(random, ALNUM, 96)}`,
  Terraform: (random) => `${many(random, ALNUM, 14)}.atlasv1.${many(random, ALNUM, 64)}`,
  Linear: (random) => `lin_${pick(random, ['api', 'oauth'])}_${many(random, ALNUM, 40)}`,
  Notion: (random) =>
    pick(random, [`ntn_${many(random, DIGITS, 11)}${many(random, ALNUM, 35)}`, `secret_${many(random, ALNUM, 43)}`]),
  Netlify: (random) => `nf${pick(random, ['p', 'c', 'o', 'u'])}_${many(random, ALNUM, 36)}`,
  'New Relic': (random) => `NRAK-${many(random, LOWER.toUpperCase() + DIGITS, 27)}`,
  Pulumi: (random) => `pul-${many(random, HEX, 40)}`,
  Postman: (random) => `PMAK-${many(random, HEX, 24)}-${many(random, HEX, 34)}`,
  Render: (random) => `rnd_${many(random, ALNUM, 32)}`,
  Replicate: (random) => `r8_${many(random, ALNUM, 37)}`,
  Sentry: (random) => `sntryu_${many(random, HEX, 64)}`,
  Shopify: (random) => `${pick(random, ['shpat_', 'shpca_', 'shppa_', 'shpss_'])}${many(random, HEX, 32)}`,
  'Slack bot': (random) => `xoxb-${many(random, DIGITS, 12)}-${many(random, DIGITS, 12)}-${many(random, ALNUM, 24)}`,
  'Slack app': (random) =>
    `xapp-1-A${many(random, LOWER.toUpperCase() + DIGITS, 10)}-${many(random, DIGITS, 13)}-${many(random, HEX, 64)}`,
  'Slack config': (random) => `xoxe.xoxp-1-${many(random, ALNUM, 160)}`,
  'Slack config refresh': (random) => `xoxe-1-${many(random, ALNUM, 146)}`,
  'Slack cookie': (random) => `xoxd-${many(random, `${ALNUM}%`, 90)}`,
  'Slack web': (random) =>
    `xoxc-${many(random, DIGITS, 12)}-${many(random, DIGITS, 12)}-${many(random, DIGITS, 12)}-${many(random, HEX, 64)}`,
  'Slack hook': (random) =>
    `https://hooks.slack.com/${pick(random, ['services', 'workflows', 'triggers'])}/T${many(random, LOWER.toUpperCase() + DIGITS, 9)}/B${many(random, LOWER.toUpperCase() + DIGITS, 9)}/${many(random, ALNUM, 24)}`,
  Square: (random) =>
    pick(random, [
      `EAAA${many(random, `${ALNUM}-_`, 60)}`,
      `sq0csp-${many(random, `${ALNUM}-_`, 43)}`,
      `sq0atp-${many(random, `${ALNUM}-_`, 22)}`,
    ]),
  Stripe: (random) =>
    `${pick(random, ['sk_live_', 'rk_live_', 'sk_test_', 'whsec_', 'rk_test_'])}${many(random, ALNUM, 32)}`,
  Supabase: (random) => `sbp_${many(random, HEX, 40)}`,
  'Supabase secret': (random) => `sb_secret_${many(random, `${ALNUM}_-`, 31)}`,
  Tailscale: (random) =>
    `tskey-${pick(random, ['auth', 'api', 'client', 'scim', 'webhook'])}-k${many(random, ALNUM, 11)}CNTRL-${many(random, ALNUM, 32)}`,
  Telegram: (random) => `${many(random, '123456789', 10)}:AA${many(random, `${ALNUM}_-`, 33)}`,
  'Twilio key': (random) => `SK${many(random, HEX, 32)}`,
  Vercel: (random) => `vc${pick(random, ['p', 'i', 'a', 'r', 'k'])}_${many(random, ALNUM, 56)}`,
  Cloudflare: (random) => `v1.0-${many(random, HEX, 24)}-${many(random, HEX, 146)}`,
  'Cloudflare new': (random) => `${pick(random, ['cfut_', 'cfat_', 'cfk_'])}${many(random, ALNUM, 48)}`,
  Anthropic: (random) => `sk-ant-${pick(random, ['api03', 'admin01', 'oat01'])}-${many(random, `${ALNUM}_-`, 93)}AA`,
  OpenAI: (random) =>
    `sk-${pick(random, ['proj', 'svcacct', 'admin'])}-${many(random, ALNUM, 74)}T3BlbkFJ${many(random, ALNUM, 74)}`,
  Google: (random) => `AIza${many(random, `${ALNUM}_-`, 35)}`,
  'Google new': (random) => `AQ.${many(random, `${ALNUM}_-`, 50)}`,
  'Google secret': (random) => `GOCSPX-${many(random, `${ALNUM}_-`, 28)}`,
  Groq: (random) => `gsk_${many(random, ALNUM, 52)}`,
  xAI: (random) => `xai-${many(random, ALNUM, 80)}`,
  Perplexity: (random) => `pplx-${many(random, ALNUM, 48)}`,
  AWS: (random) => `${pick(random, ['AKIA', 'ASIA'])}${many(random, `${LOWER.toUpperCase()}234567`, 16)}`,
  'AWS Bedrock': (random) => `ABSK${many(random, `${ALNUM}+/`, 128)}`,
  'Azure secret': (random) => `${many(random, ALNUM, 3)}8Q~${many(random, `${ALNUM}_.~-`, 34)}`,
  Alibaba: (random) => `LTAI${many(random, ALNUM, 20)}`,
  Tencent: (random) => `AKID${many(random, ALNUM, 32)}`,
  Age: (random) => `AGE-SECRET-KEY-1${many(random, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`,
  '1Password': (random) => `ops_eyJ${many(random, ALNUM, 260)}`,
  '1Password key': (random) =>
    `A3-${many(random, LOWER.toUpperCase() + DIGITS, 6)}-${many(random, LOWER.toUpperCase() + DIGITS, 11)}-${[1, 2, 3].map(() => many(random, LOWER.toUpperCase() + DIGITS, 5)).join('-')}`,
  Atlassian: (random) => `ATATT3xFfGF0${many(random, `${ALNUM}_-`, 170)}=${many(random, '0123456789ABCDEF', 8)}`,
  Bitbucket: (random) => `ATBB${many(random, ALNUM, 32)}`,
  Figma: (random) => `figd_${many(random, `${ALNUM}_-`, 40)}`,
  Airtable: (random) => `pat${many(random, ALNUM, 14)}.${many(random, HEX, 64)}`,
  Asana: (random) => `2/${many(random, DIGITS, 16)}/${many(random, DIGITS, 16)}:${many(random, HEX, 32)}`,
  Discord: (random) => `M${many(random, ALNUM, 23)}.${many(random, ALNUM, 6)}.${many(random, `${ALNUM}_-`, 38)}`,
  'Discord hook': (random) =>
    `https://discord.com/api/webhooks/${many(random, DIGITS, 19)}/${many(random, `${ALNUM}_-`, 68)}`,
  Dropbox: (random) => `sl.${many(random, `${ALNUM}_-`, 140)}`,
  Facebook: (random) => `EAA${many(random, ALNUM, 180)}`,
  Mailgun: (random) => `key-${many(random, HEX, 32)}`,
  SendGrid: (random) => `SG.${many(random, ALNUM, 22)}.${many(random, `${ALNUM}_-`, 43)}`,
  Mailchimp: (random) => `${many(random, HEX, 32)}-us${between(random, 1, 21)}`,
  Brevo: (random) => `xkeysib-${many(random, HEX, 64)}-${many(random, ALNUM, 16)}`,
  Plaid: (random) => `access-${pick(random, ['sandbox', 'production'])}-${LOOKS['uuid']?.(random)}`,
  Typeform: (random) => `tfp_${many(random, `${ALNUM}_-`, 44)}_${many(random, ALNUM, 14)}`,
  Zapier: (random) =>
    `https://hooks.zapier.com/hooks/catch/${many(random, DIGITS, 8)}/${many(random, LOWER + DIGITS, 7)}/`,
  PlanetScale: (random) => `pscale_${pick(random, ['tkn', 'pw', 'oauth'])}_${many(random, `${ALNUM}_-`, 43)}`,
  RubyGems: (random) => `rubygems_${many(random, HEX, 48)}`,
  crates: (random) => `cio${many(random, ALNUM, 32)}`,
  NuGet: (random) => `oy2${many(random, LOWER + DIGITS, 43)}`,
  Artifactory: (random) => `AKCp${many(random, ALNUM, 69)}`,
  JFrog: (random) => `cmVmdGtuOjAxOj${many(random, ALNUM, 50)}`,
  Dynatrace: (random) =>
    `dt0c01.${many(random, `${LOWER.toUpperCase()}234567`, 24)}.${many(random, `${LOWER.toUpperCase()}234567`, 64)}`,
  Contentful: (random) => `CFPAT-${many(random, `${ALNUM}_-`, 43)}`,
  Resend: (random) => `re_${many(random, ALNUM, 8)}_${many(random, ALNUM, 24)}`,
  PostHog: (random) => `phx_${many(random, ALNUM, 43)}`,
  SonarQube: (random) => `squ_${many(random, HEX, 40)}`,
  EasyPost: (random) => `EZAK${many(random, ALNUM, 54)}`,
  Duffel: (random) => `duffel_live_${many(random, `${ALNUM}_-`, 43)}`,
  Flutterwave: (random) => `FLWSECK_TEST-${many(random, HEX, 32)}-X`,
  Frameio: (random) => `fio-u-${many(random, `${ALNUM}_-`, 64)}`,
  Harness: (random) => `pat.${many(random, ALNUM, 22)}.${many(random, HEX, 24)}.${many(random, ALNUM, 20)}`,
  Infracost: (random) => `ico-${many(random, ALNUM, 32)}`,
  OpenShift: (random) => `sha256~${many(random, `${ALNUM}_-`, 43)}`,
  Prefect: (random) => `pnu_${many(random, LOWER + DIGITS, 36)}`,
  ReadMe: (random) => `rdme_${many(random, LOWER + DIGITS, 70)}`,
  Scalingo: (random) => `tk-us-${many(random, `${ALNUM}_-`, 48)}`,
  Shippo: (random) => `shippo_live_${many(random, HEX, 40)}`,
  Sourcegraph: (random) => `sgp_${many(random, HEX, 40)}`,
  Heroku: (random) => `HRKU-AA${many(random, `${ALNUM}_-`, 58)}`,
  Buildkite: (random) => `bkua_${many(random, HEX, 40)}`,
  CircleCI: (random) => `CCIPAT_${many(random, ALNUM, 22)}_${many(random, HEX, 40)}`,
  Snyk: (random) => `snyk_uat.${many(random, HEX, 8)}.${many(random, ALNUM, 60)}`,
  Cohere: (random) => `CO_API_KEY=${many(random, ALNUM, 40)}`,
  Mistral: (random) => `MISTRAL_API_KEY=${many(random, ALNUM, 32)}`,
  Langfuse: (random) => `sk-lf-${LOOKS['uuid']?.(random)}`,
  LangSmith: (random) => `lsv2_pt_${many(random, HEX, 32)}_${many(random, HEX, 10)}`,
  OpenRouter: (random) => `sk-or-v1-${many(random, HEX, 64)}`,
  DeepSeek: (random) => `sk-${many(random, HEX, 32)}`,
  JWT: (random) =>
    `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ${many(random, ALNUM, 60)}.${many(random, `${ALNUM}_-`, 43)}`,
  Clerk: (random) => `sk_live_${many(random, ALNUM, 42)}`,
  MessageBird: (random) => `AccessKey ${many(random, ALNUM, 25)}`,
  Adafruit: (random) => `aio_${many(random, ALNUM, 28)}`,
  Beamer: (random) => `b_${many(random, `${ALNUM}=_-`, 44)}`,
  ClickHouse: (random) => `4b1d${many(random, ALNUM, 38)}`,
  Intra: (random) => `s-s4t2${pick(random, ['ud', 'af'])}-${many(random, HEX, 64)}`,
  Polymarket: (random) => `0x${many(random, HEX, 64)}`,
  MaxMind: (random) => `${many(random, ALNUM, 6)}_${many(random, ALNUM, 29)}_mmk`,
};
/** Of these, nothing but their length and alphabet tells; they are told by what they are called. */
const NAMELESS = new Set(['Cohere', 'Mistral', 'Beamer', 'ClickHouse', 'Polymarket', 'DeepSeek']);

const AROUND: readonly ((token: string) => string)[] = [
  (token) => `Here you go: ${token}`,
  (token) => `$ tool login\nuse ${token} when asked\n`,
  (token) => `tool.init("${token}")`,
  (token) => `  200 OK  ${token}\n`,
  (token) => json({ items: ['a', token] }),
];

/** Things that nobody sees, between any two characters. */
const UNSEEN = [
  '\u2061',
  '\u180e',
  '\ufe0f',
  '\u00ad',
  '\u200b',
  '\u2066',
  '\u{e0041}',
  '\u2060',
  '\u034f',
  '\u3164',
  '\u200e',
  '\u{e0100}',
];

const fullWidth = (text: string): string =>
  text.replace(/[!-~]/g, (mark) => String.fromCharCode(mark.charCodeAt(0) + 0xfee0));

const DISGUISES: Readonly<Record<string, (text: string, secret: string, random: Random) => string>> = {
  plain: (text) => text,
  unseen: (text, secret, random) => {
    const at = between(random, 1, secret.length - 1);
    return text.replace(secret, () => secret.slice(0, at) + pick(random, UNSEEN) + secret.slice(at));
  },
  'full width': (text, secret) => text.replace(secret, () => fullWidth(secret)),
};

function keyText(random: Random): { readonly text: string; readonly lines: readonly string[]; readonly form: string } {
  const count = pick(random, [5, 26, 52, 400]);
  const kind = pick(random, ['RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PRIVATE KEY', 'EC PRIVATE KEY']);
  const lines = Array.from({ length: count }, (_, index) => many(random, `${ALNUM}+/`, index === count - 1 ? 38 : 64));
  lines[0] = `MIIEowIBAAKCAQEA${(lines[0] as string).slice(16)}`;
  const dashes = '-'.repeat(5);
  const head = `${dashes}BEGIN ${kind}${dashes}\n`;
  const tail = `\n${dashes}END ${kind}${dashes}\n`;
  const forms: Record<string, string> = {
    whole: head + lines.join('\n') + tail,
    'without head': lines.join('\n') + tail,
    'without tail': head + lines.join('\n'),
    'lines only': lines.join('\n'),
    'in JSON': json({ key: head + lines.join('\n') + tail }),
    indented: `key: |\n${(head + lines.join('\n') + tail).replace(/^(?=.)/gm, '    ')}`,
    numbered: (head + lines.join('\n') + tail)
      .split('\n')
      .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
      .join('\n'),
  };
  // Lines alone need enough of them to be seen as what they are.
  const form = pick(
    random,
    Object.keys(forms).filter((one) => count > 10 || one !== 'lines only'),
  );
  return { text: forms[form] ?? '', lines, form: `private key, ${form}, ${count} lines` };
}

/** Draws one; what it draws is the same for the same numbers. */
export function drawPlant(random: Random): Plant {
  const which = random();
  if (which < 0.2) {
    const vendor = pick(
      random,
      Object.keys(VENDORS).filter((name) => !['Beamer', 'ClickHouse', 'Polymarket'].includes(name)),
    );
    const token = VENDORS[vendor]?.(random) ?? '';
    const secret = token.replace(
      /^(?:\w+_API_KEY=|AccessKey |https:\/\/[\w.]+\/(?:hooks\/catch|api\/webhooks|services|workflows|triggers)\/)/,
      '',
    );
    const disguise = NAMELESS.has(vendor)
      ? 'plain'
      : pick(random, ['plain', 'plain', 'plain', ...Object.keys(DISGUISES)]);
    const text = pick(random, AROUND)(token);
    return {
      form: `vendor: ${vendor}`,
      look: disguise,
      secret,
      text: DISGUISES[disguise]?.(text, secret, random) ?? text,
      isKeyed: false,
    };
  }
  if (which < 0.23) {
    const { text, lines, form } = keyText(random);
    return {
      form,
      look: 'lines',
      secret: lines[Math.floor(random() * (lines.length - 1))] ?? '',
      text,
      isKeyed: false,
    };
  }
  for (;;) {
    const [form, { write, takes, isKeyed = false, isProse = false }] = pick(random, Object.entries(FORMS));
    const look = pick(random, Object.keys(LOOKS));
    const secret = LOOKS[look]?.(random) ?? '';
    if (takes && !takes.test(secret)) continue;
    if (isProse && /^(?:plain word|phrase)$/.test(look)) continue;
    return { form, look, secret, text: write(nameOf(pick(random, STEMS)), secret, random), isKeyed };
  }
}

/** What of the secret is left in a text: whole, in the ways in which formats write it, or most of it. */
export function isLeftIn(secret: string, text: string): boolean {
  const bare = (one: string): string =>
    // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them by itself.
    one.normalize('NFKC').replace(/[\p{Cf}\u034f\u3164\u115f\u1160\u{e0000}-\u{e01ef}\ufe00-\ufe0f\u180e]/gu, '');
  const forms = [
    secret,
    json(secret).slice(1, -1),
    json(json(secret).slice(1, -1)).slice(1, -1),
    encodeURIComponent(secret),
    xml(secret),
    inSingle(secret),
    base64(`ann:${secret}`),
  ];
  const shown = [text, bare(text)];
  if (shown.some((one) => forms.some((form) => one.includes(form)))) return true;
  // Two thirds of it in one piece are as good as all.
  const most = Math.ceil((secret.length * 2) / 3);
  if (most < 6) return false;
  for (let at = 0; at + most <= secret.length; at++) {
    const piece = secret.slice(at, at + most);
    if (/^[a-z ]+$/i.test(piece) && piece.length < 10) continue;
    if (shown.some((one) => one.includes(piece))) return true;
  }
  return false;
}
