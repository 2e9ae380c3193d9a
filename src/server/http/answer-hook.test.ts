import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { HookCallNotice } from '../server-control.ts';
import { ask, askRaw } from './testing/ask.ts';
import { recordedLive } from './testing/recorded-live.ts';
import { type Served, serve, TOKEN } from './testing/serve.ts';

const KEY = 'the-key-of-hooks';
const path = '/api/hooks/claude-code?draft=.new-claude-code.1.0&ppid=77&since=1800000000.25';
const bearer = { Authorization: `Bearer ${KEY}` };
let taken: HookCallNotice[] = [];
let answer: () => string | undefined = () => '';
let server: Served;
let without: Served;
beforeAll(async () => {
  const live = await recordedLive('2.1.325-single');
  const take = async (call: HookCallNotice) => {
    taken.push(call);
    return answer();
  };
  server = await serve(live, { hooks: { key: KEY, proof: 'PROOF', take } });
  without = await serve(live);
});
afterAll(() => Promise.all([server.close(), without.close()]));
beforeEach(() => {
  taken = [];
  answer = () => '{"x":1}';
});

it("passes on a hook's payload, and answers between two proofs", async () => {
  const { status, text } = await ask(server.port, { method: 'POST', path, headers: bearer });
  expect([status, text]).toEqual([200, 'PROOF\n{"x":1}\nPROOF\n']);
  const call = { host: 'claude-code', draft: '.new-claude-code.1.0', ppid: 77, since: 1_800_000_000_250 };
  expect(taken).toEqual([call]);
});

it('gives a shell a short answer, and closes the connection', async () => {
  const head = `POST ${path} HTTP/1.0\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
  const text = await askRaw(server.port, head);
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nPROOF\n\{"x":1\}\nPROOF\n$/);
  expect(text.length).toBeLessThan(120);
});

it('leaves out unreadable values; drafts that do not exist are not found', async () => {
  await ask(server.port, { method: 'POST', path: '/api/hooks/x%2fy?ppid=-1&since=soon', headers: bearer });
  expect(taken).toEqual([{ host: 'x%2fy', draft: '' }]);
  answer = () => undefined;
  const { status, text } = await ask(server.port, { method: 'POST', path, headers: bearer });
  expect([status, JSON.parse(text).error.code]).toEqual([404, 'hook-not-found']);
});

it('accepts hooks only, and only with their key', async () => {
  const asked = [
    [{}, 401],
    [{ Authorization: `Bearer ${TOKEN}` }, 401],
    [{ Authorization: `Bearer ${KEY}x` }, 401],
    [{ Cookie: `troupe-${server.port}=${KEY}` }, 401],
    [{ ...bearer, Host: 'evil.example' }, 403],
    [{ ...bearer, Origin: `http://127.0.0.1:${server.port}` }, 403],
    [{ ...bearer, 'Sec-Fetch-Site': 'same-origin' }, 403],
    [{ ...bearer, 'Content-Length': '5' }, 400],
  ] as const;
  for (const [headers, expected] of asked) {
    const { status } = await ask(server.port, { method: 'POST', path, headers });
    expect([headers, status]).toEqual([headers, expected]);
  }
  for (const method of ['GET', 'PUT', 'OPTIONS']) {
    const { status, headers } = await ask(server.port, { method, path, headers: bearer });
    expect([method, status, headers.allow]).toEqual([method, 405, 'POST']);
  }
  const byAddress = await ask(server.port, { method: 'POST', path: `${path}&token=${KEY}` });
  expect(byAddress.status).toBe(401);
  const elsewhere = await ask(server.port, { path: '/api/status', headers: bearer });
  expect(elsewhere.status).toBe(401);
  expect(taken).toEqual([]);
});

it('gives no answer when our code fails, and keeps serving', async () => {
  answer = () => {
    throw new Error('full disk');
  };
  const { status, text } = await ask(server.port, { method: 'POST', path, headers: bearer });
  expect([status, JSON.parse(text).error.code]).toEqual([500, 'internal']);
  expect(server.errors).toEqual([new Error('full disk')]);
});

it('a foreground server has no hook route', async () => {
  expect(
    (await ask(without.port, { method: 'POST', path, headers: { Authorization: `Bearer ${TOKEN}` } })).status,
  ).toBe(405);
});
