import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import {
  type AgentReport,
  type AttachOptions,
  type AttachReport,
  type AuditEntry,
  type BudgetReport,
  exportLine,
  type HeardCall,
  REVIEW_CHOICES,
  type ReviewChoice,
  type SessionDetail,
  type SpendReport,
  sessionOnly,
} from '../../core/index.ts';
import type { Download, DownloadForm, DownloadRequest, ReviewAnswer, ServedExport } from '../../export/index.ts';
import { asObject, known } from '../../lib/json.ts';
import { codeOf, UserError } from '../../lib/user-error.ts';
import type { Live } from '../../sessions/index.ts';
import type { ServedSearch } from '../served-search.ts';
import type { ServedGuard } from '../server-control.ts';
import { answerError, answerJson, NO_SESSION, OUR_MISTAKE, type Refusal } from './answers.ts';
import {
  type AnswerCheck,
  addApprovalRoutes,
  pairingOf,
  type ServedAsks,
  type ServedProof,
} from './approval-routes.ts';
import { EVENT_STREAM_HEADERS, type EventStreams } from './event-streams.ts';
import { type Credentials, findChannel, loginCookie } from './gate.ts';
import { headersOf, PAGE_HEADERS, type PageFiles, renderPage } from './page.ts';
import {
  isPlainId,
  readAuditFilter,
  readBudget,
  readChoice,
  readEntryLimit,
  readFlag,
  readInstant,
  readListRequest,
  readRange,
  readSearchRequest,
  readSpendRequest,
  type SpendQuery,
} from './query.ts';

