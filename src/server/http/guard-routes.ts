import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { AuditEntry, HeardCall } from '../../core/index.ts';
import type { ServedGuard } from '../server-control.ts';
import { answerError, answerJson, NO_SESSION, type Refusal } from './answers.ts';
import { isPlainId, readAuditFilter, readEntryLimit, readFlag } from './query.ts';

/** What the hooks heard: the audit, and whether it is whole. */
export function addGuardRoutes(routes: Hono<{ Bindings: HttpBindings }>, guard: ServedGuard): void {
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
