import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyEvent, type LiveEvent, type LiveSnapshot } from '../core/index.ts';
import type { Daemon } from './daemon-file.ts';
import type { MemoryLive } from './http/testing/memory-live.ts';
import { recordedLive } from './http/testing/recorded-live.ts';
import { type Served, serve, TOKEN } from './http/testing/serve.ts';
import { remoteFeed } from './remote-feed.ts';

let live: MemoryLive;
const ends: (() => unknown)[] = [];
beforeEach(async () => {
  live = await recordedLive('2.1.325-nested');
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function serveLive(epoch = 'e1'): Promise<Served> {
  const server = await serve(live, { epoch });
  ends.push(() => server.close());
  return server;
}

const daemonAt = (port: number, token = TOKEN): Daemon => ({
  pid: process.pid,
  port,
  token,
  startedAt: '2026-01-01T00:00:00.000Z',
  version: '1',
  epoch: 'e1',
});

/** What somebody sees who looks at the feed. */
function look(daemon: Daemon, options: Parameters<typeof remoteFeed>[1] = {}) {
  const events: LiveEvent[] = [];
  const states: string[] = [];
  const ports: number[] = [];
  let picture: LiveSnapshot | undefined;
  const feed = remoteFeed(daemon, {
    ...options,
    onState: (state) => {
      states.push(state.isLost ? 'lost' : 'connected');
      ports.push(state.port);
    },
  });
  const subscription = feed.subscribe((event) => {
    events.push(event);
    picture = applyEvent(picture, event);
  });
  ends.push(() => feed.close());
  return { feed, subscription, events, states, ports, summary: () => picture?.sessions[0]?.main.currentToolSummary };
}

/** Between a client and a server: lets nothing through any more when told to. */
async function relayTo(
  port: () => number,
): Promise<{ readonly port: number; cut(): void; asked(): readonly string[] }> {
  const asked: string[] = [];
  const relay = http.createServer((request, response) => {
    asked.push(String(request.headers['last-event-id'] ?? ''));
    const headers = { ...request.headers, host: `127.0.0.1:${port()}` };
    const onward = http.get({ host: '127.0.0.1', port: port(), path: request.url, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const cut = (): void => relay.closeAllConnections();
  ends.push(() => {
    relay.close();
    cut();
  });
  return { port: (relay.address() as AddressInfo).port, cut, asked: () => asked };
}

describe('remoteFeed', () => {
  it('passes on a snapshot, then every change', async () => {
    const { port } = await serveLive();
    const seen = look(daemonAt(port));
    await expect.poll(() => seen.events.length).toBe(1);
    live.work('one');
    live.work('two');
    await expect.poll(seen.summary).toBe('two');
    expect(seen.events.map(({ type }) => type)).toEqual(['snapshot', 'change', 'change']);
    expect(seen.states).toEqual(['connected']);
    seen.subscription.close();
    live.work('three');
    await expect.poll(() => live.listeners()).toBe(1);
    expect(seen.events).toHaveLength(3);
  });

  it('continues after a lost connection, without another snapshot', async () => {
    const { port } = await serveLive();
    const relay = await relayTo(() => port);
    const seen = look(daemonAt(relay.port));
    await expect.poll(() => seen.events.length).toBe(1);
    relay.cut();
    live.work('meanwhile');
    await expect.poll(seen.summary, { timeout: 30_000 }).toBe('meanwhile');
    expect(seen.states).toEqual(['connected', 'lost', 'connected']);
    expect(seen.events.map(({ type }) => type)).toEqual(['snapshot', 'change']);
    expect(relay.asked()).toEqual(['', 'e1-1']);
  });

  it('starts over with a restarted server, at any address', async () => {
    const first = await serveLive('e1');
    let now = first;
    const seen = look(daemonAt(first.port), { refind: async () => daemonAt(now.port) });
    await expect.poll(() => seen.events.length).toBe(1);
    await first.close();
    live.work('between');
    await expect.poll(() => seen.states).toEqual(['connected', 'lost']);
    now = await serveLive('e2');
    await expect.poll(seen.summary, { timeout: 30_000 }).toBe('between');
    expect(seen.events.map(({ type }) => type)).toEqual(['snapshot', 'snapshot']);
    expect(seen.ports).toEqual([first.port, first.port, now.port]);
  });

  it('keeps trying when no server answers, or one refuses', async () => {
    const { port } = await serveLive();
    const refused = look(daemonAt(port, 'wrong'));
    const nobody = look(daemonAt(1));
    await expect.poll(() => [refused.states, nobody.states]).toEqual([['lost'], ['lost']]);
    expect([refused.events, nobody.events]).toEqual([[], []]);
  });

  it('treats a long silence as the end, and starts over after garbage', async () => {
    let asked = 0;
    const odd = http.createServer((request, response) => {
      asked++;
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      if (asked === 1) response.write('id: x-1\nevent: gone\ndata: {"sessionId":"a","host":"h"}\n\n');
      else if (asked === 2) response.write('id: x-2\nevent: gone\ndata: garbage\n\n');
      else response.write(`event: gone\ndata: {"sessionId":"${request.headers['last-event-id']}","host":"h"}\n\n`);
    });
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    ends.push(() => {
      odd.close();
      odd.closeAllConnections();
    });
    const seen = look(daemonAt((odd.address() as AddressInfo).port), { silenceMs: 100 });
    const ids = () => seen.events.map(({ data }) => 'sessionId' in data && data.sessionId);
    await expect.poll(ids, { timeout: 30_000 }).toEqual(['a', 'undefined']);
  });
});
