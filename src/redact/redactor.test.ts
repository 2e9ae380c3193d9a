import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_USAGE, toAgentId, toSessionId } from '../core/index.ts';
import { computeAgent } from '../core/reports/tree.ts';
import { runsOf } from '../lib/testing/seed.ts';
import { createRedactor, type RedactorOptions } from './create-redactor.ts';
import { CREDENTIAL_RULES } from './rules/all-rules.ts';
import { fillSample } from './testing/fill-sample.ts';
import { sampleTranscript } from './testing/sample-transcript.ts';
import { dropImages } from './walk-strings.ts';

const fill = (sample: string, seed = 1): string => fillSample(sample, seed).text;
const github = fill('ghp_{an:36}');

function redact<Value>(value: Value, options: RedactorOptions = {}): Value {
  const redactor = createRedactor(options);
  redactor.scan(value);
  return redactor.redactValue(value);
}

/** Each place of a JSON value where a string stands, names of fields too, with the value that has another one there. */
function* stringPlaces(value: unknown, put: string): Generator<unknown> {
  if (typeof value === 'string') yield `${value} ${put}`;
  else if (Array.isArray(value)) {
    for (const [index, each] of value.entries())
      for (const other of stringPlaces(each, put)) yield value.toSpliced(index, 1, other);
  } else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) {
      yield Object.fromEntries(
        Object.entries(value).map(([key, field]) => [key === name ? `${key} ${put}` : key, field]),
      );
      for (const other of stringPlaces(each, put)) yield { ...value, [name]: other };
    }
}

describe('a secret in any place', () => {
  const report = computeAgent(
    {
      id: toAgentId('test', 'a1'),
      link: { rank: 'none', candidates: [] },
      kind: 'task',
      status: 'running',
      stalled: false,
      activity: 'thinking',
      changes: [],
      runs: [],
      usageIsLowerBound: false,
      subtreeUsage: NO_USAGE,
      subtreeIsLowerBound: false,
      usageByModel: [],
      usageByTime: [],
      subtreeByModel: [],
      compactions: 0,
      sources: [],
      name: 'Ann',
      description: 'Look around',
      promptHead: 'Please look around',
      type: 'Explore',
    },
    toSessionId('test', 's'),
    undefined,
  );
  const parent = { ...sampleTranscript(), sub_agents: [{ ...sampleTranscript(), session_id: 'agent-2' }] };

  it('of a transcript or a report leaves no byte of itself', () => {
    for (const value of [parent, report]) {
      let places = 0;
      for (const planted of stringPlaces(value, github)) {
        places++;
        const json = JSON.stringify(redact(planted));
        expect(json).not.toContain(github.slice(4, 12));
        expect(json).toContain('[redacted:github-token#1]');
      }
      expect(places).toBeGreaterThan(30);
    }
  });

  it('of any value leaves no byte of itself, whatever kind it is', () => {
    const samples = CREDENTIAL_RULES.filter(({ isGeneral }) => !isGeneral).flatMap(({ samples: all }) => all);
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...samples), fc.nat(), fc.nat(), (value, sample, seed, which) => {
        const { text, secrets } = fillSample(sample, seed);
        const planted = [...stringPlaces([value, 'x'], `\n${text}\n`)];
        const json = JSON.stringify(redact(planted[which % planted.length]));
        for (const secret of secrets) expect(json).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
      { numRuns: runsOf(300) },
    );
  });

  it('is found though its digits repeat', () => {
    const key = ['3451335ffcf38a28', '43e5381646348184'].join('');
    expect(redact(`ALGOLIA_ADMIN_KEY=${key}`)).toMatch(/^ALGOLIA_ADMIN_KEY=\[redacted:[^\]]+\]$/);
  });

  it('leaves everything else as it is', () => {
    const { author: _author, ...rest } = parent;
    expect(redact({ ...rest, sub_agents: [] })).toEqual({ ...rest, sub_agents: [] });
  });

  it('is found once more by nothing: redacting twice changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...CREDENTIAL_RULES.flatMap(({ samples }) => samples)), { maxLength: 6 }),
        (samples) => {
          const once = redact(samples.map((sample) => fill(sample)).join(' ; '));
          expect(redact(once)).toBe(once);
        },
      ),
    );
  });
});

