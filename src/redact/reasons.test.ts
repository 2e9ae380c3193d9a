import { describe, expect, it } from 'vitest';
import { createRedactor } from './create-redactor.ts';
import { fillSample } from './testing/fill-sample.ts';

function whyOf(sample: unknown, options: Parameters<typeof createRedactor>[0] = {}): readonly string[] {
  const redactor = createRedactor(options);
  const value = typeof sample === 'string' ? fillSample(sample).text : sample;
  redactor.scan(value);
  redactor.redactValue(value);
  return redactor.findings().map(({ why }) => why);
}

describe('why something was redacted', () => {
  it.each<[string, unknown, string]>([
    [
      'its name',
      'export STAGING_PASSWORD={=plum-tree-9}',
      'The name in front of it, "STAGING_PASSWORD", says that it is secret.',
    ],
    [
      'the name of its field',
      { config: { clientSecret: 'plum tree' } },
      'The name in front of it, "clientSecret", says that it is secret.',
    ],
    [
      'a name that is not right in front of it',
      '["login","--password","plum-tree-9"]',
      'The name in front of it, or its label, says that it is secret.',
    ],
    ['its published shape', 'see glpat-{w:20}', 'It has the published shape of this kind: token of GitLab.'],
    ['a private key', '{pem:EC PRIVATE KEY}', 'It is a private key, or a part of one.'],
    [
      'its place',
      'postgres://ann:{an:14}@db.internal/app',
      expect.stringMatching(/^Its place is one for secrets: password in a URL/),
    ],
    ['a sentence', 'use {=Plum-Tree-99} as the admin password', 'The sentence around it says that it is a secret.'],
  ])('says that it is %s', (_what, sample, why) => {
    expect(whyOf(sample)).toEqual([why]);
  });

  it('says who is named', () => {
    const options = { home: '/home/margarethe', users: ['margarethe'], hosts: ['plumtree'] };
    expect(whyOf('cd /home/margarethe/app as margarethe on plumtree', options)).toEqual([
      'A path names the home folder of a user.',
      'It is the name of a user of this machine or session.',
      'It is the name of this machine.',
    ]);
  });

  it('names a pattern of config.json', () => {
    expect(whyOf('ticket PLUM-1234', { patterns: [{ name: 'ticket', pattern: 'PLUM-\\d+' }] })).toEqual([
      'Your own pattern "ticket" in config.json matches it.',
    ]);
  });

  it('does not call the name of a field secret if it is not', () => {
    expect(whyOf({ text: `ghp${'_'}${'Plum9tree'.repeat(4)}` })).toEqual([
      'It has the published shape of this kind: token of GitHub.',
    ]);
  });

  it('shows nothing secret in a name', () => {
    const token = fillSample('glpat-{w:20}').text;
    for (const why of whyOf(`${token}_password=plum-tree-9`)) expect(why).not.toContain(token);
  });

  it('takes a bounded time for a long line full of secrets', () => {
    const line = Array.from({ length: 3_000 }, (_, at) => `API_KEY_${at}=${fillSample('{an:24}', at + 1).text}`).join(
      ' ',
    );
    const redactor = createRedactor();
    redactor.scan(line);
    expect(redactor.redactText(line)).not.toContain(fillSample('{an:24}', 1).text);
    expect(redactor.findings().length).toBe(3_000);
  });
});
