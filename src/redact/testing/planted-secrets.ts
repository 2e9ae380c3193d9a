import fc from 'fast-check';

/** A secret, and a text that contains it next to a name such as `API Key`. */
export interface PlantedSecret {
  readonly secret: string;
  readonly text: string;
}

/** Passwords and tokens that start with or contain a stand-in word, a keyword or the start of a template. */
export const LIKE_STAND_INS: readonly string[] = `
  Barcelona2024! barracuda_77 baritone#Hz9 football-Final-98 FooFighters1994! Bazooka!77 foobarista-42x quxotic#88x
  testarossa_F512 test-Drive8891 testing1two3! testerJoe#41 testpass99X example-Reef7741 examples.R4re samplerQ7!x9 dummyLoad#50ohm
  changeme-N0w-7781 ChangeIt2Day!9 change_this1sNot replaceme2Nite!x Password2024! passwordless-Entry42 passwd#Rot8te pwdDance99!
  secretGarden#88 secret.Garden42 SecretSauce99 credential-Thief9! xxxTentacion#98 XXXL-shirt-2291
  yourself-Hike-88 your_dog_Rex72 your-mother-loves-Tac0s my-Horse-Rode-66 the-Wall-1979! some_Body2love any-Way-U-want-1t
  a-Team_1983 an-Hour2Kill enterprise1701D enterSandman#91 insertCoin!25c replaceable-Part7 todoist9dK2 TBDream#55 placeholderX9!k2
  fakeMoon1969! mockingbird60!Lee abcdef-Quick7Fox abc123XYZ!q NoneShallPass_72 none-of-Ur-Biz9 nullIsland0N0E NullPointer#7
  TrueNorth2020 falseFlag_1939! nilPoints12! undefinedBehav1or redactedActed77! maskedSinger#3x hiddenGem88!
  process.envy9K! os.environment7X config.Sys9!k settings.Sun5et! options.Trad3r args.Nist0n params.T0wn! data.Base7Z props.T0you!
  ctx.Lnt9xx req.Uiem77 res.Cue99! env.Y4you! env:iron99ment secrets.Kept4ever! var.sity1999X import.meta1Morph vault:Heist99x
  arn:old-Schwarz3 ssm:ooth0perator kms:9xQz71k enc:hanted7Tale sealed:lips44ever op://era9Night file:d2away
  $ecretP4ss99 $tr0ngPassw0rd! <3you2Pieces! {{curly7Fries %ages99!x [maskedBall77! [redacted7xQ ***starry9Night
  new-York1999! this-Is-Sparta300 self-Made99! await-2Long! async-Rock55 string-Theory42 number-9-Dream boolean0perator!
  import-Duty77 return-2-Sender const-antinople1453 require-ment88X bytes-2go!99 unknown-Pleasures79 optional-Xtra55
  required-Reading451 rootBeer99! adminIstrator7x user-Friendly8! defaultMode#9 tokenRing-802.5 keyLime#Pie3 value4Money!
  yesMinister1980! noDoubt#95 x-Files1993! missingLink#42 expiredMilk!7 emptyNest2025! validPoint#6x
`
  .trim()
  .split(/\s+/);

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
/** Needs no quotes in a shell or YAML. */
const isPlain = (value: string): boolean => /^[\w.!%@:/+=~^-]+$/.test(value);
const flagOf = (name: string): string => name.toLowerCase().replaceAll(/[ _]/g, '-');

/** Ways to assign a value to a name such as `DB_PASSWORD`. */
export const ASSIGNMENTS: Readonly<Record<string, (name: string, value: string) => string>> = {
  '.env': (name, value) => `A=1\n${name}=${isPlain(value) ? value : `'${value}'`}\nB=2`,
  export: (name, value) => `export ${name}="${value}"`,
  JSON: (name, value) => JSON.stringify({ a: 1, [name.toLowerCase()]: value, b: 2 }),
  'JSON on several lines': (name, value) => JSON.stringify({ a: 1, [name.toLowerCase()]: value, b: 2 }, null, 2),
  YAML: (name, value) => `a: 1\n${name.toLowerCase()}: ${isPlain(value) ? value : `"${value}"`}\nb: 2`,
  'YAML in quotes': (name, value) => `${name.toLowerCase()}: '${value}'`,
  URL: (_name, value) => `postgres://app:${encodeURIComponent(value)}@db.internal:5432/app`,
  'command line option': (name, value) => `deploy --${flagOf(name)} '${value}' now`,
  'command line option with =': (name, value) => `deploy --${flagOf(name)}='${value}' now`,
  code: (name, value) => `const ${name.toLowerCase()} = "${value}";`,
};

