import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { AgentReport, AttachReport, AttachWish } from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import { UserError } from '../../lib/user-error.ts';
import type { Live } from '../../sessions/index.ts';
import { answerError, answerJson, type Refusal } from './answers.ts';
import { isPlainId, readBudget, readFlag } from './query.ts';

/** What going on from an agent would be. Nothing is started: that is for the person, in a terminal. */
export type ServedAttach = (
  agent: Pick<AgentReport, 'id' | 'ownSessionId' | 'cwd'>,
  wish: AttachWish,
) => Promise<AttachReport>;

/** Addresses have an end. */
const LONGEST_MESSAGE = 4_000;

export function addAttachRoutes(
  routes: Hono<{ Bindings: HttpBindings }>,
  { live, attach }: { readonly live: Live; readonly attach: ServedAttach },
): void {
  routes.get('/api/agents/:id/attach', async (context) => {
    const [id, session] = [context.req.param('id'), context.req.query('session')];
    const areIds = isPlainId(id) && (session === undefined || isPlainId(session));
    const agent = areIds ? await live.agent(id, session) : undefined;
    if (!agent) return answerError(context, NO_AGENT);
    const message = context.req.query('message') || undefined;
    if (message !== undefined && message.length > LONGEST_MESSAGE)
      throw new UserError(
        'bad-query',
        'The message is too long for an address.',
        'Say it in the terminal: troupe attach.',
      );
    const wish: AttachWish = {
      fork: readFlag(context.req.query('fork'), 'fork'),
      budget: readBudget(context.req.query('budget')),
      ...known({ message, host: context.req.query('host') || undefined }),
    };
    return answerJson(context, await attach(agent, wish));
  });
}

const NO_AGENT: Refusal = { status: 404, code: 'agent-not-found', message: 'There is no agent of this id.' };
