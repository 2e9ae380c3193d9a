import * as net from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ask } from './testing/ask.ts';
import { memoryLive } from './testing/memory-live.ts';
import { type Served, serve, TOKEN } from './testing/serve.ts';

let server: Served;
let sockets: net.Socket[] = [];
beforeEach(async () => {
  // 20 connections at most.
  server = await serve(memoryLive(), { openFiles: 40 });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await server.close();
});

/** A connection that sends these bytes, and then nothing. */
async function hold(bytes = ''): Promise<net.Socket> {
  const socket = net.connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await new Promise((resolve) => socket.once('connect', resolve));
  if (bytes) socket.write(bytes);
  return socket;
}

const EVENTS = `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
const isOpen = (socket: net.Socket): boolean => !socket.destroyed && !socket.readableEnded;

it('answers however many connections are held open without a request, or with half of one', async () => {
  for (const bytes of ['', 'GET /api/status HTTP/1.1\r\nHost:']) {
    for (let count = 0; count < 60; count++) await hold(bytes);
    expect(
      (await ask(server.port, { headers: { Authorization: `Bearer ${TOKEN}` }, path: '/api/status' })).status,
    ).toBe(200);
  }
});

it('closes the oldest idle connections, and none that gets events', async () => {
  const events = await hold(EVENTS.replace('PORT', String(server.port)));
  events.resume();
  await expect.poll(() => server.streams.count()).toBe(1);
  const first = await hold();
  first.resume();
  for (let count = 0; count < 40; count++) await hold();
  await expect.poll(() => isOpen(first)).toBe(false);
  expect(isOpen(events)).toBe(true);
  expect(server.streams.count()).toBe(1);
});

it('refuses more than the limit when all of them are active', async () => {
  const line = EVENTS.replace('PORT', String(server.port));
  for (let count = 0; count < 30; count++) (await hold(line)).resume();
  await expect.poll(() => sockets.filter(isOpen).length).toBeLessThanOrEqual(20);
  // The last places are for those who ask at once: of several that come together, one may lose it to the next.
  await expect.poll(() => server.streams.count()).toBeGreaterThanOrEqual(18);
});
