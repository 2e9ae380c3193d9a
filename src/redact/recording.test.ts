import { expect, it } from 'vitest';
import { createRedactor } from './create-redactor.ts';

// What the `secrets` recording of Claude Code plants, put together here so that nobody who scans this repository finds it.
const fake = (times: number): string => 'FAKEfake'.repeat(times);
const dashes = '-'.repeat(5);
const PLANTED: Readonly<Record<string, string>> = {
  'anthropic-key': `sk-ant${'-api03-'}${fake(2)}0123456789-${fake(2)}0123456789-${fake(2)}0123456789abcdef-FAKEAA`,
  'openai-key': `sk-${'proj-'}${fake(3)}T3BlbkFJ${fake(3)}`,
  'aws-access-key-id': `AKIA${'IOSFODNN7QXW2PLE'}`,
  'aws-secret-access-key': `wJalrXUtnFEMI/${'K7MDENG/'}bPxRfiCYQXW2PLEKEY`,
  'github-token': `ghp${'_'}${fake(4)}0000`,
  'github-fine-grained-token': `github${'_pat_'}11FAKEFAKE0FAKEfakeFAKEf_${fake(7)}FAK`,
  'gitlab-token': `glpat${'-'}${fake(2)}0000`,
  'slack-token': `xoxb${'-'}000000000000-000000000000-${fake(3)}`,
  'stripe-key': `sk${'_live_'}${fake(3)}`,
  'google-api-key': `AIza${'Sy'}${fake(4)}0`,
  'npm-token': `npm${'_'}${fake(4)}0000`,
  'telegram-bot-token': `1234567890${':'}AA${fake(4)}0`,
  jwt: `eyJ${'hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'}.eyJzdWIiOiJmYWtlIn0.${fake(5)}FAK`,
  'database-url': `postgres://${'demo:'}fake-Passw0rd!@db.example.invalid:5432/app`,
  'basic-auth-url': `https://${'ci-user:'}fake-t0ken@git.example.invalid/app.git`,
  'bearer-header': `Authorization: ${'Bearer '}${fake(4)}FAKE`,
  'password-assignment': `DB_PASSWORD${'='}correct-horse-fake-staple`,
  'private-key': `${dashes}BEGIN RSA PRIVATE KEY${dashes}\nMII${fake(7)}FAKEf\nake${fake(7)}==\n${dashes}END RSA PRIVATE KEY${dashes}`,
};

it('leaves none of the secrets planted in the recording', () => {
  const file = Object.entries(PLANTED)
    .map(([kind, value]) => `# ${kind}\n${value}\n`)
    .join('');
  const numbered = file
    .split('\n')
    .map((line, at) => `${at + 1}\t${line}`)
    .join('\n');
  const session = {
    title: `The first GitHub token is ${PLANTED['github-token']}.`,
    messages: [
      { id: 'm1', role: 'user', content: [{ type: 'tool_result', text: file }] },
      { id: 'm2', role: 'user', content: [{ type: 'tool_result', text: numbered }] },
      {
        id: 'm3',
        role: 'assistant',
        content: [
          {
            input: { command: `echo "would call: curl -H '${PLANTED['bearer-header']}' https://api.example.invalid"` },
          },
          { input: { content: `TOKEN=${PLANTED['slack-token']}\nURL=${PLANTED['database-url']}\n` } },
          {
            text: `An AWS pair (${PLANTED['aws-access-key-id']} / ${PLANTED['aws-secret-access-key']}), a key and 15 more.\n\n${PLANTED['private-key']}`,
          },
        ],
      },
    ],
  };
  for (const value of [session, JSON.stringify(session), JSON.stringify(JSON.stringify(session))]) {
    const redactor = createRedactor();
    redactor.scan(value);
    const left = JSON.stringify(redactor.redactValue(value));
    const secrets = Object.values(PLANTED)
      .flatMap((planted) => planted.split('\n'))
      .filter((line) => !line.startsWith('-'));
    for (const secret of secrets) expect(left).not.toContain(secret);
    for (const part of ['FAKEfake', 'Passw0rd', 't0ken', 'correct-horse', 'wJalr', 'IOSFODNN'])
      expect(left).not.toContain(part);
    // One number for each, though each stands in several places and forms.
    expect(new Set(left.match(/\[redacted:[^\]]*\]/g)).size).toBe(Object.keys(PLANTED).length);
  }
});
