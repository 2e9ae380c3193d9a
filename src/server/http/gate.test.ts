import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import * as net from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ask, askRaw } from './testing/ask.ts';
import { recordedLive } from './testing/recorded-live.ts';
import { KEYS, type Served, serve, TOKEN } from './testing/serve.ts';
import { misfits } from './testing/validate.ts';

let server: Served;
beforeAll(async () => {
  server = await serve(await recordedLive('2.1.325-single'));
});
afterAll(() => server.close());

const path = '/api/status';
const bearer = { Authorization: `Bearer ${TOKEN}` };
const statusWith = async (headers: Record<string, string>, at = path): Promise<number> =>
  (await ask(server.port, { path: at, headers })).status;
const head = (line: string, ...headers: readonly string[]): string =>
  [line, `Host: 127.0.0.1:${server.port}`, `Authorization: Bearer ${TOKEN}`, ...headers, '', ''].join('\r\n');

describe('the token', () => {
  it('is accepted in a header, a cookie, or the address', async () => {
    expect(await statusWith(bearer)).toBe(200);
    expect(await statusWith({ Authorization: `bearer ${TOKEN}` })).toBe(200);
    expect(await statusWith({ Cookie: server.logIn() })).toBe(200);
    for (const key of Object.values(KEYS)) expect(await statusWith({ Authorization: `Bearer ${key}` })).toBe(200);
    expect(await statusWith({}, `${path}?token=${TOKEN}`)).toBe(200);
    expect(await statusWith({ Authorization: 'Bearer wrong', Cookie: server.logIn() })).toBe(200);
  });

  it('is needed for every route with data', async () => {
    const wrong = [
      {},
      { Authorization: 'Bearer' },
      { Authorization: `Bearer ${TOKEN}x` },
      { Authorization: `Bearer ${TOKEN.slice(1)}` },
      { Authorization: `Basic ${TOKEN}` },
      { Authorization: TOKEN },
      { Cookie: `troupe-${server.port}=${TOKEN}` },
      { Cookie: server.logIn().toLowerCase() },
      { Cookie: server.logIn().replace(/\d+=/, `${server.port + 1}=`) },
      { Cookie: `x${server.logIn()}` },
    ];
    for (const headers of wrong) expect([headers, await statusWith(headers as never)]).toEqual([headers, 401]);
    const paths = ['/api/sessions', '/api/sessions/x', '/api/agents/x', '/api/agents/x/transcript', '/api/events'];
    for (const at of [...paths, '//', `${path}?token=`, `${path}?token=x`, `${path}?x=%&token`])
      expect([at, await statusWith({}, at)]).toEqual([at, 401]);
  });

  it('is not shown to clients without it, and neither is anything else', async () => {
    const { text, headers } = await ask(server.port, { path });
    expect(misfits('error', JSON.parse(text))).toBe('');
    expect(JSON.parse(text)).toEqual({
      error: { code: 'token-needed', message: expect.any(String), remedy: expect.stringContaining('troupe open') },
    });
    expect(text).not.toContain(TOKEN);
    expect(headers['www-authenticate']).toBe('Bearer');
  });
});

describe('other pages and other host names', () => {
  it('the server answers under its own names only', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LocalHost'])
      expect(await statusWith({ ...bearer, Host: `${name}:${server.port}` })).toBe(200);
    const foreign = ['evil.example', `evil.example:${server.port}`, '127.0.0.1', `127.0.0.1:${server.port + 1}`];
    const odd = [`localhost.:${server.port}`, `127.0.0.1.evil:${server.port}`, `a@127.0.0.1:${server.port}`, '0.0.0.0'];
    for (const Host of [...foreign, ...odd])
      for (const at of ['/', path, `/?token=${TOKEN}`])
        expect([Host, at, await statusWith({ ...bearer, Host }, at)]).toEqual([Host, at, 403]);
    expect(await askRaw(server.port, `GET ${path} HTTP/1.0\r\n\r\n`)).toContain(' 403 ');
    expect(await askRaw(server.port, `GET ${path} HTTP/1.1\r\n\r\n`)).toContain(' 400 ');
  });

  it('no other page may send requests', async () => {
    const own = `http://localhost:${server.port}`;
    expect(await statusWith({ ...bearer, Origin: own })).toBe(200);
    const others = [
      'null',
      'http://evil.example',
      own.replace('http', 'https'),
      'http://localhost',
      `${own}0`,
      `${own}/`,
    ];
    for (const Origin of others)
      for (const at of ['/', path]) expect(await statusWith({ ...bearer, Origin }, at)).toBe(403);
    for (const [site, there, here] of [
      ['cross-site', 403, 403],
      ['same-site', 200, 403],
      ['same-origin', 200, 200],
      ['none', 200, 200],
    ] as const) {
      expect([site, await statusWith({ 'Sec-Fetch-Site': site }, '/')]).toEqual([site, there]);
      expect([site, await statusWith({ ...bearer, 'Sec-Fetch-Site': site })]).toEqual([site, here]);
    }
  });

  it('every answer forbids embedding and caching', async () => {
    const asked = [{ path }, { path: '/' }, { path: '/none' }, { path, method: 'POST' }, { path: `/?token=${TOKEN}` }];
    for (const question of asked) {
      for (const headers of [bearer, {}, { Host: 'evil.example' }]) {
        const answer = await ask(server.port, { ...question, headers });
        expect(answer.headers).toMatchObject({
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-resource-policy': 'same-origin',
          'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
        });
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      }
    }
  });
});

