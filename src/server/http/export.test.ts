import * as http from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Download, DownloadRequest, ServedExport } from '../../export/index.ts';
import { UserError } from '../../lib/user-error.ts';
import { recordedLive } from './testing/recorded-live.ts';
import { type Served, serve, TOKEN } from './testing/serve.ts';
import { misfits } from './testing/validate.ts';

const NESTED = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
const ADDRESS = `/api/sessions/${NESTED}/export`;
/** Of reviews, see review.test.ts. */
const NO_REVIEW: Pick<ServedExport, 'review' | 'decide'> = {
  review: () => Promise.reject(new Error('no review')),
  decide: () => Promise.reject(new Error('no review')),
};
const KILOBYTE = Buffer.alloc(1024, 'x');

/** Exports as a test wants them to go, and what the routes asked for. */
function exportsOf(bytes: (signal: AbortSignal) => AsyncGenerator<Uint8Array>) {
  const begun: DownloadRequest[] = [];
  const signals: AbortSignal[] = [];
  const exports: ServedExport = {
    ...NO_REVIEW,
    whereOf: () => ({ roots: ["/mnt/o'brien/.claude"], host: 'claude-code' }),
    async begin(request, signal): Promise<Download> {
      begun.push(request);
      signals.push(signal);
      return { stem: 'troupe-nested-fa129e54', bytes: bytes(signal) };
    },
  };
  return { exports, begun, signals };
}

async function* words(): AsyncGenerator<Uint8Array> {
  for (const word of ['all ', 'of ', 'it']) yield Buffer.from(word);
}

let server: Served;
afterEach(() => server.close());

async function serveExports(exports: ServedExport): Promise<void> {
  server = await serve(await recordedLive('2.1.325-nested'), { exports });
}

/** A client that reads when it wants to. */
function openDownload(): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    http
      .get({ host: '127.0.0.1', port: server.port, path: ADDRESS, headers, agent: false }, resolve)
      .on('error', reject);
  });
}

