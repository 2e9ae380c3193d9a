import { once } from 'node:events';
import * as http from 'node:http';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LiveSnapshot } from '../../core/index.ts';
import { askRaw } from './testing/ask.ts';
import { type MemoryLive, memoryLive } from './testing/memory-live.ts';
import { readEvents } from './testing/read-events.ts';
import { recordedLive } from './testing/recorded-live.ts';
import { type Served, serve, TOKEN } from './testing/serve.ts';
import { misfits } from './testing/validate.ts';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

let live: MemoryLive;
let server: Served | undefined;
beforeAll(async () => {
  live = await recordedLive('2.1.325-nested', '2.1.325-team');
});
afterEach(() => server?.close());

const sessionsOf = (picture: LiveSnapshot | undefined) => picture?.sessions.map(({ id, main }) => [id, main]);
const firstSummary = (picture: LiveSnapshot | undefined) => picture?.sessions[0]?.main.currentToolSummary;

describe('/api/events', () => {
  it('begins with a snapshot, then sends every change in order, with an id of its own', async () => {
    server = await serve(live);
    const reader = readEvents(server.port, TOKEN);
    await reader.until(() => reader.events.length === 1);
    expect(await reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    const [first] = live.snapshot().sessions;
    live.work('one');
    live.change(first?.id ?? '', (before) => ({ ...before, subagents: before.subagents.slice(1) }));
    live.emit({
      type: 'listing',
      data: { older: [], olderTotal: 0, emptySessions: 0, ignoredFiles: 2, isComplete: true, notices: [] },
    });
    live.emit({ type: 'gone', data: { sessionId: 'nobody', host: 'claude-code' } });
    await reader.until(() => reader.events.length === 5);
    expect(reader.events.map(({ id, type }) => [id, type])).toEqual([
      ['e1-1', 'snapshot'],
      ['e1-2', 'change'],
      ['e1-3', 'change'],
      ['e1-4', 'listing'],
      ['e1-5', 'gone'],
    ]);
    for (const { type, data } of reader.events) expect(misfits('events', { type, data })).toBe('');
    expect(reader.picture()).toEqual(live.snapshot());
    expect(await server.json('/api/status')).toMatchObject({ clients: 1 });
    reader.close();
  });

  it('continues after the last event id, from header or query', async () => {
    server = await serve(live);
    live.work('two');
    live.work('three');
    const resumed = readEvents(server.port, TOKEN, { 'Last-Event-ID': 'e1-1' });
    await resumed.until(() => resumed.events.length === 2);
    live.work('four');
    await resumed.until(() => resumed.events.length === 3);
    expect(resumed.events.map(({ id, type }) => [id, type])).toEqual([
      ['e1-2', 'change'],
      ['e1-3', 'change'],
      ['e1-4', 'change'],
    ]);
    resumed.close();
    await expect.poll(() => server?.streams.count()).toBe(0);
    const head = `GET /api/events?token=${TOKEN}&after=e1-4 HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`;
    const raw = askRaw(server.port, head);
    await expect.poll(() => server?.streams.count()).toBe(1);
    live.work('five');
    await server.close();
    expect((await raw).match(/^(?:id|event): .*$/gm)).toEqual(['id: e1-5', 'event: change']);
  });

  it('starts over when the id is unknown or too old', async () => {
    server = await serve(live, { limits: { maxEvents: 2 } });
    for (let i = 0; i < 5; i++) live.work(`step ${i}`);
    for (const id of ['e0-3', 'e1-1', 'e1-99', 'garbage', '']) {
      const reader = readEvents(server.port, TOKEN, { 'Last-Event-ID': id });
      await reader.until(() => reader.events.length === 1);
      expect(reader.events[0]).toMatchObject({ type: 'snapshot', id: 'e1-6' });
      expect(firstSummary(reader.picture())).toBe('step 4');
      reader.close();
    }
  });

  it('sends a snapshot of exactly what was before the next event', async () => {
    server = await serve(live);
    const readers = Array.from({ length: 20 }, (_, index) => {
      live.work(`before ${index}`);
      return readEvents(server?.port ?? 0, TOKEN);
    });
    for (let i = 0; i < 50; i++) {
      live.work(`round ${i}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const reader of readers) {
      await reader.until(() => firstSummary(reader.picture()) === 'round 49');
      const numbers = reader.events.map(({ id }) => Number(id.slice(3)));
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
      expect(sessionsOf(reader.picture())).toEqual(sessionsOf(live.snapshot()));
      reader.close();
    }
  });

  it('waits when there is no snapshot yet', async () => {
    const late = memoryLive();
    let tell: Parameters<typeof late.subscribe>[0] = () => undefined;
    server = await serve({
      ...late,
      subscribe(listener) {
        tell = listener;
        return { close: () => undefined };
      },
    });
    const reader = readEvents(server.port, TOKEN);
    await reader.headers;
    expect(reader.events).toEqual([]);
    tell({ type: 'snapshot', data: late.snapshot() });
    await reader.until(() => reader.events.length === 1);
    expect(reader.events[0]).toMatchObject({ id: 'e1-1', type: 'snapshot' });
    reader.close();
  });

  it('pings an idle client again and again', async () => {
    server = await serve(live, { limits: { pingMs: 10 } });
    const request = http.get({ port: server.port, path: `/api/events?token=${TOKEN}`, agent: false });
    const [response] = await once(request, 'response');
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await expect.poll(() => text.match(/^: ping$/gm)?.length).toBeGreaterThan(2);
    await server.close();
    expect(live.listeners()).toBe(0);
  });
});

describe('a client that reads too slowly', () => {
  it('costs a bounded amount, delays no other client, and has the right picture in the end', async () => {
    server = await serve(live, { limits: { maxBytes: MEGABYTE } });
    const [slow, fast] = [readEvents(server.port, TOKEN), readEvents(server.port, TOKEN)];
    await Promise.all([slow.headers, fast.headers]);
    slow.pause();
    const big = 'x'.repeat(100 * KILOBYTE);
    let most = 0;
    for (let i = 0; i < 300; i++) {
      live.work(`${i} ${big}`);
      await fast.until(() => firstSummary(fast.picture())?.startsWith(`${i} `) === true);
      most = Math.max(most, ...server.streams.pendingBytes());
    }
    expect(fast.events.filter(({ type }) => type === 'change')).toHaveLength(300);
    expect(most).toBeGreaterThan(MEGABYTE);
    expect(most).toBeLessThan(2 * MEGABYTE);
    slow.resume();
    await slow.until(() => firstSummary(slow.picture())?.startsWith('299 ') === true);
    const changes = slow.events.filter(({ type }) => type === 'change').length;
    expect(changes).toBeLessThan(300);
    expect(slow.events.at(-1)?.type).toBe('snapshot');
    live.work('and on');
    await slow.until(() => firstSummary(slow.picture()) === 'and on');
    expect(slow.picture()).toEqual(live.snapshot());
    slow.close();
    fast.close();
  });

  it('is closed when it reads nothing at all', async () => {
    server = await serve(live, { limits: { pingMs: 200 } });
    const [stuck, fast] = [readEvents(server.port, TOKEN), readEvents(server.port, TOKEN)];
    await Promise.all([stuck.headers, fast.headers]);
    stuck.pause();
    const big = 'x'.repeat(MEGABYTE);
    // The system itself takes some megabytes before anything waits with us.
    for (let sent = 0; sent < 1_000 && Math.max(...server.streams.pendingBytes()) < MEGABYTE; sent++) {
      live.work(`${sent} ${big}`);
      await fast.until(() => firstSummary(fast.picture())?.startsWith(`${sent} `) === true);
    }
    await expect.poll(() => server?.streams.count()).toBe(1);
    live.work('and on');
    await fast.until(() => firstSummary(fast.picture()) === 'and on');
    fast.close();
    stuck.close();
    await expect.poll(() => server?.streams.pendingBytes(), { timeout: 30_000 }).toEqual([]);
  });
});
