import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { type BotServer, startBotServer } from './telegram-server/bot-server.ts';
import { type ProgramHome, programIn, type RunningProgram } from './testing/program.ts';

const recording = fileURLToPath(new URL('../src/hosts/claude-code/fixtures/2.1.325-single', import.meta.url));
const FORUM = -1_000_000_000_100;

let own = '';
let telegram: BotServer;
let program: ProgramHome;
beforeEach(async () => {
  own = makeTemporaryFolder('telegram-cli');
  mkdirSync(path.join(own, 'home'));
  program = programIn(at('home'), { env: { TROUPE_HOME: own } });
  telegram = await startBotServer({ chats: [{ id: FORUM, isForum: true }] });
  settings({ telegram: { apiRoot: telegram.url } });
});
afterEach(async () => {
  await program.end();
  await telegram.close();
});

const at = (name: string): string => path.join(own, name);
const settings = (value: object): void => writeFileSync(at('config.json'), `${JSON.stringify(value, null, 2)}\n`);

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningProgram {
  return program.start(args, { env });
}

const saidBy = ({ out, errors }: RunningProgram): string => out() + errors();

const token = () => ({ TROUPE_TELEGRAM_TOKEN: telegram.token });

describe('troupe telegram setup', () => {
  it('finds the chat by a code that only its owner can know, and keeps the other settings', async () => {
    settings({ live: { windowHours: 2 }, telegram: { apiRoot: telegram.url } });
    const setup = run(['telegram', 'setup'], token());
    const code = await vi.waitUntil(() => /\/start (\w{10})/.exec(saidBy(setup))?.[1], { timeout: 30_000 });
    telegram.say(666, { id: 666 }, '/start wrong-code');
    telegram.say(FORUM, { id: 7 }, `/start ${code}`);
    expect(await setup.ended).toBe(0);
    expect(JSON.parse(readFileSync(at('config.json'), 'utf8'))).toEqual({
      live: { windowHours: 2 },
      telegram: { apiRoot: telegram.url, chats: [FORUM] },
    });
    expect(telegram.texts(FORUM).at(-1)).toBe(
      'This chat will be told about your sessions. /help says what you can ask.',
    );
    // The token of the environment is the person's to keep.
    expect(existsSync(at('telegram-token'))).toBe(false);
  });

  it('says what is missing', async () => {
    const none = run(['telegram', 'setup']);
    expect(await none.ended).toBe(2);
    expect(saidBy(none)).toContain('There is no token.');
    const wrong = run(['telegram', 'setup'], { TROUPE_TELEGRAM_TOKEN: '1:not-it' });
    expect(await wrong.ended).toBe(2);
    expect(saidBy(wrong)).toContain('Telegram does not know this token.');
    expect(saidBy(wrong)).not.toContain('not-it');
    const idle = run(['telegram'], token());
    expect(await idle.ended).toBe(2);
    expect(saidBy(idle)).toContain('No chat is named that may be told.');
    writeFileSync(at('telegram-token'), telegram.token);
    chmodSync(at('telegram-token'), 0o644);
    const open = run(['telegram']);
    expect(await open.ended).toBe(2);
    expect(saidBy(open)).toContain('Others on this machine may read');
  });
});

