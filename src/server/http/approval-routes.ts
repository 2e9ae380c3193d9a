import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Asks,
  isChatPerson,
  type PairingStatus,
  type Person,
} from '../../core/index.ts';
import type { PendingApprovals } from '../../guard/index.ts';
import { asObject } from '../../lib/json.ts';
import { UserError } from '../../lib/user-error.ts';
import type { ApprovalProof, GivenProof } from '../approval-proof.ts';
import { answerError, answerJson, type Refusal } from './answers.ts';
import { type Channel, type Credentials, findChannel } from './gate.ts';

/** Why the process behind a request may not approve calls or log in; undefined if it may. */
export type AnswerCheck = (request: IncomingMessage, channel?: Channel) => Promise<Refusal | undefined>;

/** Approvals that wait for a person, and the only address at which they can be answered. */
export function addApprovalRoutes(
  routes: Hono<{ Bindings: HttpBindings }>,
  asks: ServedAsks,
  { credentials, checkAnswerer, proof }: ApprovalRoutesOptions,
): void {
  routes.get('/api/asks', (context) => answerJson(context, { asks: asks.list() }));

  routes.post('/api/asks/:id', async (context) => {
    const { incoming } = context.env;
    const channel = findChannel(incoming, credentials()) ?? 'api';
    const { answer, by, signature } = await readAnswer(context, channel);
    const id = context.req.param('id');
    // Everybody may deny: an agent that does so only hinders itself.
    if (answer === 'allow') {
      const given = { signature, pairing: channel === 'page' ? pairingOf(incoming) : undefined };
      const refusal = (await checkAnswerer(incoming, channel)) ?? (await checkProof(incoming, channel, id, given));
      if (refusal) return answerError(context, refusal);
    }
    const answered = asks.answer(id, answer, by);
    if (answered.outcome === 'unknown') return answerError(context, NO_ASK);
    const { ask } = answered;
    if (answered.outcome === 'taken') return answerJson(context, { ask });
    const { status, ...error } = lateness(ask);
    return answerJson(context, { error: { ...error, remedy: null }, ask }, status);
  });

  const checkProof = async (
    incoming: IncomingMessage,
    channel: Channel,
    id: string,
    given: GivenProof,
  ): Promise<Refusal | undefined> => {
    const ask = asks.list().find((one) => one.id === id && one.end === null);
    if (!ask || !proof) return undefined;
    if (!(await asks.needsProof?.(id)) && !(channel === 'page' && (await proof.isRemote(incoming)))) return undefined;
    return proof.refusalFor(ask, given);
  };

  if (!proof) return;
  const status = async ({ env }: Context<{ Bindings: HttpBindings }>): Promise<PairingStatus> => ({
    ...(await proof.status(pairingOf(env.incoming))),
    alarms: proof.alarms(),
  });
  routes.get('/api/pairing', async (context) => answerJson(context, await status(context)));

  routes.post('/api/pairing', async (context) => {
    const { incoming } = context.env;
    if (findChannel(incoming, credentials()) !== 'page') return answerError(context, ONLY_BROWSERS);
    const body = asObject(await context.req.json().catch(() => undefined));
    const [passphrase, name] = [body?.['passphrase'], body?.['name']];
    if (typeof passphrase !== 'string' || typeof name !== 'string')
      throw new UserError('bad-pairing', 'This is no pairing.', 'Send {"passphrase":"…","name":"…"}.');
    const refusal = await checkAnswerer(incoming, 'page');
    if (refusal) return answerError(context, refusal);
    const paired = await proof.pair(passphrase, name);
    return 'code' in paired ? answerError(context, paired) : answerJson(context, paired);
  });

  routes.post('/api/pairing/:id', async (context) => {
    const refusal = await checkAnswerer(context.env.incoming, findChannel(context.env.incoming, credentials()));
    if (refusal) return answerError(context, refusal);
    const isGone = await proof.unpair(context.req.param('id'));
    return isGone ? answerJson(context, await status(context)) : answerError(context, NO_BROWSER);
  });
}

/** Not a cookie: browsers send those to every port of this machine, so any server that an agent starts could collect it. */
const PAIRING_HEADER = 'x-troupe-pairing';

export function pairingOf({ headers }: IncomingMessage): string | undefined {
  const secret = headers[PAIRING_HEADER];
  return typeof secret === 'string' ? secret : undefined;
}

export type ServedAsks = Asks & Partial<Pick<PendingApprovals, 'needsProof'>>;

/** What decides whether a person allows a call. */
export interface ServedProof extends Pick<ApprovalProof, 'status' | 'refusalFor' | 'pair' | 'unpair'> {
  /** It does not come from a program of this user on this machine. */
  isRemote(request: IncomingMessage): Promise<boolean>;
  /** What was changed behind our back, in sentences for people. */
  alarms(): readonly string[];
}

interface ApprovalRoutesOptions {
  credentials(): Credentials;
  readonly checkAnswerer: AnswerCheck;
  readonly proof?: ServedProof | undefined;
}

async function readAnswer(
  context: Context,
  channel: Channel,
): Promise<{ readonly answer: ApprovalAnswer; readonly by: Person; readonly signature: string | undefined }> {
  const body = asObject(await context.req.json().catch(() => undefined));
  const answer = body?.['answer'];
  if (answer !== 'allow' && answer !== 'deny')
    throw new UserError('bad-answer', 'This is no answer.', 'Send {"answer":"allow"} or {"answer":"deny"}.');
  const proof = body?.['proof'];
  const signature = typeof proof === 'string' ? proof : undefined;
  if (channel !== 'telegram') return { answer, by: channel, signature };
  const by = body?.['by'];
  if (!isChatPerson(by)) throw new UserError('bad-answer', 'The answer does not name its user.', 'Send "by".');
  return { answer, by, signature };
}

const ONLY_BROWSERS: Refusal = {
  status: 403,
  code: 'only-browsers',
  message: 'Only a browser that is logged in can be paired.',
  remedy: 'Open the page with: troupe open',
};
const NO_BROWSER: Refusal = { status: 404, code: 'browser-not-found', message: 'No paired browser has this id.' };
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
