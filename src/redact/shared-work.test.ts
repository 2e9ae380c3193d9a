import { describe, expect, it } from 'vitest';
import type { Transcript } from '../core/index.ts';
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
  for (const one of session) redactor.learn(redactor.gather(one).gathered);
  const clean = session.map((one) => redactor.redactTranscript(one));
  return { clean, findings: redactor.findings() };
}

/** Others search and redact, in another order; one names and counts. */
function shared(session: readonly Transcript[]) {
  const chief = createRedactor();
  const helpers = session.map(() => createRedactor());
  const copy = <Value>(value: Value): Value => structuredClone(value);
  const gathered = session.map((one, index) => copy(helpers[index]?.gather(one).gathered)).reverse();
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

  it('gives the same result when a person is named only later', () => {
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

  it('gives the same result to a worker that has scanned it before', () => {
    const redactor = createRedactor();
    const looked = SESSION.map((one) => redactor.gather(one));
    for (const { gathered } of looked) redactor.learn(gathered);
    const clean = SESSION.map((one, index) => redactor.redactTranscript(one, looked[index]?.looked));
    expect(clean).toEqual(alone(SESSION).clean);
    expect(redactor.findings()).toEqual(alone(SESSION).findings);
  });
});

describe('a look that was taken before', () => {
  const plain = transcript('plain', 'nothing here', { command: 'ls -la' });
  /** Where nothing was found, something is put in: who relies on the look does not find it. */
  const planted = transcript('plain', `nothing ${tokens[0]}`, { command: 'ls -la' });

  it('is relied on', () => {
    const redactor = createRedactor();
    const { looked } = redactor.gather(plain);
    expect(JSON.stringify(redactor.redactTranscript(planted, looked))).toContain(tokens[0]);
    expect(JSON.stringify(redactor.redactTranscript(planted))).not.toContain(tokens[0]);
  });

  it('counts only if the text held something before', () => {
    const redactor = createRedactor();
    const half = transcript('half', `first ${tokens[1]}`, 'nothing here');
    const { looked } = redactor.gather(half);
    const both = transcript('half', `first ${tokens[1]}`, `then ${tokens[2]}`);
    const left = JSON.stringify(redactor.redactTranscript(both, looked));
    expect(left).not.toContain(tokens[1]);
    expect(left).toContain(tokens[2]);
  });

  it('does not hide what became known elsewhere', () => {
    const redactor = createRedactor();
    const { looked } = redactor.gather(transcript('p', 'the word is hunter-22-zebra'));
    redactor.learn(redactor.gather(transcript('q', { password: 'hunter-22-zebra' })).gathered);
    const left = redactor.redactTranscript(transcript('p', 'the word is hunter-22-zebra'), looked);
    expect(JSON.stringify(left)).not.toContain('hunter');
  });

  it('is outdated when a person was found since', () => {
    const redactor = createRedactor();
    const { looked } = redactor.gather(plain);
    expect(redactor.isUpToDate(looked)).toBe(true);
    redactor.meet({ cwd: '/home/alexandra/work' });
    expect(redactor.isUpToDate(looked)).toBe(false);
    expect(JSON.stringify(redactor.redactTranscript(planted, looked))).not.toContain(tokens[0]);
  });

  it('says nothing of what the tree has added to a message', () => {
    const redactor = createRedactor();
    const call = { type: 'tool_use', tool_use_id: 'c', name: 'Agent', input: {}, summary: null };
    const message = { id: 'm', role: 'assistant', timestamp: null, model: null, content: [call] };
    const bare = { session_id: 'a', messages: [message] } as unknown as Transcript;
    const { looked } = redactor.gather(bare);
    const ref = { agent_id: 'x', agent_name: `uses ${tokens[0]}`, agent_type: null, team_name: null };
    const withDoor = {
      ...bare,
      messages: [{ ...message, content: [{ ...call, sub_agent_ref: ref }] }],
    } as unknown as Transcript;
    expect(JSON.stringify(redactor.redactTranscript(withDoor, looked))).not.toContain(tokens[0]);
  });

  it('does not skip values that are nested too deep to be scanned', () => {
    const redactor = createRedactor();
    let input: unknown = tokens[0];
    for (let level = 0; level < 300; level++) input = { a: input };
    const deep = transcript('deep', input);
    const { looked } = redactor.gather(deep);
    expect(JSON.stringify(redactor.redactTranscript(deep, looked))).not.toContain(tokens[0]);
  });

  it('also works for values that are not transcripts', () => {
    const redactor = createRedactor();
    const looked = redactor.scan({ a: 'nothing', b: `has ${tokens[0]}` });
    const left = redactor.redactValue({ a: tokens[1], b: `has ${tokens[0]}` }, looked);
    expect(left).toEqual({ a: tokens[1], b: 'has [redacted:github-token#1]' });
  });
});
