import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { type ApprovalAnswer, type ApprovalRequest, type Asks, isChatPerson, type Person } from '../../core/index.ts';
import { asObject } from '../../lib/json.ts';
import { UserError } from '../../lib/user-error.ts';
import { answerError, answerJson, type Refusal } from './answers.ts';
import { type Channel, type Credentials, findChannel } from './gate.ts';

/** Why the process behind a request may not approve calls or log in; undefined if it may. */
export type AnswerCheck = (request: IncomingMessage, channel?: Channel) => Promise<Refusal | undefined>;

/** Approvals that wait for a person, and the only address at which they can be answered. */
export function addApprovalRoutes(
  routes: Hono<{ Bindings: HttpBindings }>,
  asks: Asks,
  { credentials, checkAnswerer }: { credentials(): Credentials; readonly checkAnswerer: AnswerCheck },
): void {
  routes.get('/api/asks', (context) => answerJson(context, { asks: asks.list() }));

  routes.post('/api/asks/:id', async (context) => {
    const { incoming } = context.env;
    const channel = findChannel(incoming, credentials()) ?? 'api';
    const { answer, by } = await readAnswer(context, channel);
    const refusal = await checkAnswerer(incoming, channel);
    if (refusal) return answerError(context, refusal);
    const answered = asks.answer(context.req.param('id'), answer, by);
    if (answered.outcome === 'unknown') return answerError(context, NO_ASK);
    const { ask } = answered;
    if (answered.outcome === 'taken') return answerJson(context, { ask });
    const { status, ...error } = lateness(ask);
    return answerJson(context, { error: { ...error, remedy: null }, ask }, status);
  });
}

async function readAnswer(
  context: Context,
  channel: Channel,
): Promise<{ readonly answer: ApprovalAnswer; readonly by: Person }> {
  const body = asObject(await context.req.json().catch(() => undefined));
  const answer = body?.['answer'];
  if (answer !== 'allow' && answer !== 'deny')
    throw new UserError('bad-answer', 'This is no answer.', 'Send {"answer":"allow"} or {"answer":"deny"}.');
  if (channel !== 'telegram') return { answer, by: channel };
  const by = body?.['by'];
  if (!isChatPerson(by)) throw new UserError('bad-answer', 'The answer does not name its user.', 'Send "by".');
  return { answer, by };
}

const NO_ASK: Refusal = { status: 404, code: 'ask-not-found', message: 'Nothing of this id waits for an answer.' };

function lateness({ end }: ApprovalRequest): Pick<Refusal, 'status' | 'code' | 'message'> {
  const so = end?.decision === 'allow' ? 'allowed' : 'denied';
  switch (end?.by) {
    case 'expiry':
      return { status: 410, code: 'ask-expired', message: `The time for an answer is over: it was ${so}.` };
    case 'withdrawn':
      return { status: 410, code: 'ask-withdrawn', message: 'The call does not wait any more.' };
    case 'stop':
      return { status: 410, code: 'ask-expired', message: `The server is ending: it was ${so}.` };
    default:
      return { status: 409, code: 'ask-answered', message: `It was answered already: ${so}.` };
  }
}
