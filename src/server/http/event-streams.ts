import type { ServerResponse } from 'node:http';
import type { EventLog } from './event-log.ts';

export interface EventStreams {
  /** From now on this client gets events: what it missed since `after`, or else a snapshot first. */
  open(response: ServerResponse, after?: string): void;
  publish(event: Buffer): void;
  count(): number;
  /** Bytes that wait in this process for each client to read. */
  pendingBytes(): readonly number[];
  close(): void;
}

export interface StreamLimits {
  readonly pingMs: number;
  /** A client that has not read what waits for it for so many pings is closed. */
  readonly maxMissedPings: number;
  /** Beyond the snapshot that it began with. */
  readonly maxPendingBytes: number;
}

const LIMITS: StreamLimits = { pingMs: 15_000, maxMissedPings: 4, maxPendingBytes: 1024 * 1024 };

export const EVENT_STREAM_HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8' } as const;

interface Client {
  readonly response: ServerResponse;
  /** Something waits to be read. */
  isWaiting: boolean;
  /** It read too slowly to get every event; once it has caught up, it gets a snapshot in their place. */
  isBehind: boolean;
  missedPings: number;
  /** What it was sent to begin with may wait, too. */
  startBytes: number;
}

const PING = Buffer.from(': ping\n\n');
const HELLO = Buffer.from('retry: 1000\n\n');

/**
 * Server-sent events, written on Node's own response: the same bytes for every client, at a third of the cost of a
 * web stream each. However slowly a client reads, what waits for it stays bounded.
 */
export function createEventStreams(log: EventLog, limits: Partial<StreamLimits> = {}): EventStreams {
  const { pingMs, maxMissedPings, maxPendingBytes } = { ...LIMITS, ...limits };
  const clients = new Set<Client>();

  const send = (client: Client, bytes: Buffer): void => {
    if (!client.response.write(bytes)) client.isWaiting = true;
  };
  const begin = (client: Client, events: readonly Buffer[]): void => {
    client.startBytes = events.reduce((sum, { length }) => sum + length, 0);
    for (const event of events) send(client, event);
  };
  const snapshot = (): readonly Buffer[] => {
    const bytes = log.snapshot();
    return bytes ? [bytes] : [];
  };
  const onDrain = (client: Client): void => {
    client.isWaiting = false;
    client.missedPings = 0;
    client.startBytes = 0;
    if (!client.isBehind) return;
    client.isBehind = false;
    begin(client, snapshot());
  };
  const ping = (client: Client): void => {
    if (!client.isWaiting) send(client, PING);
    else if (++client.missedPings >= maxMissedPings) {
      clients.delete(client);
      client.response.destroy();
    }
  };

  const timer = setInterval(() => clients.forEach(ping), pingMs);
  timer.unref();

  return {
    open(response, after) {
      const client: Client = { response, isWaiting: false, isBehind: false, missedPings: 0, startBytes: 0 };
      // A client that went away between two events is no mistake of ours; `close` follows.
      response.on('error', () => clients.delete(client));
      response.on('close', () => clients.delete(client));
      response.on('drain', () => onDrain(client));
      // It is silent for as long as nothing happens; pings tell whether it is still there.
      response.socket?.setTimeout(0);
      response.writeHead(200, EVENT_STREAM_HEADERS);
      send(client, HELLO);
      begin(client, (after === undefined ? undefined : log.after(after)) ?? snapshot());
      clients.add(client);
    },
    publish(event) {
      for (const client of clients) {
        client.isBehind ||= client.response.writableLength > client.startBytes + maxPendingBytes;
        if (!client.isBehind) send(client, event);
      }
    },
    count: () => clients.size,
    pendingBytes: () => [...clients].map(({ response }) => response.writableLength),
    close() {
      clearInterval(timer);
      for (const { response } of clients) response.end();
    },
  };
}
