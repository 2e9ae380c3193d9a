import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ApprovalRequest } from '../src/core/index.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { UserError } from '../src/lib/user-error.ts';
import { newState } from '../src/notify/telegram/chat-state.ts';
import { endWell } from '../src/notify/testing/told-lines.ts';
import type { MemoryLive } from '../src/server/http/testing/memory-live.ts';
import { recordedLive } from '../src/server/http/testing/recorded-live.ts';
import { type BotServer, startBotServer } from './telegram-server/bot-server.ts';
import { type BotOptions, fastTime, type RunningBot, startBot } from './telegram-server/run-bot.ts';

const FORUM = -1_000_000_000_100;
const TOPICLESS = -1_000_000_000_200;
const ME = 42;
const SPEED = 20;

const opened: { server: BotServer; bots: RunningBot[] }[] = [];
afterEach(async () => {
  for (const { server, bots } of opened.splice(0)) {
    for (const bot of bots) await bot.stop();
    await server.close();
    for (const { file } of bots) rmSync(path.dirname(file), { recursive: true, force: true });
  }
});

async function open(feed: BotOptions['feed'], more: Partial<BotOptions> = {}) {
  const time = fastTime(SPEED, Date.parse('2030-01-01T00:00:00Z'));
  const server = await startBotServer({
    chats: [{ id: FORUM, isForum: true }, { id: TOPICLESS, isForum: true, isTopicless: true }, { id: ME }],
    clock: time.clock,
  });
  const bot = startBot({ server, feed, time, chats: [ME], ...more });
  const mine = { server, bots: [bot] };
  opened.push(mine);
  return {
    time,
    server,
    bot,
    again: (file: string) => {
      const next = startBot({ server, feed, time, chats: [ME], ...more, file });
      mine.bots.push(next);
      return next;
    },
  };
}

const said = (server: BotServer, chat: number): string => server.texts(chat).join('\n');

