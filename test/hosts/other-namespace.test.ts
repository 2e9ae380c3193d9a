import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LiveSnapshot, SessionDetail } from '../../src/core/index.ts';
import type { WebhookEvent } from '../../src/notify/webhook.ts';
import { type BotServer, startBotServer } from '../telegram-server/bot-server.ts';
import { accessTo, OUTSIDE_AGENTS } from '../testing/server-access.ts';
import { nameOf, programs, record, root, work } from './kit.ts';
import { followEvents, getJson, type Heard, type RunningServer } from './server.ts';

// The real program in a PID namespace of its own, as in a container that shares its data folder. troupe follows it from outside
// (the namespace is below its own) and from a namespace beside it (the program's processes cannot be seen at all).

const NAMESPACE = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const canUnshare = process.platform === 'linux' && spawnSync('unshare', [...NAMESPACE, 'true']).status === 0;
const troupe = path.join(root, 'dist/troupe.js');
const CHAT = 42;

interface Followed {
  readonly config: string;
  readonly telegram: BotServer;
  readonly events: readonly WebhookEvent[];
  readonly heard: readonly Heard[];
  readonly watched: () => string;
  readonly session: () => Promise<SessionDetail | undefined>;
}

function wrap(program: string): string {
  const wrapper = path.join(mkdtempSync(path.join(work, 'namespace-')), 'program');
  writeFileSync(wrapper, `#!/bin/sh\nexec unshare ${NAMESPACE.join(' ')} '${program}' "$@"\n`);
  chmodSync(wrapper, 0o755);
  return wrapper;
}

async function receiveEvents(): Promise<{ readonly url: string; readonly events: readonly WebhookEvent[] }> {
  const events: WebhookEvent[] = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    events.push(JSON.parse(body));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, events };
}

