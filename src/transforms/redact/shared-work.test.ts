import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../model/transcript.ts';
import { createRedactor } from './create-redactor.ts';
import { fillSample } from './testing/fill-sample.ts';

const secretOf = (sample: string, seed: number): string => fillSample(sample, seed).text;
const tokens = [1, 2, 3].map((seed) => secretOf('ghp_{an:36}', seed));
const home = '/home/alexandra/work';

function transcript(agent: string, ...texts: readonly unknown[]): Transcript {
  const content = texts.map((text) =>
    typeof text === 'string'
      ? { type: 'text', text }
      : { type: 'tool_use', tool_use_id: 'c', name: 'Bash', input: text },
  );
  const messages = [{ id: `m-${agent}`, role: 'assistant', timestamp: null, model: null, content }];
  return { session_id: agent, messages } as unknown as Transcript;
}

const SESSION = [
  transcript('main', `first ${tokens[1]}`, 'nothing here', { password: 'hunter-22-zebra' }),
  transcript('a', `then ${tokens[0]} and ${tokens[1]}`, `echo ${btoa(`${tokens[2]}`)}`),
  transcript('b', `bare ${tokens[2]}`, 'hunter-22-zebra again', `in ${home}/x`),
];

/** One who does everything. */
function alone(session: readonly Transcript[]) {
  const redactor = createRedactor();
  for (const one of session) redactor.learn(redactor.gather(one));
  const clean = session.map((one) => redactor.redactTranscript(one));
  return { clean, findings: redactor.findings() };
}

/** Others search and redact, in another order; one names and counts. */
function shared(session: readonly Transcript[]) {
  const chief = createRedactor();
  const helpers = session.map(() => createRedactor());
  const copy = <Value>(value: Value): Value => structuredClone(value);
  const gathered = session.map((one, index) => copy(helpers[index]?.gather(one))).reverse();
  for (const one of gathered.reverse()) if (one) chief.learn(one);
  for (const helper of helpers) helper.adopt(copy(chief.memory()));
  const apart = session.map((one, index) => helpers[session.length - 1 - index]?.redactApart(one));
  const clean = session.map((one, index) => {
    const done = apart[index];
    if (!done) return chief.redactTranscript(one);
    chief.addFindings(copy(done.findings));
    return done.transcript;
  });
  return { clean, findings: chief.findings(), apart };
}

describe('work that several share', () => {
  it('gives what one alone would give', () => {
    const { clean, findings, apart } = shared(SESSION);
    expect(apart.every((one) => one !== undefined)).toBe(true);
    expect(clean).toEqual(alone(SESSION).clean);
    expect(findings).toEqual(alone(SESSION).findings);
    for (const token of tokens) expect(JSON.stringify(clean)).not.toContain(token);
    expect(JSON.stringify(clean)).not.toContain('hunter-22');
    expect(findings.length).toBeGreaterThan(5);
  });

  it('gives the same where somebody is named only later', () => {
    const session = [...SESSION, transcript('c', 'who was it', { cwd: home }), transcript('d', 'Alexandra was')];
    session.unshift(transcript('top', 'ask alexandra, she knows'));
    const { clean, findings, apart } = shared(session);
    // Who is known to the last one only has no name yet where the others find her.
    expect(apart.some((one) => one === undefined)).toBe(true);
    expect(clean).toEqual(alone(session).clean);
    expect(findings).toEqual(alone(session).findings);
    expect(JSON.stringify(clean)).not.toMatch(/alexandra/i);
  });

  it('names the same as a scan does', () => {
    const scanned = createRedactor();
    for (const one of SESSION) scanned.scan(one);
    expect(SESSION.map((one) => scanned.redactTranscript(one))).toEqual(alone(SESSION).clean);
  });
});
