import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPendingApprovals, type PendingApprovals, type Question } from '../../guard/index.ts';
import { readEvents } from './testing/read-events.ts';
import { recordedLive } from './testing/recorded-live.ts';
import { KEYS, type Served, serve, TOKEN } from './testing/serve.ts';
import { misfits } from './testing/validate.ts';

const NOBODY = { who: 'unknown', id: null, type: null, name: null, kind: null, depth: null } as const;
const QUESTION: Question = {
  host: 'claude-code',
  session: 's',
  agent: { ...NOBODY, path: [], evidence: 'none', reason: 'it is a test' },
  tool: 'Bash',
  call: null,
  summary: 'git push',
  input: { command: 'git push' },
  cwd: null,
  rule: 'user:1',
  reason: 'It leaves this machine.',
};
const IDS = ['0', '1', '2'].map((digit) => digit.repeat(32));

let now = 0;
let desk: PendingApprovals;
let server: Served;
beforeEach(async () => {
  now = Date.parse('2026-11-15T12:00:00Z');
  const ids = [...IDS];
  desk = createPendingApprovals({ clock: () => now, createId: () => ids.shift() ?? '', later: () => () => {} });
  server = await serve(await recordedLive('2.1.325-single'), { asks: desk });
});
afterEach(() => server.close());

const open = () => desk.open(QUESTION, { ms: 60_000, otherwise: 'deny' }, () => true);

async function post(id: string, body: string | undefined, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/asks/${id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  });
  const json = await response.json();
  return { status: response.status, code: json.error?.code, ask: json.ask, json };
}
const ALLOW = '{"answer":"allow"}';

