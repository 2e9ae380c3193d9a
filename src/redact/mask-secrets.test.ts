import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskText, maskValue } from './mask-secrets.ts';
import { AUDIT_RULES } from './rules/all-rules.ts';

// Put together here, so that nobody who looks for credentials in this repository finds one.
const body = (length: number, alphabet = 'aB3dE5gH1jK7mN9pQ2rS4tU6vW8xY0z'): string =>
  Array.from({ length }, (_, index) => alphabet[(index * 7) % alphabet.length]).join('');
const hex = (length: number): string => body(length, '0a1b2c3d4e5f6789');
const upper = (length: number): string => body(length, 'A1B2C3D4E5F6G7H8');
const dashes = '-'.repeat(5);

/** [text, what must not be left of it] */
const SECRETS: Readonly<Record<string, readonly (readonly [text: string, secret: string])[]>> = {
  'aws-access-key': [[`id AKIA${upper(16)}`, `AKIA${upper(16)}`]],
  'aws-secret-key': [[`aws configure set aws_secret ${body(40)}`, body(40)]],
  'github-token': ['ghp_', 'gho_', 'ghs_'].map((start) => [
    `git push https://${start}${body(36)}@github.com`,
    body(36),
  ]),
  'github-fine-grained-token': [[`use github_pat_${body(82)}`, body(82)]],
  'gitlab-token': [[`glpat-${body(20)}`, body(20)]],
  'slack-token': [[`xoxb-1234567890-${body(24)}`, body(24)]],
  'slack-app-token': [[`xapp-1-A01-${body(40)}`, body(40)]],
  'slack-webhook': [[`https://hooks.slack.com/services/T000/B000/${body(24)}`, body(24)]],
  'stripe-key': [
    [`stripe sk_live_${body(24)}`, body(24)],
    [`whsec_${body(32)}`, body(32)],
  ],
  'anthropic-key': [[`sk-ant-api03-${body(90)}`, body(90)]],
  'openai-key': [
    [`sk-${body(48)}`, body(48)],
    [`sk-proj-${body(100)}`, body(100)],
  ],
  'google-api-key': [[`?k=AIza${body(35)}`, body(35)]],
  'google-oauth-secret': [[`GOCSPX-${body(28)}`, body(28)]],
  'google-oauth-token': [[`ya29.${body(80)}`, body(80)]],
  'npm-token': [[`//registry.npmjs.org/:_x npm_${body(36)}`, body(36)]],
  'pypi-token': [[`twine pypi-${body(120)}`, body(120)]],
  jwt: [[`eyJ${body(30)}.eyJ${body(60)}.${body(43)}`, body(43)]],
  'private-key': [
    [
      `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${`${body(64)}\n`.repeat(60)}${dashes}END RSA PRIVATE KEY${dashes}`,
      body(64),
    ],
    [`${dashes}BEGIN OPENSSH PRIVATE KEY${dashes}\\n${body(700)}`, body(700)],
  ],
  'authorization-header': [
    [`curl -H "Authorization: Bearer ${body(20)}"`, body(20)],
    [`{"Authorization":"${body(12)}"}`, body(12)],
  ],
  'bearer-token': [[`bearer ${body(30)}`, body(30)]],
  'basic-credentials': [['Basic dXNlcjpodW50ZXIyCg==', 'dXNlcjpodW50ZXIyCg']],
  cookie: [[`Cookie: sid=${body(20)}; theme=dark`, body(20)]],
  'url-password': [
    ['psql postgres://app:hunter2@db.example/app', 'hunter2'],
    ['redis://:hunter2@localhost', 'hunter2'],
    ['mongodb+srv://u:p%40ss@h', 'p%40ss'],
  ],
  'signed-url': [[`https://x.example/?sv=1&sig=${body(40)}`, body(40)]],
  'command-option': [
    ['deploy --password hunter2 now', 'hunter2'],
    ["tool --api-key='a b c' x", 'a b c'],
    ['vault -token=hunter2', 'hunter2'],
    ['x --db-password "hunter2"', 'hunter2'],
    ['deploy --password \\\n  hunter2', 'hunter2'],
  ],
  'command-password': [
    ['mysql -u root -phunter2 db', 'hunter2'],
    ['sshpass -p hunter2 ssh x', 'hunter2'],
    ["sshpass -p 'two words' ssh x", 'words'],
    ['sshpass -p"two words" ssh x', 'words'],
    ['docker login -u me -p hunter2', 'hunter2'],
    ['zip -r -P hunter2 a.zip src', 'hunter2'],
    ['unzip -Phunter2 a.zip', 'hunter2'],
    ['7z a -phunter2 a.7z src', 'hunter2'],
    ['redis-cli -h x -a hunter2', 'hunter2'],
  ],
  'user-and-password': [['curl -s -u admin:hunter2 https://x.example', 'hunter2']],
  assignment: [
    ['export DB_PASSWORD=hunter2', 'hunter2'],
    ['A=1\nCLIENT_SECRET="hunter 2"\n', 'hunter 2'],
    ['SECRET_KEY_BASE: hunter2', 'hunter2'],
    ['{"password":"hunter2"}', 'hunter2'],
    ['{\\"apiKey\\": \\"hunter2\\"}', 'hunter2'],
    ["const token = 'hunter2'", 'hunter2'],
    ['Server=x;User Id=sa;Password=hunter2;', 'hunter2'],
    ['AccessKey=hunter2==', 'hunter2'],
    ['PASSWORD=\\\nhunter2 psql', 'hunter2'],
    ['password: "it\'s mine"', 'mine'],
  ],
  'pass-assignment': [
    ['DB_PASS=hunter2 psql', 'hunter2'],
    ['export PASS=hunter2', 'hunter2'],
    ['smtp_pass: "hunter 2"', 'hunter 2'],
    ['{"db_pass":"hunter2"}', 'hunter2'],
  ],
  'named-value': [
    ['{"name":"Authorization","value":"hunter2"}', 'hunter2'],
    ['{\\"name\\": \\"X-Auth-Token\\", \\"value\\": \\"hunter2\\"}', 'hunter2'],
    ['- name: DB_PASSWORD\n  value: hunter2', 'hunter2'],
  ],
  'url-token': [[`git clone https://${body(40)}@github.com/o/r`, body(40)]],
  'openssl-password': [
    ['openssl rsa -in k.pem -passin pass:hunter2', 'hunter2'],
    ["openssl enc -pass 'pass:hunter2' -in x", 'hunter2'],
  ],
  netrc: [
    ['machine api.example.com login me password hunter2', 'hunter2'],
    ['machine api\n  login me\n  password hunter2', 'hunter2'],
  ],
  'from-literal': [
    ['kubectl create secret generic x --from-literal=pw=hunter2', 'hunter2'],
    ['kubectl create secret generic x --from-literal=a=hunter2 --from-literal b=hunter2', 'hunter2'],
    ["kubectl create secret generic x --from-literal=pw='two words'", 'words'],
  ],
  'hugging-face-token': [[`hf_${body(34)}`, body(34)]],
  'sendgrid-key': [[`SG.${body(22)}.${body(43)}`, body(43)]],
  'twilio-key': [[`SK${hex(32)}`, hex(32)]],
  'digitalocean-token': [[`dop_v1_${hex(64)}`, hex(64)]],
  'telegram-token': [[`123456789:AA${body(33)}`, body(33)]],
  'discord-webhook': [[`https://discord.com/api/webhooks/123456/${body(68)}`, body(68)]],
  'vault-token': [[`hvs.${body(90)}`, body(90)]],
  'cut-token': [[`echo ghp_${body(9)}…`, body(9)]],
  'atlassian-token': [[`ATATT3${body(100)}`, body(100)]],
};

