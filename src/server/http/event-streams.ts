import type { ServerResponse } from 'node:http';
import { type AuditEvent, applyEvent, type LiveEvent, type LiveSnapshot } from '../../core/index.ts';

export interface EventLogLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

const LOG_LIMITS: EventLogLimits = { maxEvents: 5_000, maxBytes: 8 * 1024 * 1024 };

/** The last events, encoded, for clients that lost their connection for a moment. */
export class EventLog {
  readonly #epoch: string;
  readonly #limits: EventLogLimits;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #last = 0;
  #picture: LiveSnapshot | undefined;
  #snapshot: Buffer | undefined;

  constructor(epoch: string, limits: Partial<EventLogLimits> = {}) {
    this.#epoch = epoch;
    this.#limits = { ...LOG_LIMITS, ...limits };
  }

  /** Gives the event its id. Returns its bytes, once for all clients. */
  append(event: LiveEvent | AuditEvent): Buffer {
    this.#last++;
    // Snapshots hold no tool calls: a client that starts with one reads the audit log.
    if (event.type !== 'audit') this.#picture = applyEvent(this.#picture, event);
    this.#snapshot = undefined;
    const bytes = this.#encode(event);
    this.#kept.push(bytes);
    this.#keptBytes += bytes.length;
    const { maxEvents, maxBytes } = this.#limits;
    while (this.#kept.length > maxEvents || this.#keptBytes > maxBytes)
      this.#keptBytes -= this.#kept.shift()?.length ?? 0;
    return bytes;
  }

  /** What came after the event of this id; undefined if the id is not one of ours, or too old. */
  after(id: string): readonly Buffer[] | undefined {
    const number = numberIn(id, this.#epoch);
    if (number === undefined || number > this.#last || this.#last - number > this.#kept.length) return undefined;
    return number === this.#last ? [] : this.#kept.slice(number - this.#last);
  }

  /** Everything as of the last event, under its id: what is appended next is exactly what is missing in it. */
  snapshot(): Buffer | undefined {
    if (this.#picture) this.#snapshot ??= this.#encode({ type: 'snapshot', data: lastActiveFirst(this.#picture) });
    return this.#snapshot;
  }

  /** JSON holds no line break of its own, so one line of data is enough. */
  #encode({ type, data }: LiveEvent | AuditEvent): Buffer {
    return Buffer.from(`id: ${this.#epoch}-${this.#last}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

/** The numbers of an earlier server mean nothing here. */
function numberIn(id: string, epoch: string): number | undefined {
  const [, its, number] = /^(.+)-(\d{1,15})$/.exec(id) ?? [];
  return its === epoch ? Number(number) : undefined;
}

/** Changes leave a session at its position in the list; a snapshot has them in order. */
function lastActiveFirst(picture: LiveSnapshot): LiveSnapshot {
  const at = ({ lastActivityAt }: { readonly lastActivityAt: string | null }): string => lastActivityAt ?? '';
  const sessions = [...picture.sessions].sort((a, b) => (at(a) === at(b) ? 0 : at(a) < at(b) ? 1 : -1));
  return { ...picture, sessions };
}

export interface StreamLimits {
  readonly pingMs: number;
  /** A client that has not read what waits for it for so many pings is closed. */
  readonly maxMissedPings: number;
  /** Beyond the snapshot that it started with. */
  readonly maxPendingBytes: number;
}

const STREAM_LIMITS: StreamLimits = { pingMs: 15_000, maxMissedPings: 4, maxPendingBytes: 1024 * 1024 };

export const EVENT_STREAM_HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8' } as const;

interface Client {
  readonly response: ServerResponse;
  /** Something waits to be read. */
  isWaiting: boolean;
  /** It read too slowly to get every event; once it has caught up, it gets a snapshot instead. */
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
export class EventStreams {
  readonly #log: EventLog;
  readonly #limits: StreamLimits;
  readonly #clients = new Set<Client>();
  readonly #timer: NodeJS.Timeout;

  constructor(log: EventLog, limits: Partial<StreamLimits> = {}) {
    this.#log = log;
    this.#limits = { ...STREAM_LIMITS, ...limits };
    this.#timer = setInterval(() => this.#ping(), this.#limits.pingMs);
    this.#timer.unref();
  }

  /** Sends events to this client from now on: first what it missed since `after`, or else a snapshot. */
  open(response: ServerResponse, after?: string): void {
    const client: Client = { response, isWaiting: false, isBehind: false, missedPings: 0, startBytes: 0 };
    // A client that disconnects between two events is not an error of ours; `close` follows.
    response.on('error', () => this.#clients.delete(client));
    response.on('close', () => this.#clients.delete(client));
    response.on('drain', () => this.#onDrain(client));
    // It is silent for as long as nothing happens; pings tell whether it is still there.
    response.socket?.setTimeout(0);
    response.writeHead(200, EVENT_STREAM_HEADERS);
    send(client, HELLO);
    this.#begin(client, after === undefined ? undefined : this.#log.after(after));
    this.#clients.add(client);
  }

  publish(event: Buffer): void {
    for (const client of this.#clients) {
      client.isBehind ||= client.response.writableLength > client.startBytes + this.#limits.maxPendingBytes;
      if (!client.isBehind) send(client, event);
    }
  }

  count(): number {
    return this.#clients.size;
  }

  /** Bytes that wait in this process for each client to read. */
  pendingBytes(): readonly number[] {
    return [...this.#clients].map(({ response }) => response.writableLength);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { response } of this.#clients) response.end();
  }

  #begin(client: Client, missed?: readonly Buffer[]): void {
    const snapshot = missed ? undefined : this.#log.snapshot();
    const events = missed ?? (snapshot ? [snapshot] : []);
    client.startBytes = events.reduce((sum, { length }) => sum + length, 0);
    for (const event of events) send(client, event);
  }

  #onDrain(client: Client): void {
    client.isWaiting = false;
    client.missedPings = 0;
    client.startBytes = 0;
    if (!client.isBehind) return;
    client.isBehind = false;
    this.#begin(client);
  }

  #ping(): void {
    for (const client of this.#clients)
      if (!client.isWaiting) send(client, PING);
      else if (++client.missedPings >= this.#limits.maxMissedPings) {
        this.#clients.delete(client);
        client.response.destroy();
      }
  }
}

function send(client: Client, bytes: Buffer): void {
  if (!client.response.write(bytes)) client.isWaiting = true;
}