describe('the bot', () => {
  it('tells a session in a topic of its own, each line under the right name', async () => {
    const { server } = await open(await recordedLive('2.1.325-parallel'), { chats: [FORUM] });
    await vi.waitUntil(() => said(server, FORUM).includes('🏁'), { timeout: 30_000 });
    expect([...server.topics(FORUM).values()]).toHaveLength(1);
    const [topic] = server.topics(FORUM).keys();
    expect(server.messages(FORUM).every(({ thread }) => thread === topic)).toBe(true);
    const lines = said(server, FORUM).split('\n');
    expect(lines.filter((line) => line.startsWith('📎'))).toEqual([
      '📎 Subagent [Inspect source files]',
      '📎 Subagent [Write a note]',
    ]);
    expect(lines.slice(lines.indexOf('✅ Subagent [Write a note] completed'))).toEqual([
      '✅ Subagent [Write a note] completed',
      '  › NOTES.md written.',
      '✅ Subagent [Inspect source files] completed',
      '  › src has app.js and util.js.',
      '🏁 Done',
      '  › Both agents are done.',
    ]);
    expect(server.refused).toEqual([]);
  });

  it('corrects a message that turns out wrong in its place, also when it was started again meanwhile', async () => {
    const live = await recordedLive('2.1.325-hang-sigkill');
    const { server, bot, again } = await open(live, { chats: [FORUM] });
    await vi.waitUntil(() => said(server, FORUM).includes('no output returned'), { timeout: 30_000 });
    await vi.waitUntil(() => readFileSync(bot.file, 'utf8').includes('corrigible'), { timeout: 30_000 });
    const before = server.messages(FORUM);
    const wrong = before.find(({ text }) => text.includes('no output returned'));
    await bot.stop();
    again(bot.file);
    live.change(live.snapshot().sessions[0]?.id ?? '', endWell);
    const right = '✅ Subagent [Hangs] completed (corrected: it was reported as ended without a result)';
    await vi.waitUntil(() => said(server, FORUM).includes(right), { timeout: 30_000 });
    const after = server.messages(FORUM);
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    const corrected = after.find(({ id }) => id === wrong?.id);
    expect(corrected?.edits).toBe(1);
    expect(corrected?.text).toContain(right);
    expect(said(server, FORUM)).not.toContain('❌');
    expect(server.refused.filter(({ description }) => !description.startsWith('Conflict'))).toEqual([]);
  });

  it('says nothing twice and leaves nothing out, wherever it is killed', async () => {
    const live = await recordedLive('2.1.325-nested');
    const { server: whole } = await open(live, { chats: [FORUM] });
    await vi.waitUntil(() => said(whole, FORUM).includes('🏁'), { timeout: 30_000 });
    const wanted = said(whole, FORUM);
    const requests = whole.taken.filter(({ method }) => !['getMe', 'getChat', 'setMyCommands'].includes(method)).length;
    expect(requests).toBeGreaterThanOrEqual(2);
    for (const cut of ['cut-before', 'cut-after'] as const)
      for (let nth = 1; nth <= requests; nth++) {
        const { server, bot, again } = await open(live, { chats: [FORUM] });
        let seen = 0;
        server.onRequest(() => {
          if (++seen !== nth) return undefined;
          bot.kill();
          return cut;
        });
        await vi.waitUntil(() => seen >= nth, { timeout: 30_000 });
        again(bot.file);
        await vi.waitUntil(() => said(server, FORUM).includes('🏁'), { timeout: 30_000 });
        expect(said(server, FORUM), `${cut} ${nth}`).toBe(wanted);
        expect(server.topics(FORUM).size, `${cut} ${nth}`).toBe(1);
      }
  });

  it('finds out what arrived when the line was dead, and goes on when it is back', async () => {
    const { server, bot } = await open(await recordedLive('2.1.325-nested'), { chats: [FORUM] });
    let seen = 0;
    server.onRequest(() => (++seen === 2 ? 'cut-after' : undefined));
    await vi.waitUntil(() => said(server, FORUM).includes('🏁'), { timeout: 30_000 });
    expect(
      server
        .texts(FORUM)
        .join()
        .match(/📎 Subagent \[Check app.js\]/g),
    ).toHaveLength(1);
    expect(bot.notes.join()).toContain('Telegram cannot be reached');
    await vi.waitUntil(() => bot.notes.join().includes('Telegram answers again'), { timeout: 30_000 });
    server.be('down');
    await vi.waitUntil(() => bot.health.at(-1)?.state === 'network', { timeout: 30_000 });
    server.be('revoked');
    await vi.waitUntil(() => bot.health.at(-1)?.state === 'revoked', { timeout: 30_000 });
    server.be('well');
    await vi.waitUntil(() => bot.health.at(-1)?.state === 'ok', { timeout: 30_000 });
  });

  it('another program that asks for the updates is named', async () => {
    const { server, bot, time } = await open(await recordedLive('2.1.325-plain'));
    const other = startBot({ server, feed: await recordedLive('2.1.325-plain'), time, chats: [ME] });
    await vi.waitUntil(() => [...bot.notes, ...other.notes].join().includes('Another program asks for the updates'), {
      timeout: 30_000,
    });
    await other.stop();
  });

  it('answers commands, in parts that fit; strangers get no word', async () => {
    const live = await recordedLive('2.1.325-nested', '2.1.325-xss');
    const { server, bot } = await open(live, { since: Date.now() * 2 });
    const session = live.snapshot().sessions.find(({ subagents }) => subagents.length === 3);
    const [outer] = session?.subagents ?? [];
    const ask = async (text: string): Promise<string> => {
      const before = server.texts(ME).length;
      server.say(ME, { id: 7, username: 'ann' }, text);
      await vi.waitUntil(() => server.texts(ME).length > before + 1, { timeout: 30_000 });
      return server.texts(ME).at(-1) ?? '';
    };
    server.say(666, { id: 666 }, '/sessions');
    expect(await ask('/sessions')).toContain(session?.id.slice(0, 8));
    expect(await ask(`/tree@troupe_test_bot ${session?.id}`)).toContain('    ✅ [Check app.js]');
    expect(await ask(`/agent ${outer?.id}`)).toContain('asked for by: main');
    expect(await ask(`/cost ${session?.id}`)).toContain('💰 ');
    expect(await ask('/agent nobody')).toContain('There is no agent nobody.');
    expect(await ask('/stop')).toContain('troupe has no way yet to end an agent');
    expect(await ask('/say hello')).toContain('troupe has no way yet to send words');
    expect(await ask(`/export ${session?.id}`)).toContain('secrets taken out');
    expect(server.messages(ME).at(-1)?.file?.bytes.toString()).toBe(`<p>${session?.id}</p>`);
    server.say(ME, { id: 7 }, '/tree@another_bot');
    server.say(ME, { id: 7 }, 'no command');
    expect(await ask('/help')).toContain('/mute');
    expect(server.refused).toEqual([]);
    expect(server.texts(666)).toEqual([]);
    expect(bot.notes.filter((note) => note.includes('stranger'))).toHaveLength(1);
  });

  describe('an action on an agent', () => {
    async function withControl(options: Partial<BotOptions> = {}) {
      const deeds: string[] = [];
      const live = await recordedLive('2.1.325-nested', '2.1.325-single');
      const control = {
        stop: async (session: string, agent: string | undefined) => {
          deeds.push(`stop ${agent ?? session}`);
          return 'Stopped.';
        },
        say: async (session: string, agent: string | undefined, text: string) => {
          deeds.push(`say ${agent ?? session}: ${text}`);
          return 'Told.';
        },
      };
      const running = await open(live, { since: Date.now() * 2, control, ...options });
      const ask = async (text: string): Promise<string> => {
        const before = running.server.texts(ME).length;
        running.server.say(ME, { id: 7 }, text);
        // The status message of a session may arrive before or after the answer.
        const answers = () =>
          running.server
            .texts(ME)
            .slice(before + 1)
            .filter((one) => !one.includes('⚙️'));
        await vi.waitUntil(() => answers().length > 0, { timeout: 30_000 });
        return answers().at(-1) ?? '';
      };
      const nested = live.snapshot().sessions.find(({ subagents }) => subagents.length === 3);
      const [agent] = nested?.subagents ?? [];
      if (!nested || !agent) throw new Error('nothing recorded');
      return { ...running, ask, deeds, live, nested, agent };
    }

    it('is done only when its target is certain', async () => {
      const { ask, deeds, nested, agent, live } = await withControl();
      expect(await ask('/stop')).toContain('It could be one of 2 sessions.');
      expect(await ask('/say go on')).toContain('It could be one of 2 sessions.');
      expect(await ask('/mute')).toContain('It could be one of 2 sessions.');
      expect(await ask('/stop no-such-id')).toContain('There is no agent no-such-id.');
      expect(deeds).toEqual([]);
      expect(await ask(`/stop ${agent.id}`)).toMatch(/^📁 .*\nStopped\.$/);
      expect(await ask(`/say ${agent.id.slice(0, 8)} two\nlines`)).toMatch(/\nTold\.$/);
      expect(await ask(`/mute ${nested.id} 2h`)).toMatch(/\n(Muted for 2 h\.|Nothing is told of this session here\.)/);
      live.change(nested.id, (before) => ({ ...before, main: { ...before.main, status: 'running' }, running: 1 }));
      expect(await ask('/say go on')).toMatch(/\nTold\.$/);
      expect(deeds).toEqual([`stop ${agent.id}`, `say ${agent.id}: two\nlines`, `say ${nested.id}: go on`]);
    });

    it('is not done twice, also when the bot is killed before it could answer', async () => {
      let kill = (): void => {};
      const deeds: string[] = [];
      const say = async (_session: string, _agent: string | undefined, text: string): Promise<string> => {
        deeds.push(text);
        kill();
        return 'Told.';
      };
      const { server, bot, again, agent } = await withControl({ control: { stop: async () => '', say } });
      kill = bot.kill;
      server.say(ME, { id: 7 }, `/say ${agent.id} once`);
      await vi.waitUntil(() => deeds.length === 1, { timeout: 30_000 });
      kill = () => {};
      again(bot.file);
      server.say(ME, { id: 7 }, '/help');
      await vi.waitUntil(() => said(server, ME).includes('/mute'), { timeout: 30_000 });
      expect(deeds).toEqual(['once']);
    });
  });

  it('receives messages also when Telegram restarts the numbers of its updates', async () => {
    const { server } = await open(await recordedLive('2.1.325-plain'), { since: Date.now() * 2 });
    server.numberUpdatesFrom(5_000_000);
    server.say(ME, { id: 7 }, '/help');
    await vi.waitUntil(() => said(server, ME).match(/the agents of a session/g)?.length === 1, { timeout: 30_000 });
    server.numberUpdatesFrom(1_000);
    server.say(ME, { id: 7 }, '/help');
    await vi.waitUntil(() => said(server, ME).match(/the agents of a session/g)?.length === 2, { timeout: 30_000 });
    server.say(ME, { id: 7 }, '/mute 30m');
    await vi.waitUntil(() => said(server, ME).includes('Nothing is told of this session'), { timeout: 30_000 });
    expect(said(server, ME).match(/the agents of a session/g)).toHaveLength(2);
  });

  it('a long export blocks no other message in the chat', async () => {
    const live = await recordedLive('2.1.325-single');
    let finish = (): void => {};
    const exportSession = async ({ id }: { id: string }) => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { name: `${id}.html`, bytes: Buffer.from('page') };
    };
    const { server } = await open(live, { since: Date.now() * 2, exportSession });
    server.say(ME, { id: 7 }, '/export');
    server.say(ME, { id: 7 }, '/help');
    await vi.waitUntil(() => said(server, ME).includes('/mute'), { timeout: 30_000 });
    expect(server.messages(ME).some(({ file }) => file)).toBe(false);
    finish();
    await vi.waitUntil(() => server.messages(ME).at(-1)?.file, { timeout: 30_000 });
    expect(server.messages(ME).filter(({ file }) => file)).toHaveLength(1);
  });

  it('credentials in the words and calls of agents are not sent', async () => {
    const live = await recordedLive('2.1.325-single');
    const secret = `AKIA${'QWERTYUIOPASDFGH'}`;
    const [session] = live.snapshot().sessions;
    live.change(session?.id ?? '', (before) => ({
      ...before,
      title: `use ${secret}`,
      subagents: before.subagents.map((agent) => ({ ...agent, label: `use ${secret}` })),
    }));
    const transcript: typeof live.transcript = async (...asked) => {
      const part = await live.transcript(...asked);
      const content = [
        {
          type: 'text' as const,
          text: `DB_PASSWORD=Barcelona2024! {"message":"API Key: cal_live_9f8e7d6c5b4a"} ${'x '.repeat(58)}${secret} is the key`,
        },
      ];
      return part && { ...part, messages: part.messages.map((message) => ({ ...message, content })) };
    };
    const { server } = await open({ ...live, transcript }, { chats: [FORUM] });
    await vi.waitUntil(() => said(server, FORUM).includes('🏁'), { timeout: 30_000 });
    const all = [said(server, FORUM), ...server.topics(FORUM).values()].join('\n');
    expect(all).toContain('📎 Subagent [use [masked');
    expect(all).not.toMatch(/AKIA|Barcelona|cal_live/);
    expect(server.refused).toEqual([]);
  });

  it('sends other sessions when one cannot be read', async () => {
    const live = await recordedLive('2.1.325-single', '2.1.325-parallel');
    const [broken] = live.snapshot().sessions;
    const timeline: typeof live.timeline = async (id, since) => {
      if (id === broken?.id) throw new Error('it cannot be read');
      return live.timeline(id, since);
    };
    const { server, bot } = await open({ ...live, timeline });
    await vi.waitUntil(() => said(server, ME).includes('🏁'), { timeout: 30_000 });
    expect(bot.notes.filter((note) => note.includes('it cannot be read'))).toHaveLength(1);
  });

  it('a session whose chat was taken out of the settings goes on in another, and tells nothing twice', async () => {
    const live = await recordedLive('2.1.325-single');
    const { server, bot, time } = await open(live, { chats: [FORUM] });
    await vi.waitUntil(() => said(server, FORUM).includes('🏁'), { timeout: 30_000 });
    await bot.stop();
    const next = startBot({ server, feed: live, time, chats: [ME], file: bot.file });
    opened.at(-1)?.bots.push(next);
    const at = '2030-01-01T00:00:00Z';
    live.change(live.snapshot().sessions[0]?.id ?? '', (before) => ({
      ...before,
      lastActivityAt: at,
      main: { ...before.main, status: 'running', currentToolSummary: 'more work', lastActivityAt: at },
    }));
    await vi.waitUntil(() => said(server, ME).includes('⚙️ more work…'), { timeout: 30_000 });
    expect(said(server, ME)).not.toContain('📎');
  });

  it('only listed people may ask when there is a list', async () => {
    const live = await recordedLive('2.1.325-plain');
    const { server, bot } = await open(live, { options: { users: [7] }, since: Date.now() * 2 });
    server.say(ME, { id: 8 }, '/sessions');
    server.say(ME, { id: 7 }, '/help');
    await vi.waitUntil(() => said(server, ME).includes('/mute'), { timeout: 30_000 });
    expect(said(server, ME)).not.toContain('·');
    expect(bot.notes.join()).toContain('user 8');
  });

  it('muted: no lines until it is over, and the status message stays true', async () => {
    const live = await recordedLive('2.1.325-single');
    const { server } = await open(live, { since: Date.parse('2029-12-31T00:00:00Z') });
    const at = '2030-01-01T00:00:00Z';
    const [session] = live.snapshot().sessions;
    const work = (status: 'running' | 'completed', summary: string | null): void =>
      live.change(session?.id ?? '', (before) => ({
        ...before,
        lastActivityAt: at,
        main: { ...before.main, status, currentTool: 'Bash', currentToolSummary: summary, lastActivityAt: at },
      }));
    work('running', 'first');
    await vi.waitUntil(() => server.texts(ME)[0] === '⚙️ first…', { timeout: 30_000 });
    server.say(ME, { id: 7 }, '/mute 30m');
    await vi.waitUntil(() => said(server, ME).includes('Muted for 30 min.'), { timeout: 30_000 });
    work('completed', null);
    await vi.waitUntil(() => server.texts(ME)[0] === '✅ done', { timeout: 30_000 });
    server.say(ME, { id: 7 }, '/help');
    await vi.waitUntil(() => said(server, ME).includes('the agents of a session'), { timeout: 30_000 });
    expect(said(server, ME)).not.toContain('🏁');
  });

  it('a deleted topic and its message are created again', async () => {
    const live = await recordedLive('2.1.325-parallel');
    const { server } = await open(live, { chats: [FORUM] });
    await vi.waitUntil(() => said(server, FORUM).includes('🏁'), { timeout: 30_000 });
    const [topic] = server.topics(FORUM).keys();
    server.deleteTopic(FORUM, topic ?? 0);
    const at = '2030-01-01T00:00:00Z';
    live.change(live.snapshot().sessions[0]?.id ?? '', (before) => ({
      ...before,
      lastActivityAt: at,
      main: {
        ...before.main,
        status: 'running',
        currentTool: 'Bash',
        currentToolSummary: 'more work',
        lastActivityAt: at,
      },
    }));
    await vi.waitUntil(() => said(server, FORUM).includes('⚙️ more work…'), { timeout: 30_000 });
    expect(server.topics(FORUM).size).toBe(1);
  });

  it('without the right to open topics it writes into the group, and says what is missing', async () => {
    const { server, bot } = await open(await recordedLive('2.1.325-single'), { chats: [TOPICLESS] });
    await vi.waitUntil(() => said(server, TOPICLESS).includes('🏁'), { timeout: 30_000 });
    expect(bot.notes.filter((note) => note.includes('may not open topics'))).toHaveLength(1);
  });

  it('a chat that blocks the bot does not stop the others', async () => {
    const { server, bot } = await open(await recordedLive('2.1.325-single'), { chats: [FORUM, ME] });
    server.block(FORUM);
    await vi.waitUntil(() => bot.health.at(-1)?.state === 'blocked', { timeout: 30_000 });
    server.say(ME, { id: 7 }, '/help');
    await vi.waitUntil(() => said(server, ME).includes('/mute'), { timeout: 30_000 });
  });
});