/** What the server has to offer. A part that is left out has no address. */
export interface Served {
  readonly live: Live;
  /** `/api/cost`: what sessions cost. */
  readonly cost?: ServedCost;
  /** `/api/budgets`: what is used of them. */
  readonly budgets?: () => Promise<readonly BudgetReport[]>;
  /** `/api/guard`: the audit log. */
  readonly guard?: ServedGuard;
  /** `/api/asks`: tool calls that wait for a person. */
  readonly asks?: ServedAsks;
  /** Who may allow such calls; without it, all that are authenticated. */
  readonly proof?: ServedProof;
  /** `/api/search`: the text of conversations. */
  readonly search?: ServedSearch;
  /** `/api/sessions/ID/export` */
  readonly exports?: ServedExport;
  /** `/api/agents/ID/attach`: how to resume from an agent. */
  readonly attach?: ServedAttach;
  readonly version: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

export type ServedCost = (request: SpendQuery) => Promise<SpendReport>;

interface RoutesContext extends Served {
  readonly streams: EventStreams;
  credentials(): Credentials;
  readonly checkAnswerer: AnswerCheck;
  readonly page: PageFiles;
  port(): number;
  onError(error: unknown): void;
}

type Env = { Bindings: HttpBindings };

/** Every address, and what answers there. Whoever gets here has passed the gate. */
export function createRoutes(options: RoutesContext): Hono<Env> {
  const {
    live,
    budgets,
    cost,
    guard,
    asks,
    search,
    exports,
    attach,
    streams,
    page,
    version,
    startedAt,
    port,
    onError,
  } = options;
  const { credentials, checkAnswerer, proof } = options;
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
      notices: [...notices, ...(proof?.alarms() ?? [])],
    });
  });

  routes.get('/api/sessions', (context) => {
    const { sessions, older, olderTotal, emptySessions, ignoredFiles, isComplete } = live.snapshot();
    const total = sessions.length + olderTotal;
    return answerJson(context, {
      sessions: sessions.map(sessionOnly),
      older,
      total,
      emptySessions,
      ignoredFiles,
      isComplete,
    });
  });

  routes.get('/api/session-list', (context) =>
    answerJson(context, live.list(readListRequest((name) => context.req.query(name)))),
  );

  routes.get('/api/sessions/:id', async (context) => {
    const session = await findSession(context, live, readFlag(context.req.query('internal'), 'internal'));
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

  if (cost)
    routes.get('/api/cost', async (context) =>
      answerJson(context, await cost(readSpendRequest((name) => context.req.query(name)))),
    );
  if (budgets) routes.get('/api/budgets', async (context) => answerJson(context, { budgets: await budgets() }));
  if (guard) addGuardRoutes(routes, guard);
  if (asks) addApprovalRoutes(routes, asks, options);
  if (search) addSearchRoutes(routes, search, options);
  if (exports) addExportRoutes(routes, exports, options);
  if (attach) addAttachRoutes(routes, attach, live);

  routes.notFound((context) => answerError(context, NO_ROUTE));
  routes.onError((error, context) => {
    if (error instanceof UserError) {
      const { code, message, remedy } = error;
      const status = code.endsWith('not-found') ? 404 : code.endsWith('unreadable') ? 503 : 400;
      return answerError(context, { status, code, message, remedy });
    }
    onError(error);
    return answerError(context, OUR_MISTAKE);
  });
  return routes;
}

async function findSession(context: Context, live: Live, internal = false): Promise<SessionDetail | undefined> {
  const id = context.req.param('id') ?? '';
  return isPlainId(id) ? live.session(id, { internal }) : undefined;
}

/** Without an id if it cannot be one. */
function agentIn(context: Context): { readonly id?: string; readonly session?: string } {
  const id = context.req.param('id') ?? '';
  const session = context.req.query('session');
  if (!isPlainId(id) || (session !== undefined && !isPlainId(session))) return {};
  return session === undefined ? { id } : { id, session };
}

const NO_ROUTE: Refusal = { status: 404, code: 'no-such-address', message: 'There is nothing at this address.' };
const NO_AGENT: Refusal = { status: 404, code: 'agent-not-found', message: 'There is no agent of this id.' };

/** What the hooks heard: the audit, and whether it is whole. */
function addGuardRoutes(routes: Hono<Env>, guard: ServedGuard): void {
  routes.get('/api/guard/log', async (context) => {
    const filter = readAuditFilter((name) => context.req.query(name));
    const withInput = readFlag(context.req.query('input'), 'input');
    const page = await guard.read(filter, readEntryLimit(context.req.query('limit')));
    return answerJson(context, withInput ? page : { ...page, entries: page.entries.map(withoutInput) });
  });

  routes.get('/api/guard/coverage/:session', async (context) => {
    const session = context.req.param('session');
    if (!isPlainId(session)) return answerError(context, NO_SESSION);
    return answerJson(context, await guard.coverage(session));
  });

  routes.get('/api/guard/explain/:call', async (context) => {
    const call = context.req.param('call');
    return isPlainId(call) ? answerJson(context, await guard.explain(call)) : answerError(context, NO_CALL);
  });
}

const NO_CALL: Refusal = { status: 404, code: 'call-not-found', message: 'There is no such call in the audit.' };

/** What a tool was given may be long, and is seldom looked at. */
export function withoutInput({ input: _, ...heard }: AuditEntry): HeardCall {
  return heard;
}

/** What going on from an agent would be. Nothing is started: that is for the person, in a terminal. */
export type ServedAttach = (
  agent: Pick<AgentReport, 'id' | 'ownSessionId' | 'cwd'>,
  wish: AttachOptions,
) => Promise<AttachReport>;

/** Addresses have an end. */
const LONGEST_MESSAGE = 4_000;

function addAttachRoutes(routes: Hono<Env>, attach: ServedAttach, live: Live): void {
  routes.get('/api/agents/:id/attach', async (context) => {
    const { id, session } = agentIn(context);
    const agent = id === undefined ? undefined : await live.agent(id, session);
    if (!agent) return answerError(context, NO_AGENT);
    const message = context.req.query('message') || undefined;
    if (message !== undefined && message.length > LONGEST_MESSAGE)
      throw new UserError(
        'bad-query',
        'The message is too long for an address.',
        'Say it in the terminal: troupe attach.',
      );
    const wish: AttachOptions = {
      fork: readFlag(context.req.query('fork'), 'fork'),
      budget: readBudget(context.req.query('budget')),
      ...known({ message, host: context.req.query('host') || undefined }),
    };
    return answerJson(context, await attach(agent, wish));
  });
}

/** Each takes a core for a while, and some memory. */
const MAX_AT_ONCE = 2;
/** Whoever does not take what waits for so long has gone to sleep. */
const SLOW_READER_MS = 60_000;

const FORMS: { readonly [form in DownloadForm]: { readonly ending: string; readonly type: string } } = {
  page: { ending: 'html', type: 'text/html; charset=utf-8' },
  md: { ending: 'md', type: 'text/markdown; charset=utf-8' },
  json: { ending: 'json', type: 'application/json; charset=utf-8' },
};

/** A session as a file to hand on, without its secrets. */
function addExportRoutes(
  routes: Hono<Env>,
  exports: ServedExport,
  { live, onError, credentials, checkAnswerer, proof }: RoutesContext,
): void {
  let underWay = 0;
  routes.get('/api/sessions/:id/export', async (context) => {
    const as = readChoice(context.req.query('as'), 'as', ['page', 'md', 'json'] as const);
    const pii = readFlag(context.req.query('pii'), 'pii');
    const session = await findSession(context, live);
    if (!session) return answerError(context, NO_SESSION);
    if (context.req.method === 'HEAD') return context.body(null, 200, { 'Content-Type': FORMS[as].type });
    if (underWay >= MAX_AT_ONCE) return answerError(context, BUSY);
    underWay++;
    try {
      const review = context.req.query('review') || undefined;
      await send(context.env.outgoing, { session, as, pii, ...known({ review }) }, exports, onError);
    } finally {
      underWay--;
    }
    return RESPONSE_ALREADY_SENT;
  });
  routes.get('/api/sessions/:id/review', async (context) => {
    const pii = readFlag(context.req.query('pii'), 'pii');
    const session = await findSession(context, live);
    if (!session) return answerError(context, NO_SESSION);
    if (context.req.method === 'HEAD') return context.body(null, 200);
    if (underWay >= MAX_AT_ONCE) return answerError(context, BUSY);
    underWay++;
    try {
      const { incoming, outgoing } = context.env;
      const gone = new AbortController();
      outgoing.once('close', () => gone.abort());
      // It is silent while secrets are looked for.
      outgoing.socket?.setTimeout(0);
      const review = await exports.review({ session, pii }, gone.signal).catch((error: unknown) => {
        if (gone.signal.aborted) return undefined;
        throw error;
      });
      if (!review) return RESPONSE_ALREADY_SENT;
      return answerJson(context, { ...review, cannotKeep: review.cannotKeep ?? (await whyNotKept(incoming)) });
    } finally {
      underWay--;
    }
  });
  routes.post('/api/sessions/:id/review', async (context) => {
    const session = await findSession(context, live);
    if (!session) return answerError(context, NO_SESSION);
    const answer = await readReviewAnswer(context);
    const mayKeep = async (): Promise<void> => {
      const why = await whyNotKept(context.env.incoming);
      if (why !== null)
        throw new UserError('keep-refused', why, 'Choose "show" or "redact everywhere" for this export only.');
    };
    return answerJson(context, await exports.decide({ session, ...answer }, mayKeep));
  });
  /** Kept decisions hold without being asked about again: only a person may keep them, and if there is a passphrase, only a paired browser. */
  const whyNotKept = async (incoming: IncomingMessage): Promise<string | null> => {
    if (findChannel(incoming, credentials()) !== 'page') return 'Only a browser that is logged in can keep decisions.';
    const refusal = await checkAnswerer(incoming, 'page');
    if (refusal) return refusal.message;
    const pairing = await proof?.status(pairingOf(incoming));
    if (pairing === undefined || pairing.state === 'none' || pairing.self !== null) return null;
    return 'To keep decisions for later exports, pair this browser with your passphrase for approvals.';
  };
  routes.get('/api/sessions/:id/export/command', async (context) => {
    const session = await findSession(context, live);
    if (!session) return answerError(context, NO_SESSION);
    return answerJson(context, { command: exportLine(session.id, exports.whereOf(session)) });
  });
}

async function readReviewAnswer(context: Context): Promise<Pick<ReviewAnswer, 'review' | 'choices'>> {
  const body = asObject(await context.req.json().catch(() => undefined));
  const [review, choices] = [body?.['review'], asObject(body?.['choices'])];
  const entries = Object.entries(choices ?? {});
  const isChoice = (choice: unknown): choice is ReviewChoice => REVIEW_CHOICES.some((one) => one === choice);
  if (typeof review !== 'string' || !choices || !entries.every(([, choice]) => isChoice(choice)))
    throw new UserError(
      'bad-review',
      'This is no answer to a review.',
      `Send {"review":"ID","choices":{"PLACEHOLDER":"…"}}, each choice one of ${REVIEW_CHOICES.join(', ')}.`,
    );
  return { review, choices: new Map(entries as [string, ReviewChoice][]) };
}

/** Throws what goes wrong before the first byte. Later the connection is cut, so that nobody takes a part for the whole. */
async function send(
  response: ServerResponse,
  request: DownloadRequest,
  exports: ServedExport,
  onError: (error: unknown) => void,
): Promise<void> {
  if (response.closed) return;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  // It is silent while secrets are looked for.
  response.socket?.setTimeout(0);
  let download: Download;
  try {
    download = await exports.begin(request, gone.signal);
  } catch (error) {
    if (gone.signal.aborted) return;
    throw error;
  }
  response.socket?.setTimeout(SLOW_READER_MS);
  const { ending, type } = FORMS[request.as];
  response.writeHead(200, {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${download.stem}.${ending}"`,
  });
  try {
    await pipeline(download.bytes, response);
  } catch (error) {
    if (!gone.signal.aborted || !isFromLeaving(error)) onError(error);
    response.destroy();
  }
}

/** The reader went away first: no mistake of ours. */
function isFromLeaving(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR';
}

const BUSY: Refusal = {
  status: 429,
  code: 'export-busy',
  message: 'Other exports are being made.',
  remedy: 'Ask again when they are done.',
};

interface SearchRoutesOptions {
  credentials(): Credentials;
  readonly checkAnswerer: AnswerCheck;
  readonly proof?: ServedProof | undefined;
}

/** Searches the text of conversations, and takes the person's word on whether there may be an index of it. */
function addSearchRoutes(
  routes: Hono<{ Bindings: HttpBindings }>,
  search: ServedSearch,
  { credentials, checkAnswerer, proof }: SearchRoutesOptions,
): void {
  /** Why it is not the person at a browser that is logged in; undefined if it is. */
  const refusalFor = async (incoming: IncomingMessage): Promise<Refusal | undefined> => {
    if (findChannel(incoming, credentials()) !== 'page') return ONLY_BROWSERS;
    return checkAnswerer(incoming, 'page');
  };

  routes.get('/api/search', async (context) => {
    const request = readSearchRequest((name) => context.req.query(name));
    if (context.req.method === 'HEAD') return context.body(null, 200);
    const isRedacted = (await refusalFor(context.env.incoming)) !== undefined;
    return answerJson(context, await search.search({ ...request, isRedacted }));
  });

  routes.get('/api/search/index', async (context) => answerJson(context, await search.status()));

  routes.post('/api/search/index', async (context) => {
    const { incoming } = context.env;
    const body = asObject(await context.req.json().catch(() => undefined));
    const [allow, exclude = []] = [body?.['allow'], body?.['exclude']];
    const isList = Array.isArray(exclude) && exclude.every((one) => typeof one === 'string' && one.trim() !== '');
    if (typeof allow !== 'boolean' || !isList)
      throw new UserError('bad-consent', 'This is no answer.', 'Send {"allow":true,"exclude":[]} or {"allow":false}.');
    const refusal = await refusalFor(incoming);
    if (refusal) return answerError(context, refusal);
    // To delete the index only makes it safer.
    const pairing = allow ? await proof?.status(pairingOf(incoming)) : undefined;
    if (pairing && pairing.state !== 'none' && pairing.self === null) return answerError(context, PAIR_FIRST);
    return answerJson(context, allow ? await search.allow(exclude) : await search.forbid());
  });
}

const ONLY_BROWSERS: Refusal = {
  status: 403,
  code: 'only-browsers',
  message: 'Only you can allow this, on the page or in a terminal.',
  remedy: 'Open the page with: troupe open. In a terminal: troupe index text on',
};
const PAIR_FIRST: Refusal = {
  status: 403,
  code: 'proof-needed',
  message: 'You have a passphrase for approvals: pair this browser with it first.',
};