/** Contexts in which `API Key: …` can appear. */
export const CARRIERS: Readonly<Record<string, (text: string) => string>> = {
  alone: (text) => text,
  'JSON string': (text) => `{"message":"${escaped(text)}"}`,
  'JSON in JSON': (text) => JSON.stringify({ body: JSON.stringify({ message: text }) }),
  'JSON in JSON in JSON': (text) => JSON.stringify({ a: JSON.stringify({ body: JSON.stringify({ message: text }) }) }),
  'one line of several in a JSON string': (text) => `{"text":"${escaped(`User: ann\n${text}\nHost: db1`)}"}`,
  'JSON string below a secret name': (text) => `{"credentials":"user: ann, ${escaped(text)}"}`,
  'JavaScript string': (text) => `console.log('${escaped(text)}');`,
  'JavaScript template': (text) => `throw new Error(\`${text}\`);`,
  'Python string': (text) => `print(f"${escaped(text)}")`,
  'Python docstring': (text) => `x = """\n${text}\n"""`,
  'Go string': (text) => `fmt.Println("${escaped(text)}")`,
  'Rust string': (text) => `println!("${escaped(text)}");`,
  'Rust raw string': (text) => `let s = r#"${text}"#;`,
  'shell echo': (text) => `echo "${text}" >> notes.txt`,
  'log line': (text) => `2026-11-15T08:00:00Z INFO [auth] ${text} (user 7)`,
  'logfmt line': (text) => `level=info msg="${escaped(text)}" user=7`,
  'YAML string': (text) => `description: "${escaped(text)}"\nname: x`,
  'YAML block': (text) => `notes: |\n  ${text}\n  more`,
  'Markdown code': (text) => `Use \`${text}\` for it.`,
  'Markdown list': (text) => `- ${text}\n- next`,
  sentence: (text) => `It works. ${text}, then go on.`,
  brackets: (text) => `done (${text})`,
  comment: (text) => `// ${text}`,
  HTML: (text) => `<p>${text}</p>`,
};

export const LABELS: readonly string[] =
  'API Key,API key,api-key,apiKey,API_KEY,Password,DB_PASSWORD,Database password,Passphrase,Passcode,Secret,Secret Key,Client Secret,Webhook secret,Access Key,Access Token,Auth Token,auth_token,Private Key,Signing key,Encryption key,Master key,Secret Access Key,Bot token,Credentials,Service key,Root password,Your new password'.split(
    ',',
  );

/** Ways to write a label and its value. */
export const LABEL_MARKS: Readonly<Record<string, (label: string, value: string) => string>> = {
  ': ': (label, value) => `${label}: ${value}`,
  ':': (label, value) => `${label}:${value}`,
  ' = ': (label, value) => `${label} = ${value}`,
  '=': (label, value) => `${label}=${value}`,
  ' is ': (label, value) => `${label} is ${value}`,
  ' is: ': (label, value) => `${label} is: ${value}`,
  ' -> ': (label, value) => `${label} -> ${value}`,
  ' → ': (label, value) => `${label} → ${value}`,
  ' => ': (label, value) => `${label} => ${value}`,
  'new line': (label, value) => `${label}:\n  ${value}`,
  quotes: (label, value) => `${label}: "${value}"`,
  'code marks': (label, value) => `${label}: \`${value}\``,
  'bold label': (label, value) => `**${label}:** ${value}`,
  'bold label, colon outside': (label, value) => `**${label}**: \`${value}\``,
  'for something': (label, value) => `${label} for ci: ${value}`,
  'something in brackets': (label, value) => `${label} (prod): ${value}`,
  table: (label, value) => `| ${label} | ${value} |`,
};

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ALPHANUMERIC = `${LETTERS}${LETTERS.toUpperCase()}0123456789`;
const drawn = (alphabet: string, min: number, max: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: min, maxLength: max });

const secretOf: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...LIKE_STAND_INS).filter((value) => isPlain(value) && !/[/%:]/.test(value)),
  drawn(ALPHANUMERIC, 16, 48).map((body) => `q7Z${body}`),
  fc
    .tuple(fc.constantFrom('cal_live_', 'key-', 'acme_', 'tok.', 'sec_prod_'), drawn('0123456789abcdef', 16, 40))
    .map(([start, body]) => `${start}9f${body}`),
  fc
    .tuple(
      fc.constantFrom('Bar', 'foo', 'Test', 'your', 'secret', 'Example', 'none', 'xxx', 'Sommer', 'qwertz'),
      drawn(LETTERS, 3, 8),
      drawn('0123456789', 2, 4),
      fc.constantFrom('!', '#', '', '-x', '_', '^', '~'),
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(drawn(`${ALPHANUMERIC}!@#%^*_+=.~-`, 10, 24), drawn(ALPHANUMERIC, 1, 4))
    .map(([body, end]) => `p4${body}K${end}`),
  drawn(`${ALPHANUMERIC}+/`, 36, 42).map((body) => `x9Q${body}==`),
);

/** Random secret, label, notation and context, with random text around it. */
export const plantedSecrets: fc.Arbitrary<PlantedSecret> = fc
  .tuple(
    secretOf,
    fc.constantFrom(...LABELS),
    fc.constantFrom(...Object.values(LABEL_MARKS)),
    fc.constantFrom(...Object.values(CARRIERS)),
    fc.constantFrom('', 'Here it is: ', 'step 3\n', '{"ok":true}\n', 'x '.repeat(40)),
    fc.constantFrom('', ' done', '\nnext line', '\n{"more":[1,2]}'),
  )
  .map(([secret, label, mark, carry, before, after]) => ({
    secret,
    text: `${before}${carry(mark(label, secret))}${after}`,
  }));