describe('hostile text', () => {
  const NASTY = [
    '<script>alert(1)</script> [x](tg://user?id=1) @admin /stop https://evil.example',
    'emoji cut in half \ud83d and \udc4d back to front',
    '\u202e\u2066right to left\u2069\u202d',
    '\u0000\u001b]0;title\u0007\u001b[31mred',
    '👨‍👩‍👧‍👦'.repeat(3_000),
    'x'.repeat(1_000_000),
    ']\n✅ Subagent [other] completed',
    '',
    '\u200b \u00ad',
  ];

  it('breaks neither a message nor a mark', async () => {
    const live = await recordedLive('2.1.325-xss', '2.1.325-parallel');
    const [from] = live.snapshot().sessions;
    const [agent] = from?.subagents ?? [];
    if (!from || !agent) throw new Error('nothing recorded');
    const subagents = NASTY.map((text, index) => ({
      ...agent,
      id: `agent-${index}`,
      label: text,
      description: text,
      toolUseId: `call-${index}`,
      runs: [
        {
          ...agent.runs[0],
          status: 'failed',
          signal: 'transcript',
          reason: text,
          toolUseId: null,
          startedAt: from.startedAt,
          endedAt: from.lastActivityAt,
        } as const,
      ],
      status: index % 2 ? ('running' as const) : ('failed' as const),
      currentTool: text,
      currentToolSummary: text,
    }));
    const nasty = { ...from, title: NASTY[0] ?? '', project: NASTY[1] ?? '', subagents };
    const snapshot = { ...live.snapshot(), sessions: [nasty] };
    const timeline = async () => ({
      sessionId: nasty.id,
      host: nasty.host,
      startedAt: null,
      endedAt: null,
      agents: subagents.map(({ id }, index) => ({
        id,
        calls: NASTY.map((text, at) => ({
          id: `${index}-${at}`,
          tool: text,
          summary: text,
          writes: null,
          startedAt: from.startedAt,
          endedAt: null,
          outcome: null,
          asksForAgent: at === 0,
          spawned: null,
        })),
        replies: [],
        compactions: [],
      })),
    });
    const feed: BotOptions['feed'] = {
      subscribe(listener) {
        listener({ type: 'snapshot', data: snapshot });
        return { close() {} };
      },
      timeline,
      transcript: async () => ({
        ...({ session_id: 'x', total: 1 } as never as Awaited<ReturnType<BotOptions['feed']['transcript']>> & object),
        messages: [
          { id: 'm', role: 'user', timestamp: null, model: null, content: [{ type: 'text', text: NASTY.join(' ') }] },
        ],
      }),
    };
    const { server } = await open(feed, { chats: [FORUM] });
    for (const command of ['/sessions', '/tree', '/cost', '/agent agent-5', '/agent agent-1'])
      server.say(FORUM, { id: 7 }, command);
    await vi.waitUntil(() => server.texts(FORUM).filter((text) => text.startsWith('📁')).length >= 4, {
      timeout: 30_000,
    });
    await vi.waitUntil(() => said(server, FORUM).includes('❌ Subagent ['), { timeout: 30_000 });
    expect(server.refused).toEqual([]);
    const ours = server.messages(FORUM).filter(({ isOurs }) => isOurs);
    for (const { text, entities } of ours) {
      expect(text.length).toBeLessThanOrEqual(4096);
      expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u001b]|\p{Cs}/u);
      // What could be a link, a mention or a command to Telegram stands as code, where it is none.
      const plain = entities
        .toReversed()
        .reduce((rest, { offset, length }) => rest.slice(0, offset) + rest.slice(offset + length), text);
      expect(plain).not.toMatch(/@admin|https?:|tg:|\/stop|<script/);
    }
    // Nobody can end the line of another.
    expect(said(server, FORUM)).not.toContain('\n✅ Subagent [other] completed');
    expect([...server.topics(FORUM).values()].join()).not.toMatch(/[\u202e\ud800-\udfff]{1}(?![\udc00-\udfff])/);
  });

  it('is shown as code also when there is more than Telegram formats in one message', async () => {
    const live = await recordedLive('2.1.325-single');
    const [session] = live.snapshot().sessions;
    const [agent] = session?.subagents ?? [];
    if (!session || !agent) throw new Error('nothing recorded');
    const subagents = Array.from({ length: 80 }, (_, index) => ({
      ...agent,
      id: `agent-${index}`,
      label: `@admin ${index}`,
    }));
    live.change(session.id, (before) => ({ ...before, subagents }));
    const { server } = await open({ ...live, transcript: async () => undefined }, { chats: [FORUM] });
    server.say(FORUM, { id: 7 }, '/tree');
    await vi.waitUntil(() => said(server, FORUM).includes('🏁'), { timeout: 30_000 });
    const ours = server.messages(FORUM).filter(({ isOurs, text }) => isOurs && text.includes('@admin'));
    expect(ours.filter(({ text }) => text.includes('agent-7'))).not.toEqual([]);
    expect(ours.filter(({ text }) => text.startsWith('📎')).length).toBeGreaterThan(1);
    for (const { text, entities } of ours) {
      const plain = entities
        .toReversed()
        .reduce((rest, { offset, length }) => rest.slice(0, offset) + rest.slice(offset + length), text);
      expect(plain).not.toContain('@admin');
    }
  });
});

