import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { asObject } from '../../lib/json.ts';
import { UserError } from '../../lib/user-error.ts';
import type { ServedSearch } from '../served-search.ts';
import { answerError, answerJson, type Refusal } from './answers.ts';
import { type AnswerCheck, pairingOf, type ServedProof } from './approval-routes.ts';
import { type Credentials, findChannel } from './gate.ts';
import { readSearchRequest } from './query.ts';

interface SearchRoutesOptions {
  credentials(): Credentials;
  readonly checkAnswerer: AnswerCheck;
  readonly proof?: ServedProof | undefined;
}

/** Searches the text of conversations, and takes the person's word on whether there may be an index of it. */
export function addSearchRoutes(
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
