// A server that says what was recorded of a real one: its events one by one, and its state as of the last.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';

export interface RecordedServer {
  readonly url: string;
  /** Events that are still to be said. */
  readonly left: number;
  /** Says the next ones to whoever listens. */
  say(count: number): void;
  /** Ends the connections of those who listen. */
  hangUp(): void;
  /** How many have listened so far. */
  readonly listeners: number;
  close(): void;
}

export async function serveRecording(file: string, password?: string): Promise<RecordedServer> {
  const events = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => asObject(JSON.parse(line)['data']) ?? {});
  const sessions = new Map<string, JsonObject>();
  const messages = new Map<string, { info: JsonObject; parts: Map<string, JsonObject> }>();
  const listening = new Set<http.ServerResponse>();
  let next = 0;
  let listeners = 0;

  const keep = (event: JsonObject): void => {
    const { info, part } = asObject(event['properties']) ?? {};
    const [own, piece] = [asObject(info), asObject(part)];
    const id = asText(own?.['id']) ?? '';
    if (own && asText(event['type'])?.startsWith('session.')) sessions.set(id, own);
    else if (own) messages.set(id, { info: own, parts: messages.get(id)?.parts ?? new Map() });
    if (piece) messages.get(asText(piece['messageID']) ?? '')?.parts.set(asText(piece['id']) ?? '', piece);
  };
  const stateAt = (route: string): unknown => {
    if (route === '/session') return [...sessions.values()];
    if (route === '/permission') return [];
    const [, session] = /^\/session\/([^/]+)\/message$/.exec(route) ?? [];
    return [...messages.values()]
      .filter(({ info }) => info['sessionID'] === session)
      .map(({ info, parts }) => ({ info, parts: [...parts.values()] }));
  };
  const wanted = password && `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`;
  const server = http.createServer((request, response) => {
    if (wanted && request.headers.authorization !== wanted) return void response.writeHead(401).end();
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
    if (pathname !== '/global/event') return void response.end(JSON.stringify(stateAt(pathname)));
    listeners++;
    listening.add(response);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    request.on('close', () => listening.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get left() {
      return events.length - next;
    },
    get listeners() {
      return listeners;
    },
    say(count) {
      for (const event of events.slice(next, next + count)) {
        keep(event);
        for (const response of listening)
          response.write(`data: ${JSON.stringify({ directory: '/p', payload: event })}\n\n`);
      }
      next += count;
    },
    hangUp() {
      for (const response of listening) response.destroy();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