const HARMLESS = [
  'export DB_PASSWORD=$SECRET',
  'curl -H "Authorization: Bearer $TOKEN"',
  'token = response.data.token',
  'password = getPassword()',
  'const secret: string',
  '"max_tokens": 4096, token_type: bearer, password_min_length: 8',
  'mkdir -p build && ssh -p 22 host && docker run -p 8080:80 x',
  'docker login --password-stdin',
  'Basic implementation of a basic authentication',
  'git commit -m "Add token refresh"',
  'https://user@example.com:443/path',
  'sk-spinner-of-a-very-long-css-class-name',
  'npm run build -- --pass',
  'poetry add --pin 1234 && pip install --pin x',
  'pass the test, then pass: 12, fail: 3 and PASS: test_a',
  'PASS=12 FAIL=0; PASS=$((PASS+1)); DB_PASS=$PASS; first_pass=2',
  'bypass=everything compass: north',
  'token count 5, tokens: 1200',
  'The login page password reset does not work; machine learning password strength',
  'openssl rsa -passin env:PW -passout file:pw.txt',
  'kubectl create configmap x --from-literal=mode=development --from-literal=b=c',
  '{"name":"Content-Type","value":"application/json"}',
  'https://firstname.lastname@bitbucket.org/team/repo.git',
  'zip -r out.zip . && gzip -9 x && unzip -p a.zip b.txt',
];

describe('credentials', () => {
  for (const [id, cases] of Object.entries(SECRETS))
    it(id, () => {
      for (const [text, secret] of cases) {
        for (const around of [text, `before ${text}`, `x\n${text}\ny`]) {
          const masked = maskText(around);
          expect([around, masked.text.includes(secret)]).toEqual([around, false]);
          expect(masked.text).toContain(`[masked ${masked.found[0]}]`);
        }
      }
      expect(cases.flatMap(([text]) => maskText(text).found)).toContain(id);
    });

  it('all kinds of prefixed tokens have a rule, and no two rules a name', () => {
    const ids = AUDIT_RULES.map((rule) => rule.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(SECRETS).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it.each(HARMLESS)('leaves alone: %s', (text) => {
    expect(maskText(text)).toEqual({ text, found: [] });
  });
});

describe('any text', () => {
  const secrets = Object.values(SECRETS).flat();
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('password', 'token=', '--secret', ' "', "' ", '\\"', ': ', '://', '@', '-----', '\n', 'eyJ', '.'),
    fc.constantFrom(...secrets.map(([text]) => text)),
  );
  it('stays as it is once it is masked', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const once = maskText(words.join(' ')).text;
        expect(maskText(once)).toEqual({ text: once, found: [] });
      }),
    );
  });

  it('is masked wherever it holds a secret, also between two pieces', () => {
    const [text, secret] = SECRETS['github-token']![0]!;
    for (const offset of [0, 47_950, 47_980, 47_999, 48_000, 63_990, 64_510, 96_000]) {
      const masked = maskText(`${'lorem ipsum '.repeat(10_000).slice(0, offset)} ${text}`);
      expect([offset, masked.text.includes(secret), masked.found.length]).toEqual([offset, false, 1]);
    }
  });
});

