import * as http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import {
  type Asks,
  type BudgetReport,
  type ChannelKeys,
  createPaint,
  formatStatusLine,
  type LiveEvent,
  nearestBudget,
  statusLineFacts,
} from '../../core/index.ts';
import type { HeldReply } from '../../guard/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { known } from '../../lib/json.ts';
import { UserError } from '../../lib/user-error.ts';
import type { Live, Subscription } from '../../sessions/index.ts';
import type { HookCallNotice, HookIntake } from '../server-control.ts';
import { answerRefusal, OUR_MISTAKE, type Refusal } from './answers.ts';
import type { AnswerCheck, ServedAsks } from './approval-routes.ts';
import { EventLog, type EventLogLimits, EventStreams, type StreamLimits } from './event-streams.ts';
import { type Credentials, findRefusal, isForHooks, Logins } from './gate.ts';
import { type PageFiles, SECURITY_HEADERS } from './page.ts';
import { isPlainId } from './query.ts';
import { createRoutes, type Served, withoutInput } from './routes.ts';

export interface ServerOptions extends Served {
  /** Where hooks of this machine may call. */
  readonly hooks?: HookIntake;
  readonly token: string;
  /** Of the UIs that answer approvals, each its own. */
  readonly keys?: ChannelKeys;
  readonly logins?: Logins;
  /** Which processes may answer approvals and log in; without it, all that are authenticated. */
  readonly checkAnswerer?: AnswerCheck;
  /** Names this run of the server in the ids of events: letters and digits. */
  readonly epoch: string;
  /** The page; without it, `/` only says that the server runs. */
  readonly page?: PageFiles;
  /** Our own failures, for a log: the client learns only that there was one. */
  readonly onError?: (error: unknown) => void;
  /** How many files and connections the process may have open; connections leave some of it to others. */
  readonly openFiles?: number;
  readonly limits?: Partial<EventLogLimits & StreamLimits>;
}

export interface Server {
  /** On the loopback interface; on a free port unless one is named. Throws a `UserError` where that one cannot be had. */
  listen(port?: number): Promise<{ readonly port: number }>;
  /** Ends every connection. May be called twice. `live` is left open: it is not ours. */
  close(): Promise<void>;
  readonly streams: EventStreams;
}

