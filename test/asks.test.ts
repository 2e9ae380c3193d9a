import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApprovalRequest, AuditEntry } from '../src/core/index.ts';
import { misfits } from '../src/server/http/testing/validate.ts';
import { BASH, type HeldCalls, prepareHeldCalls, RECORDING } from './testing/held-calls.ts';
import { createProgramHome, type ProgramHome, type RunningProgram } from './testing/program.ts';
import { accessTo, type ServerAccess } from './testing/server-access.ts';

// A call that waits for a person: the built server, the script that hosts run, and a socket between them.

let program: ProgramHome;
let state: string;
let calls: HeldCalls;
let server: RunningProgram;
let origin: string;
let access: ServerAccess;
beforeEach(async () => {
  program = createProgramHome(RECORDING);
  calls = await prepareHeldCalls(program);
  ({ state } = calls);
});
afterEach(() => program.end());

async function serve(): Promise<void> {
  server = program.start(['--no-open', '--json']);
  await vi.waitUntil(() => server.out().trimEnd().endsWith('}'), { timeout: 30_000 });
  access = accessTo(state);
  ({ origin } = access);
}

const headers = (): Record<string, string> => ({
  ...access.headers,
  'content-type': 'application/json',
});
const list = async (): Promise<readonly ApprovalRequest[]> =>
  (await (await fetch(`${origin}/api/asks`, { headers: headers() })).json()).asks;
