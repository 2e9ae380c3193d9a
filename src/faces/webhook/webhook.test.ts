import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ALL_NEWS } from '../../news/news.ts';
import type { NewsFeed } from '../../news/news-desk.ts';
import { recordedLive } from '../server/testing/recorded-live.ts';
import { bodyOf, type WebhookEvent, type WebhookForm } from './payload.ts';
import { post } from './post.ts';
import { runWebhook, type WebhookState } from './run-webhook.ts';

const SECRET = 'a secret of the test';
const NOW = Date.parse('2030-01-01T00:00:00Z');

interface Received {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Answers with these, then 200; a number is a status, `hang up` no answer at all. */
async function receiver(...answers: readonly (number | 'hang up')[]) {
  const received: Received[] = [];
  const left = [...answers];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    const answer = left.shift() ?? 200;
    if (answer === 'hang up') request.socket.destroy();
    else response.writeHead(answer, answer === 302 ? { location: '/elsewhere' } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

function start(feed: NewsFeed, url: string, more: { state?: WebhookState; form?: WebhookForm } = {}) {
  const stop = new AbortController();
  const notes: string[] = [];
  const kept: { state: WebhookState | undefined } = { state: more.state };
  const request = { url, secret: SECRET, version: '1.2.3', clock: () => NOW, signal: stop.signal };
  const running = runWebhook({
    feed,
    wishes: { ...ALL_NEWS, tools: false },
    form: more.form ?? 'troupe',
    store: {
      load: () => kept.state ?? { since: 0, sessions: {}, asks: [] },
      save(state) {
        kept.state = JSON.parse(JSON.stringify(state));
      },
    },
    send: (id, body, attempt) => post({ ...request, id, body, attempt }),
    clock: () => NOW,
    sleep: () => new Promise((resolve) => setTimeout(resolve, 5)),
    random: () => 0.5,
    note: (text) => notes.push(text),
    signal: stop.signal,
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  ends.unshift(end);
  return { notes, kept, end };
}

const eventOf = ({ body }: Received): WebhookEvent => JSON.parse(body);

describe('the webhook', () => {
  it('sends what happened in order, signed over time and body', async () => {
    const { url, received } = await receiver();
    const { kept } = start(await recordedLive('2.1.325-nested'), url);
    await vi.waitUntil(() => received.length === 7, { timeout: 10_000 });
    expect(received.map((one) => eventOf(one).type)).toEqual([
      'spawned',
      'spawned',
      'spawned',
      'ended',
      'ended',
      'ended',
      'rest',
    ]);
    expect(received.map((one) => eventOf(one).text.split('\n')[0])).toEqual([
      '📎 Subagent [Audit the repo]',
      '📎 Subagent [Check app.js]',
      '📎 Subagent [Check util.js]',
      '✅ Subagent [Check util.js] completed',
      '✅ Subagent [Check app.js] completed',
      '✅ Subagent [Audit the repo] completed',
      '🏁 Done',
    ]);
    for (const { headers, body } of received) {
      const time = headers['x-troupe-timestamp'];
      const signature = createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex');
      expect(headers['x-troupe-signature']).toBe(`v1=${signature}`);
      expect(headers['x-troupe-id']).toBe(encodeURIComponent(JSON.parse(body).id));
    }
    expect(received.map((one) => eventOf(one).agent?.label).slice(0, 3)).toEqual([
      'Audit the repo',
      'Check app.js',
      'Check util.js',
    ]);
    await vi.waitUntil(() => Object.values(kept.state?.sessions ?? {})[0]?.told.notice?.kind === 'rest');
  });

  it('sends again until it was taken, with the same id, and nothing overtakes', async () => {
    const { url, received } = await receiver(500, 'hang up', 429, 302, 404);
    const { notes } = start(await recordedLive('2.1.325-single'), url);
    await vi.waitUntil(() => received.length === 8, { timeout: 10_000 });
    const ids = received.map((one) => eventOf(one).id);
    expect(new Set(ids.slice(0, 6)).size).toBe(1);
    expect(new Set(ids).size).toBe(3);
    expect(received.map(({ headers }) => headers['x-troupe-attempt']).slice(0, 6)).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ]);
    expect(notes.at(0)).toContain('it answered 500');
    expect(notes.at(-1)).toBe('troupe: the webhook takes events again.');
  });

  it('what is not wanted at all is left out after a while, and said', async () => {
    const { url, received } = await receiver(400, 400, 400, 400, 400);
    const { notes } = start(await recordedLive('2.1.325-single'), url);
    await vi.waitUntil(() => received.length === 7, { timeout: 10_000 });
    expect(notes.join('\n')).toMatch(/does not want claude-code:.*it is left out/);
  });

  it('started again: what was taken is not sent again, what was not is', async () => {
    const first = await receiver(200, ...Array.from({ length: 10_000 }, () => 500));
    const live = await recordedLive('2.1.325-single');
    const one = start(live, first.url);
    await vi.waitUntil(() => first.received.length > 2, { timeout: 10_000 });
    await one.end();
    const second = await receiver();
    const { state } = one.kept;
    if (!state) throw new Error('nothing kept');
    start(live, second.url, { state });
    await vi.waitUntil(() => second.received.length === 2, { timeout: 10_000 });
    expect(second.received.map((event) => eventOf(event).type)).toEqual(['ended', 'rest']);
    expect(eventOf(first.received[1] as Received).id).toBe(eventOf(second.received[0] as Received).id);
  });

  it('Slack and Discord get what they take, and nobody is called by it', async () => {
    const text = {
      text: '📎 Subagent [<!channel> `x`]\n  › @everyone',
      marks: [
        { kind: 'code', from: 13, length: 14 },
        { kind: 'code', from: 33, length: 9 },
      ],
    } as const;
    expect(JSON.parse(bodyOf({} as WebhookEvent, text, 'slack')).text).not.toContain('<!channel>');
    const discord = JSON.parse(
      bodyOf({} as WebhookEvent, { ...text, text: `${text.text}${'x'.repeat(5000)}` }, 'discord'),
    );
    expect(discord.allowed_mentions).toEqual({ parse: [] });
    expect(discord.content.length).toBeLessThanOrEqual(2000);
  });
});
