import * as http from 'node:http';
import type { LiveEvent } from '../core/index.ts';
import { isObject, known } from '../lib/json.ts';
import { createLineSplitter } from '../lib/lines.ts';
import type { LiveFeed, Subscription } from '../sessions/index.ts';
import type { Daemon } from './daemon-file.ts';
import type { ConnectionState } from './server-control.ts';

interface RemoteFeedOptions {
  /** Told when it changes. Lost ones are tried again until the feed is closed. */
  readonly onState?: (state: ConnectionState) => void;
  /** Where the server is now, asked before each new attempt: it may have been started again on another port. */
  readonly refind?: () => Promise<Daemon | undefined>;
  /** The server says something every 15 s; one that is silent for so long is gone. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 45_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** The feed of a server in another process. Each subscription has a connection of its own. */
export function remoteFeed(daemon: Daemon, options: RemoteFeedOptions = {}): LiveFeed & Subscription {
  const connections: Subscription[] = [];
  return {
    subscribe(listener) {
      const connection = connect(daemon, listener, options);
      connections.push(connection);
      return connection;
    },
    close() {
      for (const connection of connections) connection.close();
    },
  };
}

function connect(
  first: Daemon,
  listener: (event: LiveEvent) => void,
  { onState, refind, silenceMs = SILENCE_MS }: RemoteFeedOptions,
): Subscription {
  let daemon = first;
  let isClosed = false;
  let wasLost: boolean | undefined;
  let lastId: string | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let stream: Subscription | undefined;
  let timer: NodeJS.Timeout | undefined;

  const tell = (isLost: boolean): void => {
    if (isClosed || wasLost === isLost) return;
    wasLost = isLost;
    onState?.({ isLost, port: daemon.port });
  };
  const attempt = (): void => {
    if (isClosed) return;
    stream = openStream(daemon, lastId, silenceMs, {
      onOpen() {
        pauseMs = FIRST_PAUSE_MS;
        tell(false);
      },
      onEvent(event, id) {
        if (isClosed) return;
        lastId = id ?? lastId;
        listener(event);
      },
      onEnd(isGarbled) {
        // What came after the last good event is lost to us: only a snapshot is sure to be right.
        if (isGarbled) lastId = undefined;
        tell(true);
        if (!isClosed) timer = setTimeout(() => void again(), pauseMs);
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      },
    });
  };
  const again = async (): Promise<void> => {
    daemon = (await refind?.().catch(() => undefined)) ?? daemon;
    attempt();
  };

  attempt();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      stream?.close();
    },
  };
}

interface StreamHandlers {
  onOpen(): void;
  onEvent(event: LiveEvent, id: string | undefined): void;
  /** Once, whatever the reason. */
  onEnd(isGarbled: boolean): void;
}

/** One connection, until it ends. */
function openStream(
  { port, token }: Daemon,
  after: string | undefined,
  silenceMs: number,
  { onOpen, onEvent, onEnd }: StreamHandlers,
): Subscription {
  const headers = { Authorization: `Bearer ${token}`, ...known({ 'Last-Event-ID': after }) };
  const request = http.get({ host: '127.0.0.1', port, path: '/api/events', headers, agent: false });
  let hasEnded = false;
  const end = (isGarbled = false): void => {
    if (hasEnded) return;
    hasEnded = true;
    request.destroy();
    onEnd(isGarbled);
  };
  request.setTimeout(silenceMs, () => end());
  request.on('error', () => end());
  request.on('close', () => end());
  request.on('response', (response) => {
    const isStream = /^text\/event-stream\b/.test(response.headers['content-type'] ?? '');
    if (response.statusCode !== 200 || !isStream) return end();
    const parser = createEventParser();
    onOpen();
    response.on('error', () => end());
    response.on('data', (chunk: Buffer) => {
      let events: readonly ReceivedEvent[];
      try {
        events = parser.push(chunk);
      } catch {
        return end(true);
      }
      for (const { event, id } of events) if (!hasEnded) onEvent(event, id);
    });
  });
  return { close: end };
}

export interface ReceivedEvent {
  readonly id?: string;
  readonly event: LiveEvent;
}

/** A snapshot is one line. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
const TYPES: readonly LiveEvent['type'][] = ['snapshot', 'change', 'gone', 'listing', 'ask'];

/**
 * Server-sent events, as our own server writes them. Events of a kind that we do not know are passed over. Any cut of the same
 * bytes gives the same events. Throws where the data of an event cannot be read.
 */
export function createEventParser(): { push(chunk: Uint8Array): readonly ReceivedEvent[] } {
  const lines = createLineSplitter({ maxLineBytes: MAX_LINE_BYTES });
  let fields = new Map<string, string>();

  return {
    push(chunk) {
      const received: ReceivedEvent[] = [];
      for (const { bytes, tooLong } of lines.push(chunk)) {
        if (tooLong) throw new Error('an event is too long to be read');
        const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8').replace(/\r$/, '');
        if (line !== '') {
          const [name, value] = fieldIn(line);
          if (name) fields.set(name, name === 'data' && fields.has('data') ? `${fields.get('data')}\n${value}` : value);
          continue;
        }
        const event = toEvent(fields);
        if (event) received.push(event);
        fields = new Map();
      }
      return received;
    },
  };
}

/** A comment has no name. */
function fieldIn(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}

function toEvent(fields: ReadonlyMap<string, string>): ReceivedEvent | undefined {
  const type = TYPES.find((one) => one === fields.get('event'));
  const text = fields.get('data');
  if (type === undefined || text === undefined) return undefined;
  const data: unknown = JSON.parse(text);
  if (!isObject(data)) throw new Error(`the data of a ${type} is no object`);
  return { event: { type, data } as unknown as LiveEvent, ...known({ id: fields.get('id') }) };
}
