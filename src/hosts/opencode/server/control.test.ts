import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import type { HostApproval } from '../../index.ts';
import { hooks } from '../hooks/index.ts';
import { questions } from './control.ts';

interface Exchange {
  readonly m: string;
  readonly p: string;
  readonly b?: JsonObject;
  // biome-ignore lint/suspicious/noExplicitAny: what the program said, as it came.
  readonly res: any;
}

/** What was said between a client and the real server about one question of a sub-agent. */
const recorded: readonly Exchange[] = readFileSync(
  new URL('fixtures/1.18.33-permission-http.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const [main, listed, replied, children, messages] = recorded as [Exchange, Exchange, Exchange, Exchange, Exchange];
const [permission] = listed.res;

interface Scene {
  readonly url: string;
  readonly told: (HostApproval | string)[];
  readonly posted: [string, JsonObject][];
  readonly open: Set<unknown>;
  say(type: string, properties: JsonObject): void;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.unstubAllEnvs();
});

/** As it is while the model still writes. */
const withoutInput = (message: Exchange['res']): Exchange['res'] => ({
  ...message,
  parts: message.parts.map((part: JsonObject) =>
    part['type'] === 'tool' ? { ...part, state: { status: 'pending', input: {}, raw: '' } } : part,
  ),
});

/** A server that answers as the recorded one did, and somebody who listens to it. */
async function begin({ isOpen = true, isOld = false, password = '', inputAfter = 0 }): Promise<Scene> {
  const open = new Set<unknown>(isOpen ? [permission] : []);
  const listening = new Set<http.ServerResponse>();
  const posted: Scene['posted'] = [];
  let looks = 0;
  const answerTo = (path: string): unknown => {
    if (path === '/permission') return [...open];
    const [, session, message] = /^\/session\/([^/]+)(?:\/message\/([^/]+))?$/.exec(path) ?? [];
    if (message !== undefined) {
      const found = messages.res.find((one: Exchange['res']) => one.info.id === message);
      return ++looks > inputAfter ? found : withoutInput(found);
    }
    return [main.res, ...children.res].find(({ id }) => id === session);
  };
  const server = http.createServer(async (request, response) => {
    const wanted = `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`;
    if (password && request.headers.authorization !== wanted) return void response.writeHead(401).end();
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
    if (request.method === 'POST') {
      const isThere = isOld === pathname.startsWith('/session/');
      if (isThere) posted.push([request.url ?? '', JSON.parse(await textOf(request))]);
      return void response.writeHead(isThere ? 200 : 404).end();
    }
    if (pathname === '/global/event') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return void listening.add(response);
    }
    const answer = answerTo(pathname);
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const told: Scene['told'] = [];
  const end = new AbortController();
  const heard = {
    asked: (one: HostApproval) => void told.push(one),
    gone: (id: string) => void told.push(`gone ${id}`),
  };
  void questions.listen(url, heard, end.signal);
  closers.push(() => {
    end.abort();
    server.closeAllConnections();
    server.close();
  });
  if (!password) await vi.waitUntil(() => listening.size === 1, { timeout: 30_000 });
  const say = (type: string, properties: JsonObject): void => {
    for (const response of listening)
      response.write(`data: ${JSON.stringify({ directory: main.res.directory, payload: { type, properties } })}\n\n`);
  };
  return { url, told, posted, open, say };
}

const first = async ({ told }: Scene): Promise<HostApproval> => {
  await vi.waitUntil(() => told.length > 0, { timeout: 30_000 });
  return told[0] as HostApproval;
};

describe('questions at a server', () => {
  it('that are open already are told as the plugin tells them: who asks, and for what', async () => {
    const { id, payloads } = await first(await begin({}));
    expect(id).toBe(permission.id);
    const event = hooks.read(payloads.question);
    expect(event).toMatchObject({
      session: `opencode:${main.res.id}`,
      questionId: permission.id,
      question: 'OpenCode asks for a permission: bash rm -rf build',
      call: { tool: 'Bash', input: { command: 'rm -rf build', description: 'Remove build' } },
      cwd: main.res.directory,
    });
    expect(hooks.callerOf(payloads.question)).toMatchObject({
      agent: { id: permission.sessionID, type: 'general', depth: 1 },
      ancestors: [{ id: main.res.id, kind: 'main' }],
    });
    expect(hooks.condense(payloads.asked)).toMatchObject({ agent: permission.sessionID, question: permission.id });
  });

  it('that come before the call has its input wait for it', async () => {
    const { payloads } = await first(await begin({ inputAfter: 3 }));
    expect(hooks.read(payloads.question)?.call?.input).toMatchObject({ description: 'Remove build' });
  });

  it('are answered as the recorded client answered', async () => {
    const scene = await begin({ isOpen: false });
    scene.say('permission.asked', permission);
    const question = await first(scene);
    expect(await questions.reply(scene.url, question, JSON.stringify(replied.b))).toBe(true);
    expect(scene.posted).toEqual([[replied.p, replied.b]]);
    scene.say('permission.replied', { sessionID: permission.sessionID, requestID: permission.id, reply: 'reject' });
    await vi.waitUntil(() => scene.told.includes(`gone ${permission.id}`), { timeout: 30_000 });
  });

  it('are answered at the older address, where there is no other', async () => {
    const scene = await begin({ isOld: true });
    expect(await questions.reply(scene.url, await first(scene), '{"reply":"once"}')).toBe(true);
    const [[address, body]] = scene.posted as [[string, JsonObject]];
    expect(address).toContain(`/session/${permission.sessionID}/permissions/${permission.id}`);
    expect(body).toEqual({ response: 'once' });
  });

  it('that a stopped session took with it are gone, though nobody says so', async () => {
    const scene = await begin({});
    await first(scene);
    scene.open.clear();
    await vi.waitUntil(() => scene.told.includes(`gone ${permission.id}`), { timeout: 30_000 });
  });

  it('of a server with a password are heard by who has it', async () => {
    const without = await begin({ password: 'sesame' });
    vi.stubEnv('OPENCODE_SERVER_PASSWORD', 'sesame');
    expect((await first(await begin({ password: 'sesame' }))).id).toBe(permission.id);
    expect(without.told).toEqual([]);
  });
});