/** The server of the page, `troupe watch`, the bot and the webhook, all of them in one PID namespace. */
async function follow(from: 'outside' | 'beside'): Promise<Followed> {
  const own = mkdtempSync(path.join(work, `followed-${from}-`));
  const [config, state, home] = ['config', 'state', 'home'].map((name) => path.join(own, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [path.join(config, 'projects'), state, home]) mkdirSync(folder, { recursive: true });
  const telegram = await startBotServer({ chats: [{ id: CHAT }] });
  onTestFinished(() => telegram.close());
  const { url, events } = await receiveEvents();
  const settings = { telegram: { chats: [CHAT], apiRoot: telegram.url }, webhook: { url } };
  writeFileSync(path.join(state, 'config.json'), JSON.stringify(settings));
  const env = {
    ...{ ...process.env, ...OUTSIDE_AGENTS, HOME: home, TROUPE_HOME: state },
    ...{ TROUPE_TELEGRAM_TOKEN: telegram.token, TROUPE_WEBHOOK_SECRET: 'a secret of the test' },
    ...{ NODE: process.execPath, TROUPE: troupe, CONFIG: config, OWN: own },
  };
  const script = path.join(own, 'follow.sh');
  writeFileSync(script, FOLLOW);
  const child =
    from === 'outside'
      ? spawn('sh', [script], { env, stdio: 'ignore', detached: true })
      : spawn('unshare', [...NAMESPACE, 'sh', script], { env, stdio: 'ignore', detached: true });
  onTestFinished(() => endGroup(child));
  const files = [path.join(state, 'telegram.json'), path.join(state, 'webhook.json'), path.join(own, 'server.json')];
  await vi.waitUntil(() => files.every((file) => existsSync(file) && readFileSync(file, 'utf8').trim() !== ''), {
    timeout: 60_000,
  });
  const server: RunningServer = { ...accessTo(state), stop: () => {} };
  const heard: Heard[] = [];
  await followEvents(server, heard);
  const watched = (): string => readFileSync(path.join(own, 'watch.txt'), 'utf8');
  return {
    ...{ config, telegram, events, heard, watched },
    async session() {
      const { sessions } = await getJson<LiveSnapshot>(server, '/api/sessions');
      return sessions[0] && (await getJson<SessionDetail>(server, `/api/sessions/${sessions[0].id}`));
    },
  };
}

const FOLLOW = `"$NODE" "$TROUPE" --no-open --json --root "$CONFIG" > "$OWN/server.json" 2> "$OWN/server.err" &
until [ -s "$OWN/server.json" ]; do sleep 0.1; done
"$NODE" "$TROUPE" telegram --root "$CONFIG" > "$OWN/telegram.txt" 2>&1 &
"$NODE" "$TROUPE" webhook --root "$CONFIG" > "$OWN/webhook.txt" 2>&1 &
"$NODE" "$TROUPE" watch --lines --root "$CONFIG" > "$OWN/watch.txt" 2>&1 &
wait
`;

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

const chatOf = ({ telegram }: Followed): string => telegram.texts(CHAT).join('\n');

/** Everything that any of them has shown up to now. */
function expectNoFailure(followed: Followed): void {
  const { heard, events, watched } = followed;
  const statuses = heard.flatMap(({ change }) => change.agents.map(({ status }) => status));
  expect(statuses).not.toContain('failed');
  expect(watched()).not.toMatch(/✗|failed|no output/);
  expect(chatOf(followed)).not.toMatch(/❌|❔|failed|no output|corrected/);
  expect(events.filter(({ text }) => /❌|❔|failed/.test(text))).toEqual([]);
  expect(events.filter(({ revision }) => revision > 1)).toEqual([]);
}

for (const program of programs) {
  const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).match(/\d+\.\d+\.\d+/)?.[0] ?? '';
  // Records of processes: from 2.1.45 on (seen from 2.1.197 on).
  const hasRecords = version.startsWith('2.1.') && Number(version.split('.')[2]) >= 197;
  describe.skipIf(!canUnshare || !hasRecords)(`in a PID namespace of its own, ${nameOf(program)}`, () => {
    for (const from of ['outside', 'beside'] as const) {
      it(`${from}: an agent that works for long and ends well is never said to have failed`, async () => {
        const followed = await follow(from);
        const scenario = `namespace-${from}-well-${version}`;
        const env = { CLAUDE_CONFIG_DIR: followed.config };
        await record(wrap(program), { scenario, play: 'background', env });
        await vi.waitUntil(() => /^🏁/m.test(chatOf(followed)), { timeout: 60_000, interval: 200 });
        await vi.waitUntil(() => followed.events.some(({ type }) => type === 'rest'), { timeout: 60_000 });
        expect(chatOf(followed)).toContain('✅ Subagent [Long running check] completed');
        expect(followed.events.filter(({ type }) => type === 'ended').map(({ run }) => run?.status)).toEqual([
          'completed',
        ]);
        await vi.waitUntil(() => followed.watched().includes('Long running check'), { timeout: 60_000 });
        const session = await followed.session();
        expect(session?.subagents.map(({ status }) => status)).toEqual(['completed']);
        expectNoFailure(followed);
      }, 240_000);

      it(`${from}: an agent that is silent and then killed is not said to have failed if nobody can see it`, async () => {
        const followed = await follow(from);
        const scenario = `namespace-${from}-killed-${version}`;
        const running = record(wrap(program), {
          ...{ scenario, play: 'hang', killAfter: 14_000, killSignal: 'SIGKILL' },
          env: { CLAUDE_CONFIG_DIR: followed.config },
        });
        await vi.waitUntil(() => chatOf(followed).includes('📎 Subagent [Hangs]'), { timeout: 60_000 });
        let isOver = false;
        void running.finally(() => {
          isOver = true;
        });
        while (!isOver) {
          expectNoFailure(followed);
          const status = (await followed.session())?.subagents[0]?.status;
          expect(['spawning', 'running', 'waiting', 'unknown']).toContain(status);
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
        await running;
        expect(followed.watched()).toContain('Hangs');
        if (await hasDomain(followed)) {
          // Longer than anything takes to be told.
          await new Promise((resolve) => setTimeout(resolve, 8_000));
          expectNoFailure(followed);
          expect((await followed.session())?.subagents[0]?.status).not.toBe('failed');
        }
      }, 240_000);
    }
  });
}

/** Its record says in which namespace it ran, so that nothing is concluded from its number. */
async function hasDomain({ config }: Followed): Promise<boolean> {
  const file = path.join(config, 'sessions', '1.json');
  return existsSync(file) && readFileSync(file, 'utf8').includes('"pidDomain"');
}