describe('requests that no client of ours would send', () => {
  it('other methods are refused without waiting for their bodies', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const { status, headers } = await ask(server.port, { path, method, headers: bearer });
      expect([method, status, headers.allow, headers.connection]).toEqual([method, 405, 'GET, HEAD', 'close']);
    }
    // Announced, never sent: the answer is there all the same.
    expect(await askRaw(server.port, head(`POST ${path} HTTP/1.1`, 'Content-Length: 10485760'))).toContain(' 405 ');
    const asking = head(`POST ${path} HTTP/1.1`, 'Content-Length: 9', 'Expect: 100-continue');
    expect(await askRaw(server.port, asking)).toMatch(/^HTTP\/1.1 405 /);
    expect(await askRaw(server.port, head(`GET ${path} HTTP/1.1`, 'Content-Length: 9'))).toContain(' 400 ');
    expect(await askRaw(server.port, head(`GET ${path} HTTP/1.1`, 'Transfer-Encoding: chunked'))).toContain(' 400 ');
  });

  it('HEAD is GET without the body, also for events', async () => {
    const { status, text, headers } = await ask(server.port, { path, method: 'HEAD', headers: bearer });
    expect([status, text, headers['content-type']]).toEqual([200, '', 'application/json; charset=utf-8']);
    const events = await ask(server.port, { path: '/api/events', method: 'HEAD', headers: bearer });
    expect([events.status, events.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(server.streams.count()).toBe(0);
  });

  it('10 MB of header, address or body closes only that connection', async () => {
    const sockets: net.Socket[] = [];
    const onSocket = (message: unknown): void => void sockets.push((message as { socket: net.Socket }).socket);
    subscribe('net.server.socket', onSocket);
    onTestFinished(() => void unsubscribe('net.server.socket', onSocket));
    const megabytes = Buffer.alloc(10 * 1024 * 1024, 'a');
    const sent = await Promise.all([
      askRaw(server.port, `GET ${path} HTTP/1.1\r\nX: `, megabytes),
      askRaw(server.port, 'GET /', megabytes),
      askRaw(server.port, head(`POST ${path} HTTP/1.1`, `Content-Length: ${megabytes.length}`), megabytes),
      server.json(path),
    ]);
    // The client is still sending when the server hangs up: whether the answer reaches it, the system decides.
    expect(sent[0]).toMatch(/^$|^HTTP\/1.1 431 /);
    expect(sent[1]).toMatch(/^$|^HTTP\/1.1 431 /);
    expect(sent[2]).toMatch(/^$|^HTTP\/1.1 405 /);
    // It hangs up instead of reading to the end.
    expect(sockets.length).toBeGreaterThanOrEqual(sent.length);
    for (const { bytesRead } of sockets) expect(bytesRead).toBeLessThan(1024 * 1024);
    expect(await askRaw(server.port, head(`GET ${path} HTTP/1.1`, `X: ${'a'.repeat(17_000)}`))).toContain(' 431 ');
  });

  it('a malformed address gets a short answer', async () => {
    const targets = [
      '*',
      'http://evil.example/',
      'api/status',
      '/\u0000',
      '/\\..\\',
      '/%',
      '/%zz',
      '/%c0%ae%c0%ae/',
      '/..;/',
    ];
    for (const target of [...targets, '/../../etc/passwd', '/api/sessions/%2e%2e%2fstatus', `/${'../'.repeat(999)}`]) {
      const text = await askRaw(server.port, head(`GET ${target} HTTP/1.1`, 'Connection: close'));
      expect([target, text.slice(0, 12)]).toEqual([target, expect.stringMatching(/^HTTP\/1.1 40[04]$/)]);
      expect(text).not.toMatch(/root:|node_modules|\.ts:\d/);
    }
    expect(await askRaw(server.port, 'no request at all\r\n\r\n')).toContain(' 400 ');
    expect(server.errors).toEqual([]);
  });

  it('a thousand idle connections block no other client', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => {
        const socket = net.connect(server.port, '127.0.0.1');
        socket.on('error', () => undefined);
        return new Promise<net.Socket>((resolve) =>
          socket.once('connect', () => {
            if (index % 2) socket.write('GET /api/status HT');
            resolve(socket);
          }),
        );
      }),
    );
    const answers = await Promise.all(Array.from({ length: 50 }, () => server.get(path)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    for (const socket of sockets) socket.destroy();
  });
});
