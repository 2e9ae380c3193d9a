import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { type Ask, type AskAnswer, type Asks, isChatPerson, type Person } from '../../core/index.ts';
import { ADAPTERS } from '../../hosts/registry.ts';
import { asObject } from '../../lib/json.ts';
import { findClients, listAncestry, type SeenProcess } from '../../lib/processes.ts';
import { UserError } from '../../lib/user-error.ts';
import { answerError, answerJson, type Refusal } from './answers.ts';
import { type Channel, type Credentials, findChannel } from './gate.ts';

/** Why the process behind a request may not approve calls or log in; undefined if it may. */
export type AnswerCheck = (request: IncomingMessage, channel?: Channel) => Promise<Refusal | undefined>;

export interface AskRoutesOptions {
  credentials(): Credentials;
  readonly checkAnswerer: AnswerCheck;
}

/** Approvals that wait for a person, and the only address at which they can be answered. */
export function addAskRoutes(
  routes: Hono<{ Bindings: HttpBindings }>,
  asks: Asks,
  { credentials, checkAnswerer }: AskRoutesOptions,
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
): Promise<{ readonly answer: AskAnswer; readonly by: Person }> {
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

function lateness({ end }: Ask): Pick<Refusal, 'status' | 'code' | 'message'> {
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

/** Set for the commands that an agent runs; AI_AGENT also by agents that troupe does not know. */
export const AGENT_VARIABLES: readonly string[] = [
  ...ADAPTERS.map(({ process: { variable } }) => variable),
  'AI_AGENT',
];

/**
 * Refuses answers to approvals, and login links, if the client was started by a coding agent: an agent must not approve its own
 * calls. This only ever refuses; a process that an agent has hidden well still needs a credential.
 */
export const refuseAgents: AnswerCheck = async ({ socket }, channel) => {
  const clients = await findClients(socket);
  for (const pid of clients) {
    const found = await findAgentAbove(pid);
    if (found) return report(fromAgent(found), socket);
  }
  // A browser may be behind a forwarded port, and has shown its cookie; every other client runs here, as this user.
  return clients.length === 0 && channel !== 'page' ? report(UNKNOWN_CLIENT, socket) : undefined;
};

/** In words: which process a coding agent started, and which agent that is. */
export async function findAgentAbove(pid: number): Promise<string | undefined> {
  const ancestry = await listAncestry(pid);
  const [client] = ancestry;
  if (!client) return undefined;
  const name = [...client.names].at(-1);
  for (const seen of ancestry) {
    const host = ADAPTERS.find(({ process: { names } }) => names.some((one) => seen.names.has(one)));
    if (host) return `process ${pid} (${name}) belongs to ${host.title} (process ${seen.pid})`;
  }
  for (const seen of ancestry) {
    const variable = variableIn(seen);
    if (variable)
      return `process ${pid} (${name}) was started by a coding agent (${variable} is set in process ${seen.pid})`;
  }
  return undefined;
}

function variableIn({ variables }: SeenProcess): string | undefined {
  return AGENT_VARIABLES.find((name) => variables.has(name));
}

/** A person should see that an agent tried: the server's log keeps it. */
function report(refusal: Refusal, { remotePort }: IncomingMessage['socket']): Refusal {
  process.stderr.write(`troupe: refused a request from port ${remotePort}: ${refusal.message}\n`);
  return refusal;
}

function fromAgent(found: string): Refusal {
  return {
    status: 403,
    code: 'from-agent',
    message: `Only a person can do this: ${found}.`,
    remedy: 'Use the page, Telegram, or a terminal that no coding agent started.',
  };
}

const UNKNOWN_CLIENT: Refusal = {
  status: 403,
  code: 'unknown-process',
  message: 'troupe cannot tell which process sent this request, so it may be an agent.',
  remedy: 'Answer on the page, or from a process of the same user on this machine.',
};
