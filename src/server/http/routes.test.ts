import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveSessionReport, SessionDetail, SessionListReport, TimelineReport } from '../../core/index.ts';
import { UserError } from '../../lib/user-error.ts';
import { ask } from './testing/ask.ts';
import { type MemoryLive, memoryLive } from './testing/memory-live.ts';
import { recordedLive } from './testing/recorded-live.ts';
import { type Served, STARTED_AT, serve, TOKEN } from './testing/serve.ts';
import { misfits } from './testing/validate.ts';

const RECORDINGS = ['2.1.325-nested', '2.1.325-xss', '2.1.325-failing', '2.1.2-single', '2.1.325-team'] as const;
const NESTED = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';

let live: MemoryLive;
let server: Served;
beforeAll(async () => {
  live = await recordedLive(...RECORDINGS);
  server = await serve(live);
});
afterAll(() => server.close());

const errorOf = (text: string): { code: string; message: string; remedy: string | null } => JSON.parse(text).error;

const post = (path: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{}',
  });

describe('/api/status', () => {
  it('returns who serves, and how much', async () => {
    const status = await server.json('/api/status');
    expect(misfits('status', status)).toBe('');
    expect(status).toEqual({
      version: '9.9.9',
      pid: process.pid,
      startedAt: new Date(STARTED_AT).toISOString(),
      port: server.port,
      sessions: RECORDINGS.length,
      older: 1,
      clients: 0,
      isComplete: true,
      notices: [],
    });
  });
});

describe('/api/sessions', () => {
  it('lists followed sessions without agents', async () => {
    const list = (await server.json('/api/sessions')) as { sessions: LiveSessionReport[]; total: number };
    expect(misfits('live-sessions', list)).toBe('');
    expect(list.sessions.map(({ id }) => id)).toEqual(live.snapshot().sessions.map(({ id }) => id));
    expect(list.total).toBe(RECORDINGS.length + 1);
    expect(list.sessions[0]).not.toHaveProperty('subagents');
  });

  it('fits its schema when there are no sessions', async () => {
    const empty = await serve(memoryLive());
    expect(misfits('live-sessions', await empty.json('/api/sessions'))).toBe('');
    await empty.close();
  });
});

describe('/api/session-list', () => {
  it('gives parts of the list, sorted and filtered', async () => {
    const all = (await server.json('/api/session-list?sort=tokens&group=none')) as SessionListReport;
    expect(misfits('session-list', all)).toBe('');
    expect(all).toMatchObject({ matching: RECORDINGS.length, from: 0, problem: null });
    const part = (await server.json('/api/session-list?sort=tokens&group=none&from=1&limit=1')) as SessionListReport;
    expect(misfits('session-list', part)).toBe('');
    expect(part.sessions).toEqual(all.sessions.slice(1, 2));
    const none = (await server.json('/api/session-list?q=host:opencode')) as SessionListReport;
    expect([none.matching, misfits('session-list', none)]).toEqual([0, '']);
  });

  it('says what is wrong with a query, and refuses what is no parameter', async () => {
    const wrong = (await server.json('/api/session-list?q=after:someday')) as SessionListReport;
    expect(misfits('session-list', wrong)).toBe('');
    expect(wrong.problem?.message).toBe('"after:someday" is not a time.');
    for (const query of ['sort=size', 'group=x', 'state=busy', 'limit=0', 'limit=1001', 'from=-1'])
      expect([query, (await server.get(`/api/session-list?${query}`)).status]).toEqual([query, 400]);
  });
});