describe('troupe telegram', () => {
  it('runs once, keeps its messages readable by the owner only, and sends each once, however often it is killed', async () => {
    settings({ telegram: { apiRoot: telegram.url, chats: [FORUM] } });
    writeFileSync(at('telegram-token'), telegram.token, { mode: 0o600 });
    const data = at('data');
    mkdirSync(path.join(data, 'projects'), { recursive: true });
    const start = () => run(['telegram', '--root', data]);
    const first = start();
    await vi.waitUntil(() => existsSync(at('telegram.json')), { timeout: 30_000 });
    const second = start();
    expect(await second.ended).toBe(2);
    expect(saidBy(second)).toContain('troupe telegram runs already.');
    expect(statSync(at('telegram.json')).mode & 0o777).toBe(0o600);
    // What is recorded is from before the first start: only what happens from now on is news.
    const state = JSON.parse(readFileSync(at('telegram.json'), 'utf8'));
    first.child.kill('SIGKILL');
    await first.ended;
    writeFileSync(at('telegram.json'), JSON.stringify({ ...state, since: 0 }));
    cpSync(path.join(recording, 'projects'), path.join(data, 'projects'), { recursive: true });
    for (let nth = 0; nth < 4; nth++) {
      const again = start();
      const seen = telegram.taken.length;
      await vi.waitUntil(() => telegram.taken.length > seen + 2 || telegram.texts(FORUM).join().includes('🏁'), {
        timeout: 30_000,
      });
      again.child.kill('SIGKILL');
      await again.ended;
    }
    start();
    await vi.waitUntil(() => telegram.texts(FORUM).join().includes('🏁'), { timeout: 30_000 });
    // Messages go out in order: whatever would be told twice is there before the answer to this.
    telegram.say(FORUM, { id: 7 }, '/help');
    await vi.waitUntil(() => telegram.texts(FORUM).join().includes('/mute'), { timeout: 30_000 });
    const text = telegram.texts(FORUM).join('\n');
    for (const line of ['📎 Subagent [Count TODO comments]', '✅ Subagent [Count TODO comments] completed', '🏁 Done'])
      expect(text.split(line).length - 1, line).toBe(1);
    expect(telegram.topics(FORUM).size).toBe(1);
  });

  it('doctor has a word for each trouble', async () => {
    settings({ telegram: { apiRoot: telegram.url, chats: [FORUM] } });
    const codes = async (): Promise<readonly string[]> => {
      const doctor = run(['doctor', '--json', '--root', recording], token());
      await doctor.ended;
      const findings = JSON.parse(saidBy(doctor)).findings as { area: string; code: string }[];
      return findings.filter(({ area }) => area === 'telegram').map(({ code }) => code);
    };
    expect(await codes()).toEqual(['telegram-bot', 'telegram-idle']);
    telegram.be('revoked');
    expect(await codes()).toEqual(['telegram-revoked', 'telegram-idle']);
    telegram.be('down');
    expect(await codes()).toEqual(['telegram-unreachable', 'telegram-idle']);
    telegram.be('well');
    const bot = run(['telegram', '--root', recording], token());
    await vi.waitUntil(() => existsSync(at('telegram-health.json')) && saidBy(bot).includes('tells about'), {
      timeout: 30_000,
    });
    telegram.say(666, { id: 666 }, '/sessions');
    await vi.waitUntil(() => JSON.parse(readFileSync(at('telegram-health.json'), 'utf8')).strangers === 1, {
      timeout: 30_000,
    });
    // Another program that asks for the same updates.
    void fetch(`${telegram.url}/bot${telegram.token}/getUpdates`, {
      method: 'POST',
      body: '{"timeout":30,"offset":2}',
      headers: { 'content-type': 'application/json' },
    }).catch(() => {});
    await vi.waitUntil(() => saidBy(bot).includes('Another program asks for the updates'), { timeout: 30_000 });
    expect(await codes()).toEqual(['telegram-bot', 'telegram-conflict', 'telegram-strangers']);
  });
});

describe('troupe webhook', () => {
  it('sends signed events, and says what is missing', async () => {
    const missing = run(['webhook']);
    expect(await missing.ended).toBe(2);
    expect(saidBy(missing)).toContain('No address is named.');
    const received: string[] = [];
    const server = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      received.push(`${JSON.parse(body).text}`);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    settings({ webhook: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` } });
    const secretless = run(['webhook']);
    expect(await secretless.ended).toBe(2);
    expect(saidBy(secretless)).toContain('There is no secret to sign with.');
    writeFileSync(at('webhook.json'), JSON.stringify({ since: 0, sessions: {}, asks: [] }));
    run(['webhook', '--root', recording], { TROUPE_WEBHOOK_SECRET: 'shh' });
    await vi.waitUntil(() => received.length === 5, { timeout: 30_000 });
    expect(received[0]).toContain('📎 Subagent [Count TODO comments]');
    expect(received.at(-1)).toContain('🏁 Done');
    server.closeAllConnections();
    server.close();
  });
});