describe('asks', () => {
  const askOf = (live: MemoryLive, id: string): ApprovalRequest => {
    const [session] = live.snapshot().sessions;
    const [agent] = session?.subagents ?? [];
    return {
      ...{ id, at: '2030-01-01T00:00:00Z', expiresAt: '2030-01-01T01:00:00Z', otherwise: 'deny', host: 'claude-code' },
      session: session?.id ?? '',
      agent: {
        who: 'subagent',
        id: agent?.id ?? '',
        type: 'general-purpose',
        name: null,
        kind: 'task',
        depth: 1,
        path: ['main', agent?.label ?? ''],
        evidence: 'exact',
        reason: null,
      },
      ...{
        tool: 'Bash',
        call: `call-${id}`,
        summary: 'rm -rf build',
        input: { command: 'rm -rf build\necho gone' },
        cwd: '/home/dev',
      },
      ...{ rule: 'user:1', reason: 'It cannot be undone.', end: null },
    };
  };
  const buttons = (server: BotServer, chat = ME) => server.messages(chat).at(-1)?.buttons ?? [];

  /** `needsProof`: as with the preset hands-off-the-guard: a press is proven by the passphrase, and nothing else is. */
  async function asking({ needsProof = false, file }: { needsProof?: boolean; file?: string } = {}) {
    const live = await recordedLive('2.1.325-single');
    const asks = new Map<string, ApprovalRequest>();
    const opened = await open(live, {
      since: Date.now() * 2,
      ...(file !== undefined && { file }),
      async answer(id, decision, by, isPressed) {
        const ask = asks.get(id);
        if (!ask) return { outcome: 'unknown' };
        if (needsProof && decision === 'allow' && !isPressed) throw new UserError('proof-needed', 'no proof', '');
        if (ask.end) return { outcome: 'late', ask };
        const ended: ApprovalRequest = { ...ask, end: { at: '2030-01-01T00:00:10Z', decision, by } };
        asks.set(id, ended);
        live.emit({ type: 'ask', data: ended });
        return { outcome: 'taken', ask: ended };
      },
    });
    const put = async (id: string) => {
      const ask = askOf(live, id);
      asks.set(id, ask);
      live.emit({ type: 'ask', data: ask });
      return ask;
    };
    return { ...opened, put, asks, live };
  }

  it('names the agent, its task and the whole command; a press is written down with who it was', async () => {
    const { server, bot, put } = await asking();
    await put('ask-1');
    await vi.waitUntil(() => said(server, ME).includes('🔐'), { timeout: 30_000 });
    const [message] = server.messages(ME);
    expect(message?.text.split('\n')).toEqual([
      '🔐 Needs your yes',
      'main › Count TODO comments',
      '  › Task: Count TODO comments',
      'Bash rm -rf build',
      'echo gone',
      'It cannot be undone.',
      'Until 01:00:00 UTC, then denied.',
    ]);
    expect(message?.isSilent).toBe(false);
    expect(message?.buttons?.map(({ text }) => text)).toEqual(['✅ Allow once', '✅ For this agent', '❌ Deny']);
    const data = buttons(server)[0]?.callback_data ?? '';
    expect(await server.press(ME, message?.id ?? 0, { id: 7, username: 'ann' }, data)).toBe('Allowed once.');
    expect(bot.answers).toEqual([{ ask: 'ask-1', answer: 'allow', by: 'telegram:7 @ann' }]);
    await vi.waitUntil(() => said(server, ME).includes('Allowed on Telegram by @ann.'), { timeout: 30_000 });
    expect(server.messages(ME)[0]?.buttons).toEqual([]);
    // Once more, as a replay: the question is over.
    expect(await server.press(ME, message?.id ?? 0, { id: 7 }, data)).toBe('This question is over.');
    expect(bot.answers).toHaveLength(1);
  });

  it('forged buttons, copies on another message, and strangers have no effect', async () => {
    const { server, bot, put } = await asking();
    await put('ask-1');
    await vi.waitUntil(() => buttons(server).length > 0, { timeout: 30_000 });
    const message = server.messages(ME)[0]?.id ?? 0;
    const data = buttons(server)[0]?.callback_data ?? '';
    for (const [at, forged] of [
      [message, 'once:guessed'],
      [message, 'once:__proto__'],
      [message, data.replace('once', 'always')],
      [message, 'ask-1'],
      [message + 1, data],
    ] as const)
      expect(await server.press(ME, at, { id: 7 }, forged)).toBe('This question is over.');
    void server.press(666, message, { id: 666 }, data);
    void server.press(FORUM, message, { id: 7 }, data);
    await vi.waitUntil(() => bot.notes.filter((note) => note.includes('stranger')).length === 2, { timeout: 30_000 });
    expect(bot.answers).toEqual([]);
    expect(await server.press(ME, message, { id: 7 }, data.replace('once', 'deny'))).toBe('Denied.');
    expect(bot.answers).toEqual([{ ask: 'ask-1', answer: 'deny', by: 'telegram:7' }]);
  });

  it('an allowance that was written into the state file by somebody else allows nothing', async () => {
    const live = await recordedLive('2.1.325-single');
    const { session, agent, tool, rule } = askOf(live, 'ask-1');
    const by = 'telegram:7 @ann' as const;
    const forged = { session, agent: agent.id, tool, rule, by, until: Number.MAX_SAFE_INTEGER };
    const file = path.join(makeTemporaryFolder('telegram-forged'), 'telegram.json');
    writeFileSync(file, JSON.stringify({ ...newState(Date.now() * 2), allowances: [forged] }));
    const { server, bot, put, asks } = await asking({ needsProof: true, file });
    await put('ask-1');
    await vi.waitUntil(() => buttons(server).length > 0, { timeout: 30_000 });
    expect(bot.answers).toEqual([{ ask: 'ask-1', answer: 'allow', by }]);
    expect(asks.get('ask-1')?.end).toBeNull();
    const data = buttons(server)[0]?.callback_data ?? '';
    expect(await server.press(ME, server.messages(ME)[0]?.id ?? 0, { id: 7 }, data)).toBe('Allowed once.');
  });

  it('allowed for this agent: the next of the same rule and tool is not asked about, another is', async () => {
    const { server, bot, put, asks, live } = await asking();
    await put('ask-1');
    await vi.waitUntil(() => buttons(server).length > 0, { timeout: 30_000 });
    const data = buttons(server)[1]?.callback_data ?? '';
    await server.press(ME, server.messages(ME)[0]?.id ?? 0, { id: 7, username: 'ann' }, data);
    await put('ask-2');
    await vi.waitUntil(() => bot.answers.length === 2, { timeout: 30_000 });
    expect(bot.answers[1]).toEqual({ ask: 'ask-2', answer: 'allow', by: 'telegram:7 @ann' });
    const other = { ...askOf(live, 'ask-3'), rule: 'user:2' };
    asks.set('ask-3', other);
    live.emit({ type: 'ask', data: other });
    await vi.waitUntil(() => server.texts(ME).length === 2, { timeout: 30_000 });
    expect(server.texts(ME)[1]).toMatch(/^🔐 Needs your yes/);
    expect(bot.answers).toHaveLength(2);
    expect(server.texts(ME)).toHaveLength(2);
  });

  it('cannot be allowed when the command is too long to be shown', async () => {
    const { server, asks, live } = await asking();
    const ask = { ...askOf(live, 'ask-9'), input: { command: `echo ${'x '.repeat(20_000)}; rm -rf /` } };
    asks.set('ask-9', ask);
    live.emit({ type: 'ask', data: ask });
    await vi.waitUntil(() => buttons(server).length > 0, { timeout: 30_000 });
    expect(buttons(server).map(({ text }) => text)).toEqual(['❌ Deny']);
    expect(server.refused).toEqual([]);
  });

  it('expires, and says so', async () => {
    const { server, asks, live, put } = await asking();
    const ask = await put('ask-1');
    await vi.waitUntil(() => buttons(server).length > 0, { timeout: 30_000 });
    const ended: ApprovalRequest = { ...ask, end: { at: ask.expiresAt, decision: 'deny', by: 'expiry' } };
    asks.set('ask-1', ended);
    live.emit({ type: 'ask', data: ended });
    await vi.waitUntil(() => said(server, ME).includes('Denied: no answer came in time.'), { timeout: 30_000 });
    expect(buttons(server)).toEqual([]);
  });
});
