import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Asks } from '../../core/index.ts';
import type { ServedExport } from '../../export/index.ts';
import { UserError } from '../../lib/user-error.ts';
import type { Live } from '../../sessions/index.ts';
import type { ServedGuard } from '../server-control.ts';
import { answerError, answerJson, NO_SESSION, OUR_MISTAKE, type Refusal } from './answers.ts';
import { type AnswerCheck, addAskRoutes } from './ask-routes.ts';
import { addAttachRoutes, type ServedAttach } from './attach-routes.ts';
import { EVENT_STREAM_HEADERS, type EventStreams } from './event-streams.ts';
import { addExportRoutes } from './export-routes.ts';
import { addGuardRoutes } from './guard-routes.ts';
import { PAGE_HEADERS, renderPage } from './page.ts';
import { headersOf, type PageFiles } from './page-files.ts';
import { isPlainId, readFlag, readInstant, readRange } from './query.ts';
import { sessionList } from './session-list.ts';
import { type Credentials, loginCookie } from './token.ts';

export interface RoutesContext {
  readonly live: Live;
  readonly guard?: ServedGuard;
  readonly asks?: Asks;
  readonly exports?: ServedExport;
  readonly attach?: ServedAttach;
  readonly streams: EventStreams;
  credentials(): Credentials;
  readonly checkAnswerer: AnswerCheck;
  readonly page: PageFiles;
  readonly version: string;
  readonly startedAt: number;
  port(): number;
  onError(error: unknown): void;
}

type Env = { Bindings: HttpBindings };

/** Every address, and what answers there. Whoever gets here has passed the gate. */
export function createRoutes(options: RoutesContext): Hono<Env> {
  const { live, guard, asks, exports, attach, streams, page, version, startedAt, port, onError } = options;
  const { credentials, checkAnswerer } = options;
  const routes = new Hono<Env>();
  for (const [address, file] of page)
    if (address !== '/') routes.get(address, (context) => context.body(file.bytes, 200, headersOf(address, file)));

  routes.get('/', (context) => {
    const index = page.get('/');
    if (index) return context.body(index.bytes, 200, headersOf('/', index));
    return context.body(renderPage(), 200, PAGE_HEADERS);
  });

  routes.get('/login', (context) => {
    // Programs that preview links ask for the head only: that must not use the link up.
    const cookie =
      context.req.method === 'GET' ? credentials().logins.redeem(context.req.query('code') ?? '') : undefined;
    if (cookie === undefined) return context.body(renderPage('old-link'), 401, PAGE_HEADERS);
    return context.body(null, 303, { Location: '/', 'Set-Cookie': loginCookie(port(), cookie) });
  });

  routes.post('/api/login', async (context) => {
    const refusal = await checkAnswerer(context.env.incoming);
    return refusal ? answerError(context, refusal) : answerJson(context, { path: credentials().logins.createLink() });
  });

  routes.get('/api/status', (context) => {
    const { sessions, olderTotal, isComplete, notices } = live.snapshot();
    return answerJson(context, {
      version,
      pid: process.pid,
      startedAt: new Date(startedAt).toISOString(),
      port: port(),
      sessions: sessions.length,
      older: olderTotal,
      clients: streams.count(),
      isComplete,
      notices,
    });
  });

  routes.get('/api/sessions', (context) => answerJson(context, sessionList(live.snapshot())));

  routes.get('/api/sessions/:id', async (context) => {
    const id = context.req.param('id');
    const internal = readFlag(context.req.query('internal'), 'internal');
    const session = isPlainId(id) ? await live.session(id, { internal }) : undefined;
    return session ? answerJson(context, session) : answerError(context, NO_SESSION);
  });

  routes.get('/api/sessions/:id/timeline', async (context) => {
    const id = context.req.param('id');
    const since = readInstant(context.req.query('since'), 'since');
    const timeline = isPlainId(id) ? await live.timeline(id, since) : undefined;
    return timeline ? answerJson(context, timeline) : answerError(context, NO_SESSION);
  });

  routes.get('/api/agents/:id', async (context) => {
    const { id, session } = agentIn(context);
    const agent = id === undefined ? undefined : await live.agent(id, session);
    return agent ? answerJson(context, agent) : answerError(context, NO_AGENT);
  });

  routes.get('/api/agents/:id/transcript', async (context) => {
    const range = readRange(context.req.query('from'), context.req.query('limit'));
    const { id, session } = agentIn(context);
    const page = id === undefined ? undefined : await live.transcript(id, range, session);
    return page ? answerJson(context, page) : answerError(context, NO_AGENT);
  });

  routes.get('/api/events', (context) => {
    if (context.req.method === 'HEAD') return context.body(null, 200, EVENT_STREAM_HEADERS);
    streams.open(context.env.outgoing, context.req.header('last-event-id') ?? context.req.query('after'));
    return RESPONSE_ALREADY_SENT;
  });

  if (guard) addGuardRoutes(routes, guard);
  if (asks) addAskRoutes(routes, asks, { credentials, checkAnswerer });
  if (exports) addExportRoutes(routes, { live, exports, onError });
  if (attach) addAttachRoutes(routes, { live, attach });

  routes.notFound((context) => answerError(context, NO_ROUTE));
  routes.onError((error, context) => {
    if (error instanceof UserError) return answerError(context, refusalOf(error));
    onError(error);
    return answerError(context, OUR_MISTAKE);
  });
  return routes;
}

/** No id where it cannot be one. */
function agentIn(context: Context): { readonly id?: string; readonly session?: string } {
  const id = context.req.param('id') ?? '';
  const session = context.req.query('session');
  if (!isPlainId(id) || (session !== undefined && !isPlainId(session))) return {};
  return session === undefined ? { id } : { id, session };
}

function refusalOf({ code, message, remedy }: UserError): Refusal {
  const status = code.endsWith('not-found') ? 404 : code.endsWith('unreadable') ? 503 : 400;
  return { status, code, message, remedy };
}

const NO_ROUTE: Refusal = { status: 404, code: 'no-such-address', message: 'There is nothing at this address.' };
const NO_AGENT: Refusal = { status: 404, code: 'agent-not-found', message: 'There is no agent of this id.' };
