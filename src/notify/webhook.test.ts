import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ApprovalRequest } from '../core/index.ts';
import { maskText } from '../redact/index.ts';
import { memoryLive } from '../server/http/testing/memory-live.ts';
import { recordedLive } from '../server/http/testing/recorded-live.ts';
import { rich } from './messages/rich-text.ts';
import { DEFAULT_ANNOUNCE } from './notification.ts';
import { endWell } from './testing/told-lines.ts';
import type { NotificationFeed } from './tracker.ts';
import { bodyOf, post, Webhook, type WebhookEvent, type WebhookForm, type WebhookState } from './webhook.ts';

const SECRET = 'a secret of the test';
const NOW = Date.parse('2030-01-01T00:00:00Z');
const ALIVE = new AbortController().signal;

interface Received {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Answers with these, then 200; a number is a status, `hang up` and `hang` no answer at all. */
async function receiver(...answers: readonly (number | 'hang up' | 'hang')[]) {
  const received: Received[] = [];
  const left = [...answers];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    const answer = left.shift() ?? 200;
    if (answer === 'hang up') request.socket.destroy();
    else if (answer !== 'hang') response.writeHead(answer, answer === 302 ? { location: '/elsewhere' } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    mend: () => left.splice(0),
  };
}

function start(
  feed: NotificationFeed,
  url: string,
  more: { state?: WebhookState; form?: WebhookForm; clock?: () => number } = {},
) {
  const stop = new AbortController();
  const notes: string[] = [];
  const kept: { state: WebhookState | undefined } = { state: more.state };
  const clock = more.clock ?? ((): number => NOW);
  const request = { url, secret: SECRET, version: '1.2.3', clock, signal: stop.signal };
  const running = new Webhook({
    feed,
    announce: { ...DEFAULT_ANNOUNCE, tools: false },
    form: more.form ?? 'troupe',
    mask,
    store: {
      load: () => kept.state ?? { since: 0, sessions: {}, asks: [] },
      save(state) {
        kept.state = JSON.parse(JSON.stringify(state));
      },
    },
    send: (event) => post({ ...request, ...event }),
    clock,
    sleep: () => new Promise((resolve) => setTimeout(resolve, 5)),
    random: () => 0.5,
    note: (text) => notes.push(text),
    signal: stop.signal,
  }).run();
  const end = async (): Promise<void> => {
    stop.abort();
    await running.catch(() => {});
  };
  ends.unshift(end);
  return { notes, kept, end, running };
}

function askOf(session: string): ApprovalRequest {
  const at = '2030-01-01T00:00:00Z';
  const agent = { who: 'main', id: session, type: null, name: null, kind: 'main', depth: 0, path: ['main'] } as const;
  return {
    ...{ id: 'ask-of-the-test', at, expiresAt: at, otherwise: 'deny', host: 'claude-code', session },
    agent: { ...agent, evidence: 'exact', reason: null },
    ...{ tool: 'Bash', call: 'call', summary: 'rm', input: { command: 'rm' }, cwd: '/', rule: 'user:1', reason: '' },
    end: null,
  };
}

const mask = (text: string): string => maskText(text).text;
const eventOf = ({ body }: Received): WebhookEvent => JSON.parse(body);

describe('the webhook', () => {
  it('sends events by time, signed over time and body', async () => {
    const { url, received } = await receiver();
    const { kept } = start(await recordedLive('2.1.325-nested'), url);
    await vi.waitUntil(() => received.length === 7, { timeout: 30_000 });
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
    await vi.waitUntil(() => Object.values(kept.state?.sessions ?? {})[0]?.told.notice?.kind === 'rest', {
      timeout: 30_000,
    });
  });

  it('sends a corrected event under the same id, with the next revision', async () => {
    const { url, received } = await receiver();
    const live = await recordedLive('2.1.325-hang-sigkill');
    start(live, url);
    const endings = () => received.filter((one) => eventOf(one).type === 'ended');
    await vi.waitUntil(() => endings().length === 1, { timeout: 30_000 });
    live.change(live.snapshot().sessions[0]?.id ?? '', endWell);
    await vi.waitUntil(() => endings().length === 2, { timeout: 30_000 });
    const [wrong, right] = endings().map(eventOf);
    expect(right?.id).toBe(wrong?.id);
    expect([wrong?.revision, right?.revision]).toEqual([1, 2]);
    expect([wrong?.run?.status, right?.run?.status]).toEqual(['unknown', 'completed']);
    expect(endings().map(({ headers }) => headers['x-troupe-revision'])).toEqual(['1', '2']);
  });

  it('repeats an event with the same id until it is accepted, and nothing overtakes it', async () => {
    const { url, received } = await receiver(500, 'hang up', 429, 302, 404);
    const { notes } = start(await recordedLive('2.1.325-single'), url);
    await vi.waitUntil(() => received.length === 8, { timeout: 30_000 });
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

  it('drops an event that is refused for long, and reports it', async () => {
    const { url, received } = await receiver(400, 400, 400, 400, 400);
    const { notes } = start(await recordedLive('2.1.325-single'), url);
    await vi.waitUntil(() => received.length === 7, { timeout: 30_000 });
    expect(notes.join('\n')).toMatch(/does not want claude-code:.*it is left out/);
  });

  it('sends only events that were not accepted when it starts again', async () => {
    const first = await receiver(200, ...Array.from({ length: 10_000 }, () => 500));
    const live = await recordedLive('2.1.325-single');
    const one = start(live, first.url);
    await vi.waitUntil(() => first.received.length > 2, { timeout: 30_000 });
    await one.end();
    const second = await receiver();
    const { state } = one.kept;
    if (!state) throw new Error('nothing kept');
    start(live, second.url, { state });
    await vi.waitUntil(() => second.received.length === 2, { timeout: 30_000 });
    expect(second.received.map((event) => eventOf(event).type)).toEqual(['ended', 'rest']);
    expect(eventOf(first.received[1] as Received).id).toBe(eventOf(second.received[0] as Received).id);
  });

  it('sends what happened during an outage when the receiver is back, however long it was', async () => {
    const { url, received, mend } = await receiver(...Array.from({ length: 10_000 }, () => 500));
    const live = await recordedLive('2.1.325-single', '2.1.325-parallel');
    const other = live.snapshot().sessions.find(({ subagents }) => subagents.length === 2);
    if (!other) throw new Error('nothing recorded');
    const running = { status: 'running', runs: [] } as const;
    const subagents = other.subagents.map((agent) => ({ ...agent, ...running }));
    live.change(other.id, (before) => ({ ...before, main: { ...before.main, ...running }, subagents }));
    let now = NOW;
    start(live, url, { clock: () => now });
    await vi.waitUntil(() => received.length > 1, { timeout: 30_000 });
    live.change(other.id, () => other);
    now += 3_600_000;
    mend();
    const texts = (): string => received.map((one) => eventOf(one).text).join('\n');
    await vi.waitUntil(() => texts().match(/🏁 Done/g)?.length === 2, { timeout: 30_000 });
    expect(texts().match(/✅ Subagent/g)).toHaveLength(3);
  });

  it('sends other sessions when one cannot be read', async () => {
    const { url, received } = await receiver();
    const live = await recordedLive('2.1.325-single', '2.1.325-parallel');
    const [broken] = live.snapshot().sessions;
    const timeline: typeof live.timeline = async (id, since) => {
      if (id === broken?.id) throw new Error('it cannot be read');
      return live.timeline(id, since);
    };
    const { notes } = start({ ...live, timeline }, url);
    await vi.waitUntil(() => received.some((one) => eventOf(one).type === 'rest'), { timeout: 30_000 });
    expect(received.every((one) => eventOf(one).session?.id !== broken?.id)).toBe(true);
    expect(notes.join()).toContain('it cannot be read');
  });

  it('ends when its address is gone for good, and sends the rest to a new one', async () => {
    const { url } = await receiver(200, 410);
    const live = await recordedLive('2.1.325-single');
    const { running, kept } = start(live, url);
    await expect(running).rejects.toThrow('The address is gone: it answered 410.');
    const next = await receiver();
    if (!kept.state) throw new Error('nothing kept');
    start(live, next.url, { state: kept.state });
    await vi.waitUntil(() => next.received.length === 2, { timeout: 30_000 });
    expect(next.received.map((event) => eventOf(event).type)).toEqual(['ended', 'rest']);
  });

  it('reports why an event was not accepted', async () => {
    const plain = await receiver(302, 'hang');
    const said = (url: string): Promise<string> =>
      post({
        revision: 1,
        patienceMs: 300,
        url,
        secret: SECRET,
        id: 'x',
        body: '{}',
        attempt: 1,
        version: '1',
        clock: () => NOW,
        signal: ALIVE,
      }).then((outcome) => ('why' in outcome ? outcome.why : outcome.kind));
    expect(await said(plain.url)).toBe('it answered 302, which points to another address: enter that one');
    expect(await said(plain.url)).toBe('no answer within 0.3 s');
    expect(await said(plain.url.replace('http:', 'https:'))).toMatch(/SSL|packet length/i);
    const { port } = new URL(plain.url);
    for (const end of ends.splice(0)) await end();
    expect(await said(`http://localhost:${port}/`)).toContain('ECONNREFUSED');
  });

  it('turns host ids that no header can carry into valid ones', async () => {
    const { url, received } = await receiver();
    const live = await recordedLive('2.1.325-single');
    const [session] = live.snapshot().sessions;
    const [agent] = session?.subagents ?? [];
    if (!session || !agent) throw new Error('nothing recorded');
    const ids = ['half \ud83d', 'long '.repeat(10_000)];
    const subagents = ids.map((id) => ({ ...agent, id }));
    start({ ...live, ...memoryLive([{ ...session, subagents }]) }, url);
    await vi.waitUntil(() => received.length === 5, { timeout: 30_000 });
    expect(received.map((one) => eventOf(one).id.length).every((length) => length <= 200)).toBe(true);
    expect(new Set(received.map((one) => eventOf(one).id)).size).toBe(5);
  });

  it('passes the signature check in the docs, and forged requests do not', async () => {
    const docs = readFileSync(new URL('../../docs/WEBHOOK.md', import.meta.url), 'utf8');
    const [, snippet = ''] = /```js\n([\s\S]*?)```/.exec(docs) ?? [];
    const { isOurs } = await import(`data:text/javascript,${encodeURIComponent(snippet)}`);
    const { url, received } = await receiver();
    const sent = (clock: () => number): Promise<unknown> =>
      post({
        url,
        secret: SECRET,
        id: 'x',
        revision: 1,
        body: '{"text":"ö"}',
        attempt: 1,
        version: '1',
        clock,
        signal: ALIVE,
      });
    await sent(Date.now);
    await sent(() => Date.now() - 301_000);
    const [fresh, old] = received.map(({ headers, body }) => ({ headers, body: Buffer.from(body) }));
    if (!fresh || !old) throw new Error('nothing came');
    expect(isOurs(fresh.headers, fresh.body, SECRET)).toBe(true);
    expect(isOurs(old.headers, old.body, SECRET)).toBe(false);
    expect(isOurs(fresh.headers, Buffer.from('{"text":"o"}'), SECRET)).toBe(false);
    expect(isOurs(fresh.headers, fresh.body, 'another')).toBe(false);
    expect(isOurs({ ...fresh.headers, 'x-troupe-signature': 'v1=short' }, fresh.body, SECRET)).toBe(false);
    expect(isOurs({}, fresh.body, SECRET)).toBe(false);
    const moved = { ...old.headers, 'x-troupe-timestamp': fresh.headers['x-troupe-timestamp'] };
    expect(isOurs(moved, old.body, SECRET)).toBe(false);
  });

  it('sends no credentials, in any form', async () => {
    const live = await recordedLive('2.1.325-single');
    const secret = `AKIA${'QWERTYUIOPASDFGH'}`;
    const text = `use ${secret}, DB_PASSWORD=Barcelona2024! and {"message":"API Key: cal_live_9f8e7d6c5b4a"}`;
    const id = live.snapshot().sessions[0]?.id ?? '';
    live.change(id, (before) => ({
      ...before,
      subagents: before.subagents.map((agent) => ({ ...agent, label: `use ${secret}`, description: text })),
    }));
    for (const form of ['troupe', 'slack', 'discord'] as const) {
      const { url, received } = await receiver();
      start(live, url, { form });
      await vi.waitUntil(() => received.length === 3, { timeout: 30_000 });
      const all = received.map(({ body }) => body).join();
      expect(all).not.toContain(secret);
      expect(all).not.toMatch(/Barcelona|cal_live/);
      expect(all).toContain('masked');
      if (form === 'troupe') expect(received.map((one) => eventOf(one).session?.id)).toEqual([id, id, id]);
    }
  });

  it('sends approval requests among the other events, by time', async () => {
    const { url, received } = await receiver();
    const live = await recordedLive('2.1.325-single');
    const [session] = live.snapshot().sessions;
    const between = new Date(Date.parse(session?.subagents[0]?.startedAt ?? '') + 500).toISOString();
    const ask = { ...askOf(session?.id ?? ''), at: between };
    live.emit({ type: 'ask', data: ask });
    start(live, url);
    await vi.waitUntil(() => received.length === 4, { timeout: 30_000 });
    expect(received.map((one) => eventOf(one).type)).toEqual(['spawned', 'ask', 'ended', 'rest']);
  });

  it('sends Slack and Discord what they accept, and mentions no one', async () => {
    const text = {
      text: '📎 Subagent [<!channel> `x`]\n  › @everyone',
      marks: [
        { kind: 'code', from: 13, length: 14 },
        { kind: 'code', from: 33, length: 9 },
      ],
    } as const;
    expect(JSON.parse(bodyOf({} as WebhookEvent, text, { form: 'slack', mask })).text).not.toContain('<!channel>');
    const discord = JSON.parse(
      bodyOf({} as WebhookEvent, { ...text, text: `${text.text}${'x'.repeat(5000)}` }, { form: 'discord', mask }),
    );
    expect(discord.allowed_mentions).toEqual({ parse: [] });
    expect(discord.content.length).toBeLessThanOrEqual(2000);
    // What is cut is cut between characters, and no mark stays open.
    const long = rich({ pre: `x${'😀'.repeat(3_000)}` });
    const { content } = JSON.parse(bodyOf({} as WebhookEvent, long, { form: 'discord', mask }));
    expect(content).toMatch(/^```x[😀]+```…$/u);
    expect(content.length).toBeLessThanOrEqual(2000);
    expect(content.length).toBeGreaterThan(1900);
  });
});
