// A server of OpenCode 2 in which a sub-agent's command is asked about, as it was recorded.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { asObject, type JsonObject } from '../../../lib/json.ts';

/** The events of the real program about a sub-agent whose command is asked about. */
const events = readFileSync(new URL('../fixtures/2.0.15-permission-http/events.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => asObject(JSON.parse(line)['data']) ?? {});
const asked = events.find(({ type }) => type === 'permission.asked') ?? {};
export const permission = asObject(asked['data']) ?? {};
export const [main, child] = events
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

/** Answers as 2.0.15 does: every unknown path with a page, everything else only with the password. */
export async function serveSecond(password: string) {
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
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posted, close };
}
