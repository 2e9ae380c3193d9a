import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Hono } from 'hono';
import { exportLine } from '../../core/index.ts';
import type { Download, DownloadForm, DownloadRequest, ServedExport } from '../../export/index.ts';
import type { Live } from '../../sessions/index.ts';
import { answerError, answerJson, NO_SESSION, type Refusal } from './answers.ts';
import { isPlainId, readChoice, readFlag } from './query.ts';

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
export function addExportRoutes(
  routes: Hono<{ Bindings: HttpBindings }>,
  { live, exports, onError }: { readonly live: Live; readonly exports: ServedExport; onError(error: unknown): void },
): void {
  let underWay = 0;
  routes.get('/api/sessions/:id/export', async (context) => {
    const as = readChoice(context.req.query('as'), 'as', ['page', 'md', 'json'] as const);
    const pii = readFlag(context.req.query('pii'), 'pii');
    const id = context.req.param('id');
    const session = isPlainId(id) ? await live.session(id, { internal: false }) : undefined;
    if (!session) return answerError(context, NO_SESSION);
    if (context.req.method === 'HEAD') return context.body(null, 200, { 'Content-Type': FORMS[as].type });
    if (underWay >= MAX_AT_ONCE) return answerError(context, BUSY);
    underWay++;
    try {
      await send(context.env.outgoing, { session, as, pii }, exports, onError);
    } finally {
      underWay--;
    }
    return RESPONSE_ALREADY_SENT;
  });
  routes.get('/api/sessions/:id/export/command', async (context) => {
    const id = context.req.param('id');
    const session = isPlainId(id) ? await live.session(id, { internal: false }) : undefined;
    if (!session) return answerError(context, NO_SESSION);
    return answerJson(context, { command: exportLine(session.id, exports.whereOf(session)) });
  });
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
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR';
}

const BUSY: Refusal = {
  status: 429,
  code: 'export-busy',
  message: 'Other exports are being made.',
  remedy: 'Ask again when they are done.',
};