describe('placeholders', () => {
  it('are the same for the same secret, numbered by the order of scanning', () => {
    const [one, two] = [fill('ghp_{an:36}', 1), fill('ghp_{an:36}', 2)];
    expect(redact([{ a: two }, { b: `${one} and ${two}` }])).toEqual([
      { a: '[redacted:github-token#1]' },
      { b: '[redacted:github-token#2] and [redacted:github-token#1]' },
    ]);
  });

  it('replace a known secret without any context, also encoded or cut', () => {
    const value = 'p4ss-Wort-x9';
    const texts = [
      `DB_PASSWORD=${value}`,
      `it is ${value}, I think`,
      btoa(value),
      `a=${encodeURIComponent(`${value}/`)}`,
      [...value].map((unit) => unit.charCodeAt(0).toString(16)).join(''),
      `cut ${value.slice(0, 9)}…`,
      `at the end ${value.slice(0, 9)}`,
      `not in aa${value}aa`,
    ];
    expect(redact(texts.map((text) => ({ text }))).map(({ text }) => text)).toEqual([
      'DB_PASSWORD=[redacted:labelled-value#1]',
      'it is [redacted:labelled-value#1], I think',
      '[redacted:labelled-value#1]',
      'a=[redacted:labelled-value#1]%2F',
      '[redacted:labelled-value#1]',
      'cut [redacted:labelled-value#1]…',
      'at the end [redacted:labelled-value#1]',
      `not in aa${value}aa`,
    ]);
  });

  it('do not replace an ordinary word that was used as a password', () => {
    expect(redact({ a: 'PASSWORD=staging', b: 'on staging it works' })).toEqual({
      a: 'PASSWORD=[redacted:named-secret#1]',
      b: 'on staging it works',
    });
  });

  it('name a key the same however its lines are shown, and replace a single line of it', () => {
    const key = fill('{pem:RSA PRIVATE KEY}');
    const line = key.split('\n')[2]!;
    const shown = [
      key,
      key
        .split('\n')
        .map((each, at) => `${at + 8}\t${each}`)
        .join('\n'),
      key
        .split('\n')
        .map((each) => `+${each}`)
        .join('\n'),
      JSON.stringify(key),
      `head: ${line}`,
    ];
    const left = redact(shown.map((text) => ({ text })));
    for (const { text } of left) {
      expect(text).toContain('[redacted:private-key#1]');
      expect(text).not.toContain(line.slice(0, 20));
    }
    const lines = redact(key.split('\n'));
    expect(lines.join('')).not.toContain(line.slice(0, 20));
  });

  it('keep two fields apart whose names became the same', () => {
    expect(redact({ '/home/ann/x': 1, '/Users/ann/x': 2 })).toEqual({ '~/x': 1, '~/x (2)': 2 });
  });
});

describe('fields by their name', () => {
  it('are hidden whole, unless they are placeholders', () => {
    expect(
      redact({
        password: 'two words',
        token: '$TOKEN',
        pin: 4711,
        apiKey: ['a b', '<key>'],
        secret: { a: 'word', b: 'x9!kkq2' },
      }),
    ).toEqual({
      password: '[redacted:secret-field#1]',
      token: '$TOKEN',
      pin: '[redacted:secret-field#2]',
      apiKey: ['[redacted:secret-field#3]', '<key>'],
      secret: { a: 'word', b: '[redacted:secret-field#4]' },
    });
  });
});