describe('/api/sessions/:id/timeline', () => {
  it('has the calls and replies of every recording', async () => {
    for (const { id, main, subagents } of live.snapshot().sessions.map((session) => session as SessionDetail)) {
      const timeline = (await server.json(`/api/sessions/${id}/timeline`)) as TimelineReport;
      expect(misfits('timeline', timeline)).toBe('');
      expect(timeline.agents.map(({ calls }) => calls.length)).toEqual(
        [main, ...subagents].map(({ toolCallCount }) => toolCallCount ?? 0),
      );
    }
  });

  it('leaves out calls that ended before the given time', async () => {
    const whole = (await server.json(`/api/sessions/${NESTED}/timeline`)) as TimelineReport;
    const ends = whole.agents.flatMap(({ calls }) => calls.map(({ endedAt }) => endedAt ?? '')).sort();
    const since = ends[Math.floor(ends.length / 2)] ?? '';
    const part = (await server.json(`/api/sessions/${NESTED}/timeline?since=${since}`)) as TimelineReport;
    const left = part.agents.flatMap(({ calls }) => calls);
    expect(left).toHaveLength(ends.filter((end) => end >= since).length);
    const bad = await server.get(`/api/sessions/${NESTED}/timeline?since=yesterday`);
    expect(bad.status).toBe(400);
  });
});

describe('/api/sessions/:id', () => {
  it('has the agents of every recording, with the documented names', async () => {
    for (const { id } of live.snapshot().sessions) {
      const session = await server.json(`/api/sessions/${id}`);
      expect(misfits('live-session', session)).toBe('');
    }
    const { subagents } = (await server.json(`/api/sessions/${NESTED}`)) as SessionDetail;
    expect(subagents.map(({ description }) => description)).toContain('Audit the repo');
    const promised =
      'id parentToolUseId sessionId slug model activity currentTool tokensUsed messageCount toolCallCount startedAt lastActivityAt completedAt';
    for (const name of promised.split(' ')) expect(subagents[0]).toHaveProperty(name);
  });

  it('shows internal agents when requested', async () => {
    const withInternal = live.snapshot().sessions.find(({ internalAgents }) => internalAgents > 0);
    const count = async (query: string): Promise<number> =>
      ((await server.json(`/api/sessions/${withInternal?.id}${query}`)) as SessionDetail).subagents.length;
    expect(await count('?internal=1')).toBe((await count('?internal=0')) + (withInternal?.internalAgents ?? 0));
    expect((await server.get(`/api/sessions/${NESTED}?internal=perhaps`)).status).toBe(400);
  });

  it('returns not found for other sessions', async () => {
    for (const id of [
      'nobody',
      'an-older-two',
      '%',
      '%00',
      '..%2f..%2fetc%2fpasswd',
      '%252e%252e',
      'x'.repeat(5_000),
    ]) {
      const { status, text } = await server.get(`/api/sessions/${id}`);
      expect([id, status, misfits('error', JSON.parse(text))]).toEqual([id, 404, '']);
      expect(['session-not-found', 'no-such-address']).toContain(errorOf(text).code);
    }
  });
});

describe('/api/agents/:id', () => {
  it('returns one agent, in any session or in the named one', async () => {
    const agent = live.snapshot().sessions.find(({ id }) => id === NESTED)?.subagents[0];
    expect(await server.json(`/api/agents/${agent?.id}`)).toEqual(agent);
    expect(await server.json(`/api/agents/${agent?.id}?session=${NESTED}`)).toEqual(agent);
    for (const query of ['?session=other', '?session=', '?session=..%2f..'])
      expect((await server.get(`/api/agents/${agent?.id}${query}`)).status).toBe(404);
  });

  it('returns its transcript in pages', async () => {
    const place = `/api/agents/${NESTED}/transcript`;
    const whole = (await server.json(`${place}?session=${NESTED}`)) as { messages: unknown[]; total: number };
    expect(misfits('transcript-page', whole)).toBe('');
    expect(whole).toMatchObject({ from: 0, total: whole.messages.length, session_id: NESTED });
    const page = await server.json(`${place}?from=1&limit=2`);
    expect(page).toMatchObject({ from: 1, total: whole.total, messages: whole.messages.slice(1, 3) });
    const beyond = (await server.json(`${place}?from=99999&limit=500`)) as { messages: unknown[] };
    expect(beyond.messages).toEqual([]);
  });

  it('says what is wrong with a number', async () => {
    for (const query of ['from=-1', 'from=x', 'from=', 'from=1e3', 'limit=0', 'limit=501', 'limit=9999999999']) {
      const { status, text } = await server.get(`/api/agents/${NESTED}/transcript?${query}`);
      expect([query, status, misfits('error', JSON.parse(text))]).toEqual([query, 400, '']);
      expect(errorOf(text)).toMatchObject({ code: 'bad-query', message: expect.stringMatching(/\.$/) });
    }
  });

  it('passes on errors that the person can fix', async () => {
    const { status, text } = await server.get('/api/agents/nobody/transcript');
    expect([status, errorOf(text)]).toEqual([
      404,
      {
        code: 'agent-not-found',
        message: expect.stringContaining('«nobody»'),
        remedy: expect.stringContaining('troupe'),
      },
    ]);
  });
});