describe('/api/asks', () => {
  it('lists pending approvals, and how the last ones ended', async () => {
    open();
    open();
    desk.answer(IDS[0] ?? '', 'deny', 'cli');
    const listed = (await server.json('/api/asks')) as { asks: object[] };
    expect(misfits('asks', listed)).toBe('');
    expect(listed.asks).toMatchObject([{ end: { by: 'cli', decision: 'deny' } }, { end: null }]);
  });

  const FORGED = '{"answer":"allow","by":"telegram:42 @boss"}';
  const CHANNELS: readonly (readonly [string, () => Record<string, string>])[] = [
    ['api', () => ({})],
    ['api', () => ({ origin: `http://127.0.0.1:${server.port}` })],
    ['cli', () => ({ authorization: `Bearer ${KEYS.cli}` })],
    ['terminal', () => ({ authorization: `Bearer ${KEYS.terminal}` })],
    ['page', () => ({ authorization: '', cookie: server.logIn() })],
  ];
  it.each(CHANNELS)(
    'records the channel "%s" that authenticated the answer, whatever the answer says',
    async (by, headers) => {
      open();
      expect(await post(IDS[0] ?? '', FORGED, headers())).toMatchObject({ status: 200, ask: { end: { by } } });
    },
  );

  it('takes the name of a Telegram user from the Telegram channel only', async () => {
    open();
    open();
    const headers = { authorization: `Bearer ${KEYS.telegram}` };
    expect(await post(IDS[0] ?? '', FORGED, headers)).toMatchObject({ ask: { end: { by: 'telegram:42 @boss' } } });
    for (const by of ['telegram:7 @ann\nadmin', 'page', undefined])
      expect(await post(IDS[1] ?? '', JSON.stringify({ answer: 'allow', by }), headers)).toMatchObject({ status: 400 });
    expect(misfits('asks', (await server.json('/api/asks')) as object)).toBe('');
  });

  it('refuses an answer, and a login link, to a process that the check refuses', async () => {
    await server.close();
    const refusal = { status: 403, code: 'from-agent', message: 'It is an agent.' } as const;
    server = await serve(await recordedLive('2.1.325-single'), { asks: desk, checkAnswerer: async () => refusal });
    open();
    expect(await post(IDS[0] ?? '', ALLOW)).toMatchObject({ status: 403, code: 'from-agent' });
    expect(desk.list()[0]?.end).toBeNull();
    const login = { method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' } };
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/login`, { ...login, body: '{}' });
    expect([answer.status, (await answer.json()).error.code]).toEqual([403, 'from-agent']);
  });

  it('takes one answer; later ones get the decision that was made', async () => {
    open();
    expect(await post(IDS[0] ?? '', ALLOW)).toMatchObject({ status: 200, ask: { end: { by: 'api' } } });
    const late = await post(IDS[0] ?? '', '{"answer":"deny","by":"cli"}');
    expect(late).toMatchObject({ status: 409, code: 'ask-answered', ask: { end: { decision: 'allow', by: 'api' } } });
    const held = open();
    held?.withdraw();
    expect(await post(IDS[1] ?? '', ALLOW)).toMatchObject({ status: 410, code: 'ask-withdrawn' });
    open();
    now += 60_000;
    expect(await post(IDS[2] ?? '', ALLOW)).toMatchObject({ status: 410, code: 'ask-expired' });
    expect(await post('f'.repeat(32), ALLOW)).toMatchObject({ status: 404, code: 'ask-not-found' });
  });

  it('decides nothing on invalid answers, or on answers without the right to give them', async () => {
    open();
    const id = IDS[0] ?? '';
    const cases = [
      [ALLOW, { authorization: 'Bearer other' }, 401],
      [ALLOW, { origin: 'http://evil.example' }, 403],
      [ALLOW, { 'sec-fetch-site': 'same-site' }, 403],
      [ALLOW, { 'sec-fetch-site': 'cross-site' }, 403],
      [ALLOW, { 'sec-fetch-site': 'none' }, 403],
      [ALLOW, { 'content-type': 'text/plain' }, 415],
      [ALLOW, { 'content-type': 'application/x-www-form-urlencoded' }, 415],
      [`${ALLOW}${' '.repeat(1_000)}`, {}, 413],
      [undefined, {}, 413],
      ['{"answer":"yes"}', {}, 400],
      ['{"answer":', {}, 400],
      ['null', {}, 400],
    ] as const;
    for (const [body, headers, status] of cases)
      expect([body, headers, (await post(id, body, headers)).status]).toEqual([body, headers, status]);
    expect((await server.get(`/api/asks/${id}`, { method: 'PUT' })).status).toBe(405);
    expect((await server.get(`/api/asks/${id}`)).status).toBe(404);
    expect((await server.get('/api/status', { method: 'POST' })).status).toBe(405);
    expect(desk.list()[0]?.end).toBeNull();
    expect(server.errors).toEqual([]);
  });

  it('does not exist when no calls can be held', async () => {
    const without = await serve(await recordedLive('2.1.325-single'));
    expect((await without.get('/api/asks')).status).toBe(404);
    expect((await without.get('/api/asks/x', { method: 'POST' })).status).toBe(405);
    await without.close();
  });
});

describe('events of approvals', () => {
  it('are sent as they come, are in every snapshot, and are repeated after a lost connection', async () => {
    const reader = readEvents(server.port, TOKEN);
    await reader.until(() => reader.events.length === 1);
    const last = reader.events[0]?.id ?? '';
    open();
    desk.answer(IDS[0] ?? '', 'allow', 'terminal');
    await reader.until(() => reader.events.length === 3);
    for (const { type, data } of reader.events) expect(misfits('events', { type, data })).toBe('');
    expect(reader.picture()?.asks).toMatchObject([{ id: IDS[0], end: { by: 'terminal' } }]);
    reader.close();

    const back = readEvents(server.port, TOKEN, { 'Last-Event-ID': last });
    await back.until(() => back.events.length === 2);
    expect(back.events.map(({ type }) => type)).toEqual(['ask', 'ask']);
    back.close();

    open();
    const late = readEvents(server.port, TOKEN);
    await late.until(() => late.events.length === 1);
    expect(late.picture()?.asks.map(({ end }) => end?.by)).toEqual(['terminal', undefined]);
    late.close();
  });
});
