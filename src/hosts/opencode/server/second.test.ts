import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { makeTemporaryFolder } from '../../../lib/testing/temporary-folder.ts';
import type { HostApproval } from '../../index.ts';
import { hooks } from '../hooks/index.ts';
import { questions } from './control.ts';
import { isSecondServer } from './second.ts';
import { passwordOf, readService } from './service.ts';

/** The events of the real program about a sub-agent whose command is asked about. */
const events = readFileSync(new URL('../fixtures/2.0.15-permission-http/events.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => asObject(JSON.parse(line)['data']) ?? {});
const asked = events.find(({ type }) => type === 'permission.asked') ?? {};
const permission = asObject(asked['data']) ?? {};
const [main, child] = events
  .filter(({ type }) => type === 'session.created')
  .map(({ data }) => ({ ...asObject(data), id: asObject(data)?.['sessionID'] }));
const source = asObject(permission['source']) ?? {};
const message = {
  id: source['messageID'],
  type: 'assistant',
  content: [
    { type: 'tool', id: source['id'], name: 'shell', state: { status: 'running', input: { command: 'rm -rf build' } } },
  ],
};

const closers: (() => void)[] = [];
let home = '';
beforeEach(() => {
  home = makeTemporaryFolder('second');
  vi.stubEnv('XDG_STATE_HOME', home);
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.unstubAllEnvs();
});

function register(url: string, password: string): void {
  mkdirSync(path.join(home, 'opencode'), { recursive: true });
  const said = { id: 'x', version: '2.0.15', url, pid: process.pid, password };
  writeFileSync(path.join(home, 'opencode', 'service.json'), JSON.stringify(said), { mode: 0o600 });
}

/** Answers as 2.0.15 does: every unknown path with a page, everything else only with the password. */
async function serve(password: string) {
  const posted: [string, JsonObject][] = [];
  const answers: Readonly<Record<string, unknown>> = {
    '/api/info': { version: '2.0.15', pid: 1, urls: [] },
    '/api/session/active': { data: { [String(child?.id)]: { type: 'running' } } },
    [`/api/session/${child?.id}/permission`]: { data: [permission] },
    [`/api/session/${child?.id}/form`]: { data: [] },
    [`/api/session/${child?.id}`]: { data: { ...child, time: { created: 1, updated: 1 } } },
    [`/api/session/${main?.id}`]: { data: { ...main, time: { created: 1, updated: 1 } } },
    [`/api/session/${child?.id}/message/${source['messageID']}`]: { data: message },
  };
  const server = http.createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
    if (!pathname.startsWith('/api/')) return void response.end('<!doctype html><html></html>');
    const wanted = `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`;
    if (request.headers.authorization !== wanted)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="Secure Area"' }).end();
    if (request.method === 'POST') {
      posted.push([pathname, JSON.parse(await textOf(request))]);
      return void response.writeHead(204).end();
    }
    if (pathname === '/api/event')
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    response.writeHead(pathname in answers ? 200 : 404).end(JSON.stringify(answers[pathname] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posted };
}

describe('a server of OpenCode 2', () => {
  it('is known by its own answer, with the password that its service has registered', async () => {
    const { url } = await serve('sesame');
    await expect(isSecondServer(url)).rejects.toThrow('wants a password');
    register(url, 'sesame');
    expect(await isSecondServer(url)).toBe(true);
  });

  it('has its open question told with the agent and the call, and takes the answer', async () => {
    const { url, posted } = await serve('sesame');
    register(url, 'sesame');
    const told: HostApproval[] = [];
    const end = new AbortController();
    closers.push(() => end.abort());
    void questions.listen(url, { asked: (one) => void told.push(one), gone: () => undefined }, end.signal);
    await vi.waitUntil(() => told.length > 0, { timeout: 30_000 });
    const [question] = told as [HostApproval];
    expect(hooks.read(question.payloads.question)).toMatchObject({
      session: `opencode:${main?.id}`,
      question: 'OpenCode asks for a permission: shell rm -rf build',
      call: { tool: 'Bash', input: { command: 'rm -rf build' } },
    });
    expect(hooks.callerOf(question.payloads.question)).toMatchObject({
      agent: { id: child?.id, type: 'general', depth: 1 },
      ancestors: [{ id: main?.id, kind: 'main' }],
    });
    expect(JSON.stringify(told)).not.toContain('sesame');
    expect(await questions.reply(url, question, '{"reply":"reject","message":"No."}')).toBe(true);
    const route = `/api/session/${child?.id}/permission/${permission['id']}/reply`;
    expect(posted).toEqual([[route, { decision: 'reject', message: 'No.' }]]);
  });

  it('gets no password if it is on another machine', async () => {
    register('http://example.invalid:4096', 'sesame');
    expect(await readService({ env: { XDG_STATE_HOME: home }, home })).toMatchObject({ url: undefined });
    expect(passwordOf('http://example.invalid:4096')).toBeUndefined();
  });
});