describe('errors', () => {
  it('a mistake of ours is a short sentence for the client, and whole in the log', async () => {
    const broken = await serve({
      ...memoryLive(),
      session: () => Promise.reject(new Error('a secret of the inside')),
      agent: () => Promise.reject(new UserError('host-asleep', 'The host sleeps.', 'Wake it.')),
    });
    const { status, text } = await broken.get('/api/sessions/any');
    expect([status, errorOf(text).code]).toEqual([500, 'internal']);
    expect(text).not.toMatch(/secret|\bat\b.*:\d+/);
    expect(broken.errors).toEqual([new Error('a secret of the inside')]);
    const fixable = await broken.get('/api/agents/any');
    expect([fixable.status, errorOf(fixable.text)]).toEqual([
      400,
      { code: 'host-asleep', message: 'The host sleeps.', remedy: 'Wake it.' },
    ]);
    expect((await broken.get('/api/status')).status).toBe(200);
    await broken.close();
  });

  it('an unknown address is reported only to those with the token', async () => {
    for (const path of ['/api', '/api/', '/api/nothing', '/favicon.ico', '/api/sessions/', '//', '/etc/passwd']) {
      const known = await server.get(path);
      expect([path, known.status, misfits('error', JSON.parse(known.text))]).toEqual([path, 404, '']);
      expect((await ask(server.port, { path })).status).toBe(401);
    }
  });

  it('a port that is taken, forbidden or invalid is reported in words', async () => {
    const options = { live, token: TOKEN, epoch: 'e2', version: '1', startedAt: 0 };
    const { createServer } = await import('./create-server.ts');
    await expect(createServer(options).listen(server.port)).rejects.toMatchObject({
      code: 'port-taken',
      message: `Port ${server.port} is taken by another program.`,
    });
    await expect(createServer(options).listen(70_000)).rejects.toMatchObject({ code: 'port-invalid' });
  });
});

describe('the login page', () => {
  it('works without a script, and shows nothing about sessions', async () => {
    const { status, text, headers } = await ask(server.port);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('troupe watch');
    expect(text).not.toMatch(/<script|https?:|fa129e54|9\.9\.9/);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'$/,
    );
  });

  it('exchanges a login link for a cookie that scripts cannot read, once', async () => {
    const created = await post('/api/login', { authorization: `Bearer ${TOKEN}` });
    const { path } = JSON.parse(await created.text());
    expect((await ask(server.port, { path, method: 'HEAD' })).status).toBe(401);
    const { status, headers, text } = await ask(server.port, { path });
    expect([status, headers.location, text]).toEqual([303, '/', '']);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^troupe-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(cookie).not.toContain(TOKEN);
    const withCookie = { Cookie: `a=b; ${cookie.split(';')[0]}; c=d` };
    expect((await ask(server.port, { path: '/api/status', headers: withCookie })).status).toBe(200);

    const again = await ask(server.port, { path });
    expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined]);
    expect(again.text).toContain('troupe open');
  });

  it('gives no login link without a credential, nor for a token in the address', async () => {
    expect((await post('/api/login', {})).status).toBe(401);
    expect((await ask(server.port, { path: '/login?code=' })).status).toBe(401);
    const { status, headers } = await ask(server.port, { path: `/?token=${TOKEN}` });
    expect([status, headers['set-cookie']]).toEqual([200, undefined]);
  });
});