const answer = async (id: string, body: object) => {
  const response = await fetch(`${origin}/api/asks/${id}`, {
    method: 'POST',
    headers: headers(),
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};
const open = async (): Promise<ApprovalRequest> =>
  vi.waitUntil(async () => (await list()).find(({ end }) => end === null), { timeout: 30_000, interval: 50 });
const drafts = (): readonly string[] => readdirSync(path.join(state, 'spool')).filter((name) => name.startsWith('.'));
const logged = async (): Promise<AuditEntry> => {
  const { out } = await program.run(['guard', 'log', '--json', '-n', '1']);
  return JSON.parse(out);
};

describe('an answer', () => {
  it('reaches the hook that waits; the second, a late one and a forged one do nothing', async () => {
    await serve();
    const hook = calls.push('git push https://ada:hunter2@example.org/x.git main');
    const ask = await open();
    expect(misfits('asks', { asks: [ask] })).toBe('');
    expect(ask).toMatchObject({ tool: 'Bash', rule: 'user:1', otherwise: 'deny', session: BASH['session_id'] });
    expect(ask.id).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.stringify(ask)).not.toContain('hunter2');
    expect(Date.parse(ask.expiresAt) - Date.parse(ask.at)).toBe(60_000);
    await vi.waitUntil(async () => (await open()).agent.path.at(-1) !== 'general-purpose', { timeout: 30_000 });
    expect((await open()).agent.path.slice(0, 2)).toEqual(['main', 'Audit the repo']);

    expect((await answer(`${ask.id.slice(0, -1)}x`, { answer: 'allow' })).status).toBe(404);
    expect((await answer(ask.id, { answer: 'yes' })).status).toBe(400);
    expect((await answer(ask.id, {})).status).toBe(400);
    expect(drafts()).toHaveLength(1);

    const [first, second] = await Promise.all([
      answer(ask.id, { answer: 'allow', by: 'page' }),
      answer(ask.id, { answer: 'deny', by: 'cli' }),
    ]);
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    const taken = first.status === 200 ? first : second;
    const late = first.status === 200 ? second : first;
    expect(late.body.ask.end).toEqual(taken.body.ask.end);
    const { decision } = taken.body.ask.end;
    const { status, said } = await hook.ended;
    expect([status, said.permissionDecision]).toEqual([0, decision]);
    expect(said.permissionDecisionReason).toMatch(
      /It leaves this machine\. A person was asked and (allow|deni)ed it\.$/,
    );
    expect((await answer(ask.id, { answer: 'deny' })).status).toBe(409);
    const entry = await logged();
    // `page` is for those whom a browser vouches for.
    expect(entry).toMatchObject({ decision, rule: 'user:1', answeredBy: decision === 'allow' ? 'api' : 'cli' });
    expect(misfits('audit-entry', entry)).toBe('');
    expect(drafts()).toEqual([]);
  });

  it('is given on the command line, by the beginning of an id', async () => {
    await serve();
    const hook = calls.push();
    const ask = await open();
    const { out, errors } = await program.run(['guard', 'asks']);
    expect(errors).toMatch(/^Answer one with/);
    expect(out).toMatch(
      new RegExp(`^${ask.id.slice(0, 8)}  \\d:\\d\\d left, then denied\n  main › .*\n  Bash git push origin`),
    );
    const answered = await program.run(['guard', 'answer', ask.id.slice(0, 8), 'allow']);
    expect([answered.code, answered.out]).toEqual([0, expect.stringMatching(/Allowed on the command line\.\n$/)]);
    expect((await hook.ended).said.permissionDecision).toBe('allow');
    const again = await program.run(['guard', 'answer', ask.id.slice(0, 8), 'deny', '--json']);
    expect([again.code, JSON.parse(again.out)]).toMatchObject([1, { outcome: 'late', ask: { end: { by: 'cli' } } }]);
    expect((await program.run(['guard', 'answer', 'ffff', 'deny'])).code).toBe(2);
  });

  it('is not accepted from another page, or without a token', async () => {
    await serve();
    const hook = calls.push();
    const { id } = await open();
    const send = async (over: Record<string, string>, body = '{"answer":"allow"}') =>
      (await fetch(`${origin}/api/asks/${id}`, { method: 'POST', headers: { ...headers(), ...over }, body })).status;
    expect(await send({ authorization: 'Bearer x' })).toBe(401);
    expect(await send({ origin: 'http://evil.example' })).toBe(403);
    expect(await send({ 'content-type': 'text/plain' })).toBe(415);
    expect(await send({}, JSON.stringify({ answer: 'allow', pad: 'x'.repeat(2_000) }))).toBe(413);
    expect((await open()).id).toBe(id);
    expect(await send({ ...(await access.logIn()), authorization: '' })).toBe(200);
    await hook.ended;
    expect((await logged()).answeredBy).toBe('page');
  });
});

describe('without an answer', () => {
  it.each(['allow', 'deny'])('applies `on_timeout: %s` when nobody answers in time', async (onTimeout) => {
    calls.setPolicy('1s', onTimeout);
    await serve();
    const hook = calls.push();
    // It may have run out by the time we look.
    const { id } = await vi.waitUntil(async () => (await list())[0], { timeout: 30_000, interval: 50 });
    const { said } = await hook.ended;
    expect(said.permissionDecision).toBe(onTimeout);
    expect(said.permissionDecisionReason).toContain('No answer came within 1 s');
    expect((await answer(id, { answer: 'allow' })).status).toBe(410);
    expect(await logged()).toMatchObject({ decision: onTimeout, answeredBy: 'expiry' });
    expect((await logged()).ms).toBeGreaterThan(1_000);
  });

  it('a host that gives the call up: it is taken back, and nothing is decided', async () => {
    await serve();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const hook = calls.push();
      const { id } = await open();
      hook.child.kill(signal);
      await vi.waitUntil(async () => (await list()).find((ask) => ask.id === id)?.end, { timeout: 30_000 });
      expect((await answer(id, { answer: 'allow' })).status).toBe(410);
      expect(await logged()).toMatchObject({ decision: 'ask', answeredBy: 'withdrawn' });
      expect(drafts()).toEqual([]);
    }
  });

  it('applies `on_timeout` when the server stops or is killed', async () => {
    for (const [signal, words, by] of [
      ['SIGTERM', 'troupe stopped before an answer came', 'stop'],
      ['SIGKILL', 'No server of troupe runs that could ask', 'no-server'],
    ] as const) {
      await serve();
      const hook = calls.push();
      await open();
      server.child.kill(signal);
      const { said } = await hook.ended;
      expect([said.permissionDecision, said.permissionDecisionReason]).toEqual([
        'deny',
        expect.stringContaining(words),
      ]);
      await server.ended;
      expect(await logged()).toMatchObject({ decision: 'deny', answeredBy: by, rule: 'user:1' });
      expect(drafts()).toEqual([]);
    }
  });

  it('applies `on_timeout` at once when no server runs', async () => {
    const { said } = await calls.push().ended;
    expect(said.permissionDecision).toBe('deny');
    expect(await logged()).toMatchObject({ decision: 'deny', answeredBy: 'no-server' });
    expect((await program.run(['guard', 'asks'])).errors).toContain('no server runs');
  });
});