describe('/api/sessions/:id/export', () => {
  it('returns a file to save that browsers neither show, run nor cache', async () => {
    const { exports, begun } = exportsOf(words);
    await serveExports(exports);
    const types = { page: ['text/html', 'html'], md: ['text/markdown', 'md'], json: ['application/json', 'json'] };
    for (const [as, [type, ending]] of Object.entries(types)) {
      const { status, headers, text } = await server.get(`${ADDRESS}?as=${as}`);
      expect([status, text]).toEqual([200, 'all of it']);
      expect(headers).toMatchObject({
        'content-type': `${type}; charset=utf-8`,
        'content-disposition': `attachment; filename="troupe-nested-fa129e54.${ending}"`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
    await server.get(`${ADDRESS}?pii=1`);
    expect(begun.map(({ session, as, pii }) => [session.id, as, pii])).toEqual([
      [NESTED, 'page', false],
      [NESTED, 'md', false],
      [NESTED, 'json', false],
      [NESTED, 'page', true],
    ]);
  });

  it('does not begin for strangers, for unknown sessions, or for HEAD', async () => {
    const { exports, begun } = exportsOf(words);
    await serveExports(exports);
    const token = { Authorization: `Bearer ${TOKEN}` };
    const refused = [
      await server.get(ADDRESS, { headers: {} }),
      await server.get(ADDRESS, { headers: { ...token, 'Sec-Fetch-Site': 'cross-site' } }),
      await server.get(ADDRESS, { headers: { ...token, 'Sec-Fetch-Site': 'same-site' } }),
      await server.get(ADDRESS, { headers: { ...token, Origin: 'http://evil.example' } }),
      await server.get(ADDRESS, { headers: { ...token, Host: 'evil.example' } }),
      await server.get(ADDRESS, { headers: token, method: 'POST' }),
      await server.get(`${ADDRESS}?as=exe`),
      await server.get(`${ADDRESS}?pii=perhaps`),
      await server.get('/api/sessions/nobody/export'),
      await server.get('/api/sessions/..%2f..%2fetc%2fpasswd/export'),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 403, 403, 403, 403, 405, 400, 400, 404, 404]);
    for (const { text } of refused) expect(misfits('error', JSON.parse(text))).toBe('');
    const head = await server.get(ADDRESS, { headers: token, method: 'HEAD' });
    expect([head.status, head.headers['content-type'], head.text]).toEqual([200, 'text/html; charset=utf-8', '']);
    expect(begun).toEqual([]);
  });

  it('reports a problem in words before the first byte', async () => {
    const problems = [
      new UserError('config-invalid', 'config.json is not valid.', 'Mend it.'),
      new UserError('session-not-found', 'The session went away.', 'List them.'),
      new Error('our bug'),
    ];
    await serveExports({
      ...NO_REVIEW,
      whereOf: () => ({ roots: [] }),
      begin: async () => Promise.reject(problems.shift()),
    });
    const answers = [await server.get(ADDRESS), await server.get(ADDRESS), await server.get(ADDRESS)];
    expect(answers.map(({ status, text }) => [status, JSON.parse(text).error.code])).toEqual([
      [400, 'config-invalid'],
      [404, 'session-not-found'],
      [500, 'internal'],
    ]);
    for (const { headers } of answers) expect(headers['content-disposition']).toBeUndefined();
    expect(server.errors).toHaveLength(1);
  });

  it('cuts the connection when the export cannot be completed', async () => {
    const failing = exportsOf(async function* () {
      yield KILOBYTE;
      throw new Error('half of it');
    });
    await serveExports(failing.exports);
    await expect(server.get(ADDRESS)).rejects.toThrow();
    expect(server.errors).toHaveLength(1);
  });

  it('writes no faster than the client reads, and stops when the client does', async () => {
    let made = 0;
    let isOver = false;
    const endless = exportsOf(async function* () {
      try {
        for (; ; made++) yield KILOBYTE;
      } finally {
        isOver = true;
      }
    });
    await serveExports(endless.exports);
    const download = await openDownload();
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = made === before;
        before = made;
        expect(isStill).toBe(true);
      },
      { interval: 200, timeout: 30_000 },
    );
    // What the two ends of a connection hold, and not what it could have made by now.
    expect(made).toBeLessThan(64 * 1024);
    expect(isOver).toBe(false);
    download.destroy();
    await vi.waitFor(() => expect([isOver, endless.signals[0]?.aborted]).toEqual([true, true]), { timeout: 30_000 });
    expect(server.errors).toEqual([]);
  });

  it('is cancelled when the client disconnects, also before the first byte', async () => {
    const signals: AbortSignal[] = [];
    await serveExports({
      ...NO_REVIEW,
      whereOf: () => ({ roots: [] }),
      begin: (_, signal) =>
        new Promise((_resolve, reject) => {
          signals.push(signal);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    // One more than there are places for.
    for (let count = 1; count <= 3; count++) {
      const headers = { Authorization: `Bearer ${TOKEN}` };
      const request = http.get({ host: '127.0.0.1', port: server.port, path: ADDRESS, headers, agent: false });
      request.on('error', () => {});
      await vi.waitFor(() => expect(signals).toHaveLength(count), { timeout: 30_000 });
      request.destroy();
      await vi.waitFor(() => expect(signals.every(({ aborted }) => aborted)).toBe(true), { timeout: 30_000 });
    }
    expect(server.errors).toEqual([]);
  });

  it('runs two at once, and the next when one of them is done', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = exportsOf(async function* () {
      yield KILOBYTE;
      await held;
    });
    await serveExports(slow.exports);
    const first = [await openDownload(), await openDownload()];
    const third = await server.get(ADDRESS);
    expect([third.status, JSON.parse(third.text).error.code]).toEqual([429, 'export-busy']);
    release();
    for (const one of first) for await (const _ of one);
    expect((await server.get(ADDRESS)).status).toBe(200);
  });
});

describe('/api/sessions/:id/export/command', () => {
  it("is the command that finds the session in this server's folders", async () => {
    await serveExports(exportsOf(words).exports);
    const { status, text } = await server.get(`${ADDRESS}/command`);
    const command = `troupe export ${NESTED} --root '/mnt/o'\\''brien/.claude' --host claude-code --out-dir ./share`;
    expect([status, JSON.parse(text)]).toEqual([200, { command }]);
    expect((await server.get('/api/sessions/nobody/export/command')).status).toBe(404);
  });
});
