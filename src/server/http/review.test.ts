import { afterEach, describe, expect, it } from 'vitest';
import type { PairingStatus } from '../../core/index.ts';
import type { ReviewAnswer, ServedExport } from '../../export/index.ts';
import { UserError } from '../../lib/user-error.ts';
import type { ServedProof } from './approval-routes.ts';
import type { ServerOptions } from './create-server.ts';
import { recordedLive } from './testing/recorded-live.ts';
import { type Served, serve, TOKEN } from './testing/serve.ts';

const NESTED = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
const ADDRESS = `/api/sessions/${NESTED}/review`;
const ITEM = { placeholder: '[redacted:github-token#1]', value: 'plum', choice: 'redact' };

let server: Served;
afterEach(() => server.close());

/** A review with one value, and what was decided in it. */
async function serveReview(options: Partial<ServerOptions> = {}) {
  const answers: ReviewAnswer[] = [];
  const exports: ServedExport = {
    whereOf: () => ({ roots: [] }),
    begin: () => Promise.reject(new Error('no download')),
    review: async () => ({ id: 'review-1', items: [ITEM as never], projects: ['/app'], cannotKeep: null }),
    async decide(answer, mayKeep) {
      if ([...answer.choices.values()].some((choice) => choice.startsWith('always-'))) await mayKeep();
      answers.push(answer);
      return { kept: 0 };
    },
  };
  server = await serve(await recordedLive('2.1.325-nested'), { exports, ...options });
  return answers;
}

async function post(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { status, text: answer } = await server.get(ADDRESS, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)), ...headers },
    body: text,
  });
  return { status, code: JSON.parse(answer).error?.code };
}

const choose = (choice: string) => ({ review: 'review-1', choices: { [ITEM.placeholder]: choice } });
const token = { Authorization: `Bearer ${TOKEN}` };
const page = () => ({ Cookie: server.logIn(), 'Sec-Fetch-Site': 'same-origin' });

function proofOf(status: Partial<PairingStatus>): ServedProof {
  return { status: async () => status } as unknown as ServedProof;
}

describe('/api/sessions/:id/review', () => {
  it('shows values to those who may read transcripts, and to nobody else', async () => {
    await serveReview();
    expect((await server.get(ADDRESS)).text).toContain('plum');
    const stranger = await server.get(ADDRESS, { headers: {} });
    expect([stranger.status, stranger.text.includes('plum')]).toEqual([401, false]);
    const other = await server.get(ADDRESS, { headers: { ...token, 'Sec-Fetch-Site': 'cross-site' } });
    expect([other.status, other.text.includes('plum')]).toEqual([403, false]);
    const { headers } = await server.get(ADDRESS);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('takes choices as JSON from our own page or a client with the token', async () => {
    const answers = await serveReview();
    expect(await post(choose('show'), token)).toEqual({ status: 200, code: undefined });
    expect(await post(choose('show'), page())).toEqual({ status: 200, code: undefined });
    expect(answers.map(({ review, choices }) => [review, [...choices]])).toEqual(
      Array(2).fill(['review-1', [[ITEM.placeholder, 'show']]]),
    );
    expect((await post(choose('show'), {})).status).toBe(401);
    expect((await post(choose('show'), { ...page(), 'Sec-Fetch-Site': 'same-site' })).status).toBe(403);
    expect((await post(choose('show'), { ...token, 'Content-Type': 'text/plain' })).status).toBe(415);
    for (const bad of [choose('publish'), { review: 7, choices: {} }, { review: 'review-1' }, '[', 'null'])
      expect(await post(bad, token)).toEqual({ status: 400, code: 'bad-review' });
    expect((await post('x', { ...token, 'Content-Length': '1000000' })).status).toBe(413);
    expect(answers).toHaveLength(2);
  });

  it('keeps decisions only for a browser that is logged in, and that no agent started', async () => {
    const answers = await serveReview({
      checkAnswerer: async ({ headers }) =>
        headers['x-from-agent'] ? { status: 403, code: 'from-agent', message: 'An agent asked.' } : undefined,
    });
    expect(await post(choose('always-show'), token)).toEqual({ status: 400, code: 'keep-refused' });
    expect(await post(choose('always-show'), { ...page(), 'X-From-Agent': '1' })).toEqual({
      status: 400,
      code: 'keep-refused',
    });
    expect(answers).toEqual([]);
    expect((await post(choose('always-show'), page())).status).toBe(200);
    expect(JSON.parse((await server.get(ADDRESS)).text).cannotKeep).toContain('browser that is logged in');
    expect(JSON.parse((await server.get(ADDRESS, { headers: page() })).text).cannotKeep).toBeNull();
  });

  it.each([
    ['none', null, 200],
    ['set', 'browser-1', 200],
    ['set', null, 400],
    ['alarm', null, 400],
  ] as const)(
    'with a passphrase that is %s and pairing %s, answers a kept decision with %s',
    async (state, self, status) => {
      await serveReview({ proof: proofOf({ state, self }) });
      expect((await post(choose('always-everywhere'), page())).status).toBe(status);
      // What holds for this download only needs no proof: the page shows the values anyway.
      expect((await post(choose('show'), page())).status).toBe(200);
    },
  );

  it('reports a review that is not known any more', async () => {
    await serveReview();
    await server.close();
    await serveReview({
      exports: {
        ...{ whereOf: () => ({ roots: [] }), begin: () => Promise.reject(new Error('no download')) },
        review: () => Promise.reject(new UserError('config-invalid', 'config.json is not valid.', 'Correct it.')),
        decide: () => Promise.reject(new UserError('review-expired', 'This review is not known any more.', 'Again.')),
      },
    });
    expect(await post(choose('show'), token)).toEqual({ status: 400, code: 'review-expired' });
    expect(JSON.parse((await server.get(ADDRESS)).text).error.code).toBe('config-invalid');
    expect(server.errors).toEqual([]);
  });
});
