import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Asks, ChannelKeys, LiveEvent } from '../../core/index.ts';
import type { ServedExport } from '../../export/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { known } from '../../lib/json.ts';
import { UserError } from '../../lib/user-error.ts';
import type { Live, Subscription } from '../../sessions/index.ts';
import type { HookIntake, ServedGuard } from '../server-control.ts';
import { answerHook, isForHooks } from './answer-hook.ts';
import { answerRefusal, OUR_MISTAKE } from './answers.ts';
import type { AnswerCheck } from './ask-routes.ts';
import type { ServedAttach } from './attach-routes.ts';
import { limitConnections } from './crowd.ts';
import { createEventLog, type EventLogLimits } from './event-log.ts';
import { createEventStreams, type EventStreams, type StreamLimits } from './event-streams.ts';
import { findRefusal } from './gate.ts';
import { withoutInput } from './guard-routes.ts';
import { Logins } from './logins.ts';
import type { PageFiles } from './page-files.ts';
import { createRoutes } from './routes.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { Credentials } from './token.ts';

export interface ServerOptions {
  readonly live: Live;
  /** Where hooks of this machine may call. */
  readonly hooks?: HookIntake;
  /** What the hooks heard; without it there is nothing at `/api/guard`. */
  readonly guard?: ServedGuard;
  /** Calls that wait for a person's word; without it there is nothing at `/api/asks`. */
  readonly asks?: Asks;
  /** Sessions to hand on; without it there is nothing at `/api/sessions/ID/export`. */
  readonly exports?: ServedExport;
  /** How to go on from an agent; without it there is nothing at `/api/agents/ID/attach`. */
  readonly attach?: ServedAttach;
  readonly token: string;
  /** Of the UIs that answer approvals, each its own. */
  readonly keys?: ChannelKeys;
  readonly logins?: Logins;
  /** Which processes may answer approvals and log in; without it, all that are authenticated. */
  readonly checkAnswerer?: AnswerCheck;
  /** Names this run of the server in the ids of events: letters and digits. */
  readonly epoch: string;
  readonly version: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The page; without it, `/` only says that the server runs. */
  readonly page?: PageFiles;
  /** Our own mistakes, for a log: whoever asked hears only that there was one. */
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
  const log = createEventLog(options.epoch, options.limits);
  const streams = createEventStreams(log, options.limits);
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
  const crowd = limitConnections(server, connectionsWithin(options.openFiles));
  server.timeout = SILENT_SOCKET_MS;

  function handle(request: http.IncomingMessage, response: http.ServerResponse): void {
    crowd.serves(request, response);
    const refusal = findRefusal(request, {
      ...credentials(),
      ...{ page, takesAnswers: asks !== undefined },
      ...known({ hookKey: hooks?.key }),
    });
    if (hooks && !refusal && isForHooks(request)) {
      const answered = answerHook(request, response, hooks)
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
      subscriptions.push(live.subscribe((event) => tell(asks ? withAsks(event, asks) : event)));
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
function withAsks(event: LiveEvent, asks: Asks): LiveEvent {
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
