import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AuditEntry } from '../../src/core/index.ts';
import { type BotServer, startBotServer } from '../telegram-server/bot-server.ts';
import { cannotStop, dictate, leavesBackground, minor, nameOf, programs, record, root, work } from './kit.ts';
import { type RunningServer, startServer } from './server.ts';

// The built bot beside the real program: what a person would see in the chat.

const FORUM = -1_000_000_000_100;
const troupe = path.join(root, 'dist/troupe.js');

interface Stage {
  readonly own: string;
  readonly config: string;
  readonly env: NodeJS.ProcessEnv;
  readonly telegram: BotServer;
  readonly notes: string[];
  startBot(): ChildProcess;
  /** What happens from now on is news to it. */
  untilReady(): Promise<unknown>;
}

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function setStage(): Promise<Stage> {
  const own = mkdtempSync(path.join(work, 'telegram-'));
  const config = path.join(own, 'config');
  const state = path.join(own, 'state');
  for (const folder of [path.join(config, 'projects'), state, path.join(own, 'home')])
    mkdirSync(folder, { recursive: true });
  const telegram = await startBotServer({ chats: [{ id: FORUM, isForum: true }] });
  ends.push(() => telegram.close());
  writeFileSync(
    path.join(state, 'config.json'),
    JSON.stringify({ telegram: { chats: [FORUM], apiRoot: telegram.url } }),
  );
  const env = {
    ...process.env,
    HOME: path.join(own, 'home'),
    TROUPE_HOME: state,
    TROUPE_TELEGRAM_TOKEN: telegram.token,
  };
  const notes: string[] = [];
  const startBot = (): ChildProcess => {
    const child = spawn(process.execPath, [troupe, 'telegram', '--root', config], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.on('data', (data) => notes.push(String(data)));
    ends.push(() => void child.kill('SIGKILL'));
    return child;
  };
  const untilReady = () => vi.waitUntil(() => existsSync(path.join(state, 'telegram.json')), { timeout: 30_000 });
  return { own, config, env, telegram, notes, startBot, untilReady };
}

/** Lines of the chat in their order, without the status message, whose text changes. */
function linesIn(telegram: BotServer): readonly string[] {
  const [status, ...others] = telegram.messages(FORUM);
  const all =
    status && /^[⚙✅⏸❌❔⏳]/u.test(status.text) && !status.text.startsWith('✅ Subagent')
      ? others
      : telegram.messages(FORUM);
  return all.flatMap(({ text }) => text.split('\n'));
}

/** A session that has come to rest, and its chat with it. */
async function untilRest({ telegram, notes }: Stage, rest = /^(🏁|❔|⏹)/m): Promise<readonly string[]> {
  await vi
    .waitUntil(() => rest.test(telegram.texts(FORUM).join('\n')), { timeout: 90_000, interval: 200 })
    .catch((error) => {
      throw new Error(`${error}: ${notes.join('')}\n${telegram.texts(FORUM).join('\n')}`);
    });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  // A bot that was killed is cut off from its updates, and looks for what had arrived.
  const isExpected = (words: string): boolean =>
    /^Conflict|message is not modified|TOPIC_NOT_MODIFIED|not found|TOPIC_ID_INVALID/.test(words);
  expect(telegram.refused.filter(({ description }) => !isExpected(description))).toEqual([]);
  return linesIn(telegram);
}

const heads = (lines: readonly string[], mark: string): readonly string[] =>
  lines.filter((line) => line.startsWith(mark)).toSorted();

for (const program of programs) {
  const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).match(/\d+\.\d+\.\d+/)?.[0] ?? '';
  const run = async (stage: Stage, play: string, more: object = {}): Promise<void> => {
    await record(program, {
      scenario: `telegram-${play}-${path.basename(stage.own)}`,
      play,
      env: { CLAUDE_CONFIG_DIR: stage.config },
      ...more,
    });
  };

  describe(`telegram, ${nameOf(program)}`, () => {
    for (const play of ['single', 'parallel', 'many', 'nested', 'background', 'failing', 'stop']) {
      const isEarly = version.startsWith('2.0.');
      const isLost =
        (play === 'background' && (isEarly || leavesBackground(version))) ||
        (play === 'stop' && (isEarly || cannotStop(version)));
      it.skipIf(isLost)(
        `${play}: every agent under its own name, asked for and ended once`,
        async () => {
          const stage = await setStage();
          stage.startBot();
          await stage.untilReady();
          await run(stage, play);
          const lines = await untilRest(stage);
          const agents = (await dictate(play, play === 'nested' ? 9 : 1)).filter(({ parent }) => parent !== null);
          const seen = new Set(heads(lines, '📎').map((line) => line.replace(/^📎 Subagent /, '')));
          const dictated = agents.filter(({ description }) => seen.has(`[${description}]`));
          // How deep agents may go is the program's business; all others must be there.
          expect(dictated.length).toBeGreaterThanOrEqual(agents.filter(({ depth }) => depth === 1).length);
          expect(heads(lines, '📎')).toEqual(
            dictated.map(({ description }) => `📎 Subagent [${description}]`).toSorted(),
          );
          const done = dictated.filter(({ endStatus }) => endStatus === 'completed');
          expect(heads(lines, '✅ Subagent')).toEqual(
            done.map(({ description }) => `✅ Subagent [${description}] completed`).toSorted(),
          );
          const failed = dictated.filter(({ endStatus }) => endStatus !== 'completed');
          expect(heads(lines, '❌ Subagent').map((line) => line.split(' — ')[0])).toEqual(
            failed.map(({ description }) => `❌ Subagent [${description}] failed`).toSorted(),
          );
          for (const { description } of dictated) {
            const [asked, ended] = ['📎', '✅', '❌']
              .map((mark) => lines.findIndex((line) => line.startsWith(`${mark} Subagent [${description}]`)))
              .filter((at) => at >= 0);
            expect(asked, description ?? '').toBeLessThan(ended ?? 0);
          }
          if (play === 'failing') expect(lines.join('\n')).toMatch(/failed — API Error/);
          if (play === 'stop') expect(lines.join('\n')).toMatch(/failed — stopped/);
          // Every call of a sub-agent carries a name; those without are the main agent's.
          expect(
            lines
              .filter((line) => line.startsWith('🔧 ['))
              .every((line) => dictated.some(({ description }) => line.startsWith(`🔧 [${description}] `))),
          ).toBe(true);
          const status = stage.telegram.messages(FORUM)[0];
          expect(status?.text).toMatch(/^(✅ done|⏸ waits for you)/);
          // The others may be over before a topic is opened for them.
          if (play === 'many' || play === 'background') expect(status?.edits).toBeGreaterThan(0);
          expect(stage.telegram.topics(FORUM).size).toBe(1);
        },
        180_000,
      );
    }

    // Earlier versions do not say whether their process lives: nothing is claimed.
    it.skipIf(minor(version) < 100)(
      'killed: no output returned',
      async () => {
        const stage = await setStage();
        stage.startBot();
        await stage.untilReady();
        await run(stage, 'hang', { killAfter: 12_000, killSignal: 'SIGKILL' });
        const lines = await untilRest(stage, /❌ Subagent/);
        expect(heads(lines, '❌')).toEqual(['❌ Subagent [Hangs] failed — no output returned']);
      },
      180_000,
    );

    it('killed with -9 again and again, the bot says nothing twice and leaves nothing out', async () => {
      const stage = await setStage();
      let bot = stage.startBot();
      await stage.untilReady();
      const running = run(stage, 'many');
      let isOver = false;
      void running.finally(() => {
        isOver = true;
      });
      for (let nth = 0; nth < 12 && !isOver; nth++) {
        await new Promise((resolve) => setTimeout(resolve, 1_200 + 331 * (nth % 5)));
        bot.kill('SIGKILL');
        bot = stage.startBot();
      }
      await running;
      const lines = await untilRest(stage);
      const agents = (await dictate('many', 1)).filter(({ parent }) => parent !== null);
      expect(heads(lines, '📎')).toEqual(agents.map(({ description }) => `📎 Subagent [${description}]`).toSorted());
      expect(heads(lines, '✅ Subagent')).toEqual(
        agents.map(({ description }) => `✅ Subagent [${description}] completed`).toSorted(),
      );
      expect(heads(lines, '🏁')).toHaveLength(1);
      expect(stage.telegram.topics(FORUM).size).toBe(1);
      const calls = lines
        .map((line, index) => (line.startsWith('🔧') ? `${line} ${lines[index + 1]}` : ''))
        .filter((line) => line !== '');
      expect(new Set(calls).size).toBe(calls.length);
    }, 240_000);

    const takesSettings = execFileSync(program, ['--help'], { encoding: 'utf8' }).includes('--settings');
    for (const answer of ['once', 'deny'] as const)
      it.skipIf(!takesSettings)(
        `a sub-agent waits for the chat: ${answer}`,
        async () => {
          const stage = await setStage();
          const { own, config, env, telegram } = stage;
          const command = (...args: readonly string[]) =>
            spawnSync(process.execPath, [troupe, ...args], { env, cwd: own, encoding: 'utf8' }).stdout;
          command('hooks', 'install', '--guard', '--scope', 'project', '--yes', '--host-version', version);
          writeFileSync(path.join(own, 'state/policy.yaml'), POLICY);
          const server: RunningServer = await startServer(config, env);
          ends.push(() => server.stop());
          stage.startBot();
          await stage.untilReady();
          const scenario = `telegram-${answer}-${path.basename(own)}`;
          const running = record(program, {
            scenario,
            play: 'guarded',
            env: { CLAUDE_CONFIG_DIR: config },
            extra: ['--settings', path.join(own, '.claude/settings.json')],
          });
          const asked = await vi.waitUntil(
            () => telegram.messages(FORUM).find(({ text }) => text.startsWith('🔐 Needs your yes')),
            { timeout: 60_000 },
          );
          expect(asked.text).toContain('main › Clean up');
          expect(asked.text).toContain('Bash rm -rf build');
          const data =
            asked.buttons?.find(({ callback_data }) => callback_data.startsWith(answer))?.callback_data ?? '';
          const told = await telegram.press(FORUM, asked.id, { id: 7, username: 'ann' }, data);
          expect(told).toBe(answer === 'once' ? 'Allowed once.' : 'Denied.');
          await running;
          const isThere = existsSync(path.join(work, 'projects', scenario, 'project/build/out.txt'));
          expect(isThere).toBe(answer === 'deny');
          const entry = JSON.parse(command('guard', 'log', '--tool', 'Bash', '-n', '1', '--json').trim()) as AuditEntry;
          expect(entry).toMatchObject({
            decision: answer === 'once' ? 'allow' : 'deny',
            answeredBy: 'telegram:7 @ann',
          });
          await vi.waitUntil(() => telegram.texts(FORUM).some((text) => text.includes('on Telegram by @ann.')), {
            timeout: 20_000,
          });
          expect(JSON.parse(readFileSync(path.join(own, 'state/telegram.json'), 'utf8')).asks).toEqual({});
        },
        180_000,
      );
  });
}

const POLICY = `version: 1
rules:
  - name: removals are asked about
    agents: { type: general-purpose }
    tools: "Bash(rm:*)"
    decision: ask
    wait: 2m
    on_timeout: deny
    reason: It cannot be undone.
`;