describe('people', () => {
  const redactText = (text: string, options: RedactorOptions = {}): string => redact({ text }, options).text;

  it.each([
    ['/home/ann/project', '~/project'],
    ['cd /Users/ann && ls', 'cd ~ && ls'],
    ['C:\\Users\\ann\\x', '~\\x'],
    ['C:\\\\Users\\\\ann\\\\x', '~\\\\x'],
    ['%2Fhome%2Fann%2Fx', '~%2Fx'],
    ['file:///home/ann/x', 'file://~/x'],
    ['projects/-home-ann-project/a.jsonl', 'projects/~-project/a.jsonl'],
    ['\\/home\\/ann\\/x', '~\\/x'],
    ['/home/user/x and example.com/home/page', '/home/user/x and example.com/home/page'],
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it('replaces this machine’s home, wherever it is', () => {
    expect(redactText('/data/people/ann/x /data/people/anna -data-people-ann-x', { home: '/data/people/ann' })).toBe(
      '~/x /data/people/anna ~-x',
    );
  });

  it('replaces names of users and hosts as whole words, but ordinary words and short names in paths only', () => {
    expect(
      redactText('annika on annsbook, Annika@annsbook: Hannah, dev and kay on server in /home/kay/x, grape', {
        users: ['annika', 'dev', 'kay', 'grape'],
        hosts: ['annsbook', 'server'],
      }),
    ).toBe(
      '[redacted:user-name#1] on [redacted:host-name#1], [redacted:user-name#1]@[redacted:host-name#1]: Hannah, dev and kay on server in ~/x, grape',
    );
  });

  it('include the owner of the working folder and the author in git', () => {
    const left = redact({
      cwd: '/home/annika/x',
      author: { name: 'Ann Roe', email: 'ann@roe.invalid' },
      text: 'annika, Ann Roe <ann@roe.invalid>',
    });
    expect(JSON.stringify(left)).not.toMatch(/annika|Ann Roe|ann@/i);
  });

  it('leaves e-mail, phone, card and address unless asked', () => {
    const text = 'jane@company.io +49 170 1234567, 4242 4242 4242 4242 203.0.114.7 127.0.0.1';
    expect(redactText(text)).toBe(text);
    expect(redactText(text, { pii: true })).toBe(
      '[redacted:email#1] [redacted:phone#1], [redacted:card#1] [redacted:ip-address#1] 127.0.0.1',
    );
  });
});

describe('own patterns and exceptions', () => {
  it('are followed', () => {
    const options = { patterns: [{ name: 'ticket', pattern: 'ACME-(\\d+)' }], allow: [github, '/AKIA.*/'] };
    expect(redact({ a: `ACME-4711 ${github} ${fill('AKIA{up:16}')}` }, options).a).toBe(
      `ACME-[redacted:ticket#1] ${github} ${fill('AKIA{up:16}')}`,
    );
  });
});

describe('findings', () => {
  it('report kind and location, but not the secret', () => {
    const transcript = sampleTranscript();
    const planted = {
      ...transcript,
      messages: [
        { ...transcript.messages[0]!, content: [{ type: 'text' as const, text: `a\nb ${github}\n${github}` }] },
      ],
    };
    const redactor = createRedactor();
    redactor.scan(planted);
    redactor.redactTranscript(planted);
    expect(redactor.findings().filter(({ rule }) => rule === 'github-token')).toEqual([
      {
        rule: 'github-token',
        what: expect.stringContaining('GitHub'),
        why: 'It has the published shape of this kind: token of GitHub.',
        key: null,
        placeholder: '[redacted:github-token#1]',
        agent: 'session-1',
        message: 'm1',
        field: 'content[0].text',
        line: 2,
        count: 2,
      },
    ]);
  });

  it('hide secrets in their locations, too', () => {
    const redactor = createRedactor();
    const value = { [github]: { 'x y': github } };
    const [first] = sampleTranscript().messages;
    const input = { type: 'tool_use', tool_use_id: 'c', name: 'Bash', input: value, summary: null } as const;
    const planted = {
      ...sampleTranscript(),
      session_id: github,
      messages: [{ ...first!, id: github, content: [input] }],
    };
    redactor.scan(planted);
    redactor.redactTranscript(planted);
    expect(redactor.findings().some(({ field }) => field.startsWith('content[0].input'))).toBe(true);
    expect(JSON.stringify(redactor.findings())).not.toContain(github.slice(4, 14));
  });
});

describe('images', () => {
  it('lose their bytes and keep their size', () => {
    const left = dropImages({ ...sampleTranscript(), sub_agents: [sampleTranscript()] });
    expect(JSON.stringify(left)).not.toContain('iVBOR');
    expect(JSON.stringify(left.sub_agents)).toContain('"bytes":16');
  });
});