describe('what a rule can cost', () => {
  it('hostile texts of 20 kB come to an end', () => {
    const parts = [
      'eyJ',
      'eyJ-',
      'a',
      'a.',
      '=',
      '"',
      '-----BEGIN PRIVATE KEY-----',
      'aws key = ',
      'mysql ',
      'password=',
      '-p ',
      '://a:',
      '\\"',
    ];
    for (const part of [...parts, ...AUDIT_RULES.flatMap(({ keywords }) => keywords)])
      expect(maskText(part.repeat(20_000 / part.length)).text).toBeTypeOf('string');
  });
});

describe('values', () => {
  it('masks fields by their name, whole, and texts by their look', () => {
    expect(
      maskValue({
        password: 'x',
        db_password: 12345,
        'Api-Key': { a: 1 },
        authToken: ['a'],
        max_token: 5,
        token: '',
        secret: null,
        n: [1, true, null, `see ghp_${body(36)}`],
        ['__proto__']: { clientSecret: 'y' },
      }),
    ).toEqual({
      password: '[masked]',
      db_password: '[masked]',
      'Api-Key': '[masked]',
      authToken: '[masked]',
      max_token: 5,
      token: '',
      secret: null,
      n: [1, true, null, 'see [masked github-token]'],
      ['__proto__']: { clientSecret: '[masked]' },
    });
  });

  it('masks fields with an ambiguous name when their value is not ambiguous', () => {
    const secrets = {
      pass: 'x y',
      db_pass: 'hunter2',
      dbPass: 12345,
      pin: '1234',
      cardPin: 123456,
      tokens: ['a1b2'],
      authTokens: 'a1b2',
    };
    expect(maskValue(secrets)).toEqual(Object.fromEntries(Object.keys(secrets).map((name) => [name, '[masked]'])));
    const others = {
      pass: 12,
      isPass: true,
      pin: 13,
      version_pin: '1.2.3',
      spin: '1234',
      compass: 'north',
      tokens: 500,
      max_tokens: '4096',
      usage: { tokens: { input: 5 } },
    };
    expect(maskValue(others)).toEqual(others);
  });

  it('masks a value by the name beside it', () => {
    const list = [
      { name: 'Authorization', value: 'x y' },
      { key: 'DB_PASSWORD', value: 'x y' },
      { name: 'Accept', value: 'text/html' },
    ];
    expect(maskValue(list)).toEqual([
      { name: 'Authorization', value: '[masked]' },
      { key: 'DB_PASSWORD', value: '[masked]' },
      { name: 'Accept', value: 'text/html' },
    ]);
  });

  it('cuts long strings and says how much is gone', () => {
    expect(maskValue('y'.repeat(2_000))).toBe('y'.repeat(2_000));
    expect(maskValue('y'.repeat(10_000_000))).toBe(`${'y'.repeat(2_000)}… [9998000 more characters]`);
    expect(maskValue(`${'y'.repeat(1_999)}😀`)).toBe(`${'y'.repeat(1_999)}… [2 more characters]`);
  });

  it('lets no piece of a secret through the cut', () => {
    const key = `${dashes}BEGIN PRIVATE KEY${dashes}\n${`${body(64)}\n`.repeat(90)}${dashes}END PRIVATE KEY${dashes}`;
    for (let before = 1_900; before <= 2_000; before += 20) {
      const text = maskValue(`${'y '.repeat(before / 2)}${key} end`);
      expect(text).not.toContain(body(20));
      const token = maskValue(`${'y '.repeat(before / 2)}ghp_${body(36)}`);
      expect(token).not.toContain('aB');
    }
  });

  it('is bounded, however many values there are and however deep', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(JSON.stringify(maskValue(deep)).length).toBeLessThan(200);
    const wide = maskValue(Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, ['v'.repeat(50)]])));
    expect(JSON.stringify(wide).length).toBeLessThan(80_000);
    expect(JSON.stringify(wide)).toContain('more left out]');
    expect(JSON.stringify(maskValue(Array.from({ length: 1_000 }, () => 'w'.repeat(3_000)))).length).toBeLessThan(
      80_000,
    );
  });

  it('is fit to be written as JSON, whatever it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => JSON.parse(JSON.stringify(maskValue(value)))).not.toThrow();
      }),
    );
  });
});
