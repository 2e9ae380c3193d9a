import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { describe, expect, it } from 'vitest';
import { createRedactor } from './create-redactor.ts';
import { CREDENTIAL_RULES } from './rules/all-rules.ts';
import { fillSample } from './testing/fill-sample.ts';

/** Kinds that its documentation names, written anew, in their plainest and in unusual forms. */
const CORPUS = [
  'AKIA{up:16}',
  'AROA{up:16}',
  'A3TX{up:16}',
  'aws_secret_access_key = {b64:40}',
  'AWS_SECRET_ACCESS_KEY="{b64:40}"',
  '"SecretAccessKey": "{b64:40}"',
  '{pem:RSA PRIVATE KEY}',
  '{pem:PRIVATE KEY}',
  '{pem:EC PRIVATE KEY}',
  'https://{hex:40}:x-oauth-basic@github.com/o/r',
  '//registry.example.com/:_authToken={az:30}',
  'npm_{an:36}',
  'xoxb-{num:10}-{an:24}',
  'xoxp-{num:10}-{num:10}-{hex:32}',
  'xapp-1-A{up:9}-{num:13}-{hex:32}',
  'xoxr-{an:5}-{an:5}',
  'https://hooks.slack.com/services/T{up:8}/B{up:8}/{an:24}',
  'https://someone:{an:12}@host.example.net/path',
  'ftp://backup:{az:9}@files.example.net',
  'sk-{an:20}T3BlbkFJ{an:20}',
  'sk-proj-{an:74}T3BlbkFJ{an:74}',
  'sk-svcacct-{an:58}T3BlbkFJ{an:58}',
  'sk-ant-api03-{w:93}AA',
  'gsk_{an:52}',
  'lin_api_{an:40}',
  'ntn_{num:11}{an:35}',
  'SG.{an:22}.{an:43}',
  'shpat_{hex:32}',
  'shpss_{an:32}',
  'ghp_{an:36}',
  'ghs_{an:36}',
  'github_pat_{an:22}_{an:59}',
  'glpat-{an:20}',
  'glpat-{an:60}',
  'glc_{b64:80}',
  'glsa_{an:32}_{hex:8}',
  'ops_ey{an:200}fQ',
  'mongodb://dbuser:{an:14}@mongo.internal:27017/app',
  'mongodb+srv://dbuser:{an:14}@cluster0.mongo.internal/app?retryWrites=true',
  'mysql://dbuser:{an:14}@mysql.internal:3306/app',
  'jdbc:mysql://dbuser:{an:14}@mysql.internal:3306/app',
  'postgresql://dbuser:{az:11}@pg.internal/app',
  'hvs.{w:92}',
  'hvb.{w:140}',
  'vcp_{an:24}',
  'dapi{HEX:32}',
  'dckr_pat_{an:27}',
  'figd_{w:40}',
];

async function secretlintFinds(text: string): Promise<readonly string[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: '/x/notes.txt', ext: '.txt', contentType: 'text' },
    options: {
      locale: 'en',
      config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator, options: {} }] },
    },
  });
  return messages.map(({ range: [start = 0, end = 0] }) => text.slice(start, end));
}

describe('what secretlint finds', () => {
  it('is found here, too', async () => {
    const samples = [...CORPUS, ...CREDENTIAL_RULES.flatMap((rule) => rule.samples)];
    let found = 0;
    const passedOver: string[] = [];
    for (const sample of samples)
      for (const seed of [1, 2]) {
        const { text } = fillSample(sample, seed);
        const theirs = await secretlintFinds(`${text}\n`);
        found += theirs.length;
        const ours = createRedactor().redactText(text);
        for (const secret of theirs) if (ours.includes(secret)) passedOver.push(`${sample}: ${secret}`);
      }
    expect(passedOver).toEqual([]);
    // The oracle is at work: it finds most of what was written for it.
    expect(found).toBeGreaterThan(CORPUS.length * 1.6);
  });
});
