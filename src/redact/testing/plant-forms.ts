// Forms of data, settings and tables in which a secret may stand.

import { BARE, base64, between, type Form, inDouble, inSingle, json, NO_QUOTES, pick, title, xml } from './drawing.ts';

const WITHOUT_PIPES = /^[^|]+$/;
const WITHOUT_TEX = /^[^&\\%#$_{}]+$/;

export const DATA_FORMS: Readonly<Record<string, Form>> = {
  'list of sqlite3': {
    isKeyed: true,
    takes: WITHOUT_PIPES,
    write: ({ snake }, value) => `sqlite> select * from t;\nid|${snake}\n1|${value}\n`,
  },
  'psql, one column': {
    isKeyed: true,
    takes: WITHOUT_PIPES,
    write: ({ snake }, value) => ` ${snake} \n${'-'.repeat(40)}\n ${value}\n(1 row)\n`,
  },
  'box of duckdb': {
    isKeyed: true,
    takes: WITHOUT_PIPES,
    write: ({ snake }, value) =>
      `┌───────┬────┐\n│  id   │ ${snake} │\n│ int32 │ varchar │\n├───────┼────┤\n│     1 │ ${value} │\n└───────┴────┘\n`,
  },
  'grid of reStructuredText': {
    isKeyed: true,
    takes: WITHOUT_PIPES,
    write: ({ words }, value) => `+---+---+\n| User | ${words} |\n+===+===+\n| ann | ${value} |\n+---+---+\n`,
  },
  'list of AsciiDoc': { isKeyed: true, write: ({ words }, value) => `Host:: db1\n${title(words)}:: ${value}\n` },
  'table of AsciiDoc': {
    isKeyed: true,
    takes: WITHOUT_PIPES,
    write: ({ words }, value) => `|===\n|Name |Value\n\n|Host |db1\n|${title(words)} |${value}\n|===\n`,
  },
  'table of LaTeX': {
    isKeyed: true,
    takes: WITHOUT_TEX,
    write: ({ words }, value) =>
      `\\begin{tabular}{ll}\nUser & ${title(words)} \\\\\nann & ${value} \\\\\n\\end{tabular}`,
  },
  'table of Jira': {
    isKeyed: true,
    takes: WITHOUT_PIPES,
    write: ({ words }, value) => `||User||${title(words)}||\n|ann|${value}|\n`,
  },
  'table of MediaWiki': {
    isKeyed: true,
    takes: WITHOUT_PIPES,
    write: ({ words }, value) => `{|\n! User !! ${title(words)}\n|-\n| ann || ${value}\n|}`,
  },
  'COPY of PostgreSQL': {
    isKeyed: true,
    takes: /^[^\\]+$/,
    write: ({ snake }, value) => `COPY users (id, ${snake}) FROM stdin;\n1\t${value}\n\\.\n`,
  },
  'definitions of HTML': {
    isKeyed: true,
    write: ({ words }, value) => `<dl><dt>Host</dt><dd>db1</dd><dt>${title(words)}</dt><dd>${xml(value)}</dd></dl>`,
  },
  'head of a table in HTML': {
    isKeyed: true,
    write: ({ words }, value) =>
      `<table><tr><th>User</th><th>${title(words)}</th></tr><tr><td>ann</td><td>${xml(value)}</td></tr></table>`,
  },
  'init-param': {
    isKeyed: true,
    write: ({ camel: name }, value) =>
      `<init-param>\n  <param-name>${name}</param-name>\n  <param-value>${xml(value)}</param-value>\n</init-param>`,
  },
  'HCL here-document': {
    isKeyed: true,
    write: ({ snake }, value) => `locals {\n  ${snake} = <<-EOT\n    ${value}\n  EOT\n}\n`,
  },
  'record of psql': {
    isKeyed: true,
    takes: /^[^|]+$/,
    write: ({ snake }, value) => `-[ RECORD 1 ]---\nid       | 3\n${snake} | ${value}\n`,
  },
  'record of mysql': {
    isKeyed: true,
    takes: BARE,
    write: ({ snake }, value) => `*************************** 1. row ***\n   id: 3\n${snake}: ${value}\n name: ann\n`,
  },
  'list of Redis': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: (_name, value) => `1) "requirepass"\n2) "${value}"\n`,
  },
  'key of two words': {
    isKeyed: true,
    takes: NO_QUOTES,
    write: (_name, value) => `{"host": "db1", "pass phrase": "${value}"}`,
  },
  'pair in SQL': {
    isKeyed: true,
    takes: /^(?=.*\d)[^'\\]+$/,
    write: ({ snake }, value) => `INSERT INTO settings (k, v) VALUES ('theme','dark'), ('${snake}','${value}');`,
  },
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
};