/** What is followed on this machine, over HTTP: docs/API.md. */
export function createServer(options: ServerOptions): Server {
  const { live, guard, asks, hooks, token, page = new Map(), onError = () => undefined } = options;
  const { logins = new Logins({ clock: systemClock }), checkAnswerer = async () => undefined } = options;
  const log = new EventLog(options.epoch, options.limits);
  const streams = new EventStreams(log, options.limits);
  let port = 0;
  const subscriptions: Subscription[] = [];
  /** Hooks that wait for us. */
  const waiting = new Set<Promise<void>>();

  const credentials = (): Credentials => ({ port, token, logins, ...known({ keys: options.keys }) });
  const routes = createRoutes({ ...options, credentials, checkAnswerer, page, streams, onError, port: () => port });
  const answer = getRequestListener(routes.fetch, { overrideGlobalObjects: false, autoCleanupIncoming: false });
  const server = http.createServer(HTTP_LIMITS, (request, response) => handle(request, response));
  // Without this, Node asks for the body of a request that says `Expect: 100-continue` before we have seen it.
  server.on('checkContinue', (request, response) => handle(request, response));
  const holdPlace = limitConnections(server, connectionsWithin(options.openFiles));
  server.timeout = SILENT_SOCKET_MS;

  function handle(request: http.IncomingMessage, response: http.ServerResponse): void {
    holdPlace(request, response);
    const refusal = findRefusal(request, {
      ...credentials(),
      ...{ page, takesAnswers: asks !== undefined },
      ...known({ hookKey: hooks?.key }),
    });
    if (hooks && !refusal && isForHooks(request)) {
      const statusLine = (session: string, columns: number | undefined) =>
        statusLineOf(session, { live, asks, budgets: options.budgets, ...known({ columns }) });
      const answered = answerHook(request, response, hooks, statusLine)
        .catch((error) => {
          onError(error);
          if (response.headersSent) response.destroy();
          else answerRefusal(response, OUR_MISTAKE);
        })
        .finally(() => waiting.delete(answered));
      waiting.add(answered);
      return;
    }
    for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
    if (refusal) answerRefusal(response, refusal);
    else answer(request, response).catch(onError);
  }

  return {
    streams,
    async listen(wanted = 0) {
      port = await listenOn(server, wanted);
      server.on('error', onError);
      const tell = (event: LiveEvent): void => streams.publish(log.append(event));
      subscriptions.push(live.subscribe((event) => tell(asks ? withApprovals(event, asks) : event)));
      if (asks) subscriptions.push(asks.subscribe((data) => tell({ type: 'ask', data })));
      const heard = guard?.follow({}, (entry) =>
        streams.publish(log.append({ type: 'audit', data: withoutInput(entry) })),
      );
      if (heard) subscriptions.push(heard);
      return { port };
    },
    async close() {
      for (const subscription of subscriptions.splice(0)) subscription.close();
      streams.close();
      if (!server.listening) return;
      // Who has its answer gets it; who has none yet is not waited for.
      await Promise.race([Promise.all(waiting), pause(LAST_WORDS_MS, undefined, { ref: false })]);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What is followed knows nothing of them. */
function withApprovals(event: LiveEvent, asks: Asks): LiveEvent {
  return event.type === 'snapshot' ? { ...event, data: { ...event.data, asks: asks.list() } } : event;
}

const LAST_WORDS_MS = 500;

/** Loopback clients are near and small: whoever needs longer or more is broken or hostile. */
const HTTP_LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
} as const;
const SILENT_SOCKET_MS = 60_000;
const MAX_CONNECTIONS = 4_000;
/** For what is not a connection: the tracker reads, and the system has its own. */
const OTHER_FILES = 256;

function connectionsWithin(openFiles = Number.POSITIVE_INFINITY): number {
  return Math.max(1, Math.floor(Math.min(MAX_CONNECTIONS, openFiles - Math.min(OTHER_FILES, openFiles / 2))));
}

function listenOn(server: http.Server, wanted: number): Promise<number> {
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535)
    throw new UserError('port-invalid', `There is no port ${wanted}.`, 'A port is a number from 1 to 65535.');
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(portError(error, wanted));
    server.once('error', fail);
    server.listen({ port: wanted, host: '127.0.0.1' }, () => {
      server.off('error', fail);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function portError(error: NodeJS.ErrnoException, port: number): Error {
  const remedy = 'Name another port, or none: then a free one is taken.';
  if (error.code === 'EADDRINUSE')
    return new UserError('port-taken', `Port ${port} is taken by another program.`, remedy, { cause: error });
  if (error.code === 'EACCES')
    return new UserError('port-forbidden', `The system does not let us use port ${port}.`, remedy, { cause: error });
  return error;
}

/**
 * A hook waits, and its host with it; it is a shell, which reads byte by byte. So it gets no header that it does not need.
 * The proof stands before and behind what it is to print: it is ours, and all of it.
 */
async function answerHook(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  hooks: HookIntake,
  statusLine: (session: string, columns: number | undefined) => Promise<string | undefined>,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
  const asked = searchParams.get('session') ?? '';
  const reply =
    pathname === '/api/hooks/statusline'
      ? await (isPlainId(asked) ? statusLine(asked, asNumber(searchParams.get('columns'))) : undefined)
      : await hooks.take({
          host: pathname.slice('/api/hooks/'.length),
          draft: searchParams.get('draft') ?? '',
          ...known({
            ppid: asNumber(searchParams.get('ppid')),
            since: asNumber(searchParams.get('since'), 1_000),
            parent: searchParams.get('parent') || undefined,
            above: searchParams.get('above') || undefined,
            asks: asksIn(searchParams.get('asks')),
          }),
        });
  if (reply === undefined) return answerRefusal(response, NOT_KEPT);
  response.sendDate = false;
  const text = typeof reply === 'string' ? reply : await hold(response, reply, hooks.proof);
  if (text === undefined) return void response.destroy();
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.end(`${hooks.proof}\n${text}\n${hooks.proof}\n`);
  });
}

/**
 * So that a hook knows at once that it is heard, and for how long it is to wait: a part of its own, which ends with a NUL,
 * for that is where a shell stops reading.
 */
function hold(
  response: http.ServerResponse,
  { ms, text, withdraw }: HeldReply,
  proof: string,
): Promise<string | undefined> {
  response.socket?.setTimeout(0);
  response.once('close', withdraw);
  if (response.destroyed) withdraw();
  response.write(`${proof}\nhold ${Math.ceil((ms + MARGIN_MS) / 1_000)}\n\0`);
  return text;
}

/** We are the ones who end it: a hook that gives up has lost us. */
const MARGIN_MS = 10_000;

function asksIn(text: string | null): HookCallNotice['asks'] {
  return text === 'policy' || text === 'always' ? text : undefined;
}

function asNumber(text: string | null, times = 1): number | undefined {
  return text !== null && /^\d{1,12}(\.\d{1,9})?$/.test(text) ? Number(text) * times : undefined;
}

const NOT_KEPT: Refusal = { status: 404, code: 'hook-not-found', message: 'There is nothing to keep for this hook.' };

/** From here on, newcomers take the places of those who hold a connection and ask nothing. */
const NEARLY_FULL = 0.9;

/**
 * No more than `max` connections at once. Whoever opens hundreds and leaves them idle gets their oldest ones closed, so
 * that there is room for those who ask. What it gives is called for each request: its connection is left alone until it has its
 * answer.
 */
function limitConnections(server: http.Server, max: number): http.RequestListener {
  server.maxConnections = max;
  const all = new Set<Socket>();
  /** Who came, or was answered, first stands first. */
  const idle = new Set<Socket>();

  server.on('connection', (socket) => {
    all.add(socket);
    idle.add(socket);
    socket.once('close', () => {
      all.delete(socket);
      idle.delete(socket);
    });
    const [oldest] = idle;
    if (all.size <= max * NEARLY_FULL || !oldest || oldest === socket) return;
    // Its place is free at once: the system takes a moment to tell.
    all.delete(oldest);
    idle.delete(oldest);
    oldest.destroy();
  });
  return ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => {
      if (all.has(socket)) idle.add(socket);
    });
  };
}

interface StatusLineContext {
  readonly live: Pick<Live, 'session'>;
  readonly asks?: Pick<ServedAsks, 'list'> | undefined;
  readonly budgets?: (() => Promise<readonly BudgetReport[]>) | undefined;
  readonly columns?: number;
}

/** Undefined if there is no such session. */
export async function statusLineOf(
  session: string,
  { live, asks, budgets, columns }: StatusLineContext,
): Promise<string | undefined> {
  const found = await live.session(session, { internal: false });
  if (!found) return undefined;
  const open = asks?.list().filter((ask) => ask.end === null && ask.session === session) ?? [];
  const budget = nearestBudget((await budgets?.()) ?? [], found);
  const facts = statusLineFacts(found.cost, found.subagents, open.length, budget);
  return formatStatusLine(facts, createPaint('16'), columns);
}
