import type { ServerResponse } from 'node:http';
import { type AuditEvent, applyEvent, type LiveEvent, type LiveSnapshot } from '../../core/index.ts';

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

export interface EventLog {
  /** Gives the event its id; its bytes, once for all clients. */
  append(event: LiveEvent | AuditEvent): Buffer;
  /** What came after the event of this id; nothing known where it is not one of ours, or too old. */
  after(id: string): readonly Buffer[] | undefined;
  /** Everything as of the last event, under its id: what is appended next is exactly what is missing in it. */
  snapshot(): Buffer | undefined;
}

export interface EventLogLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

const LOG_LIMITS: EventLogLimits = { maxEvents: 5_000, maxBytes: 8 * 1024 * 1024 };

/** The last events, encoded, for clients that lost their connection for a moment. */
export function createEventLog(epoch: string, limits: Partial<EventLogLimits> = {}): EventLog {
  const { maxEvents, maxBytes } = { ...LOG_LIMITS, ...limits };
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let last = 0;
  let picture: LiveSnapshot | undefined;
  let snapshot: Buffer | undefined;

  const keep = (bytes: Buffer): void => {
    kept.push(bytes);
    keptBytes += bytes.length;
    while (kept.length > maxEvents || keptBytes > maxBytes) keptBytes -= kept.shift()?.length ?? 0;
  };

  return {
    append(event) {
      last++;
      // Snapshots have no calls: who begins with one asks for the log.
      if (event.type !== 'audit') picture = applyEvent(picture, event);
      snapshot = undefined;
      const bytes = encode(`${epoch}-${last}`, event);
      keep(bytes);
      return bytes;
    },
    after(id) {
      const number = numberIn(id, epoch);
      if (number === undefined || number > last || last - number > kept.length) return undefined;
      return number === last ? [] : kept.slice(number - last);
    },
    snapshot() {
      if (picture) snapshot ??= encode(`${epoch}-${last}`, { type: 'snapshot', data: lastActiveFirst(picture) });
      return snapshot;
    },
  };
}

/** JSON holds no line break of its own, so one line of data is enough. */
function encode(id: string, { type, data }: LiveEvent | AuditEvent): Buffer {
  return Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** An id of an earlier server is somebody else's: its numbers mean nothing here. */
function numberIn(id: string, epoch: string): number | undefined {
  const [, its, number] = /^(.+)-(\d{1,15})$/.exec(id) ?? [];
  return its === epoch ? Number(number) : undefined;
}

/** Changes leave a session where it stands in the list; who begins with a snapshot should see them in order. */
function lastActiveFirst(picture: LiveSnapshot): LiveSnapshot {
  const at = ({ lastActivityAt }: { readonly lastActivityAt: string | null }): string => lastActivityAt ?? '';
  const sessions = [...picture.sessions].sort((a, b) => (at(a) === at(b) ? 0 : at(a) < at(b) ? 1 : -1));
  return { ...picture, sessions };
}
