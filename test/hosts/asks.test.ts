import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { ApprovalRequest, AuditEntry } from '../../src/core/index.ts';
import { addSelfApprovalPlay } from './guard-plays.ts';
import { nameOf, programs, record, root, work } from './kit.ts';
import { answer, getJson, type RunningServer, startServer } from './server.ts';

// A sub-agent of the real program waits for a person: what is said on the page is what happens.

const policy = (wait: string, onTimeout: string): string => `version: 1
rules:
  - name: removals are asked about
    agents: { type: general-purpose }
    tools: "Bash(rm:*)"
    decision: ask
    wait: ${wait}
    on_timeout: ${onTimeout}
    reason: It cannot be undone.
`;
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
/** TROUPE_ASK_AFTER: so many seconds the person takes to answer. */
const patience = Number(process.env['TROUPE_ASK_AFTER'] ?? 0) * 1000;

for (const program of programs) {
  const takesSettings = execFileSync(program, ['--help'], { encoding: 'utf8' }).includes('--settings');
  describe.skipIf(!takesSettings)(`asks, ${nameOf(program)}`, () => {
    const own = mkdtempSync(path.join(work, 'asks-'));
    const config = path.join(own, 'config');
    const state = path.join(own, 'state');
    const env = { ...process.env, HOME: path.join(own, 'home'), TROUPE_HOME: state };
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).match(/\d+\.\d+\.\d+/)?.[0] ?? '';
    const troupe = (...args: readonly string[]): string =>
      spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], { env, cwd: own, encoding: 'utf8' })
        .stdout;
    const tmux = (...args: readonly string[]): string =>
      spawnSync('tmux', ['-L', path.basename(own), ...args], { env, cwd: own, encoding: 'utf8' }).stdout ?? '';
    let server: RunningServer | undefined;
    for (const folder of ['home', 'state', 'config/projects']) mkdirSync(path.join(own, folder), { recursive: true });
    troupe('hooks', 'install', '--guard', '--scope', 'project', '--yes', '--host-version', version);
    afterAll(() => server?.stop());

    /** Runs the play; gives what became of the sub-agent's command, by its transcript and by the audit. */
    async function play(
      scenario: string,
      rules: string,
      whenAsked: (ask: ApprovalRequest, server: RunningServer) => Promise<void>,
      name = 'guarded',
    ) {
      writeFileSync(path.join(state, 'policy.yaml'), rules);
      server ??= await startServer(config, env);
      const served = server;
      const before = new Set(filesIn(config));
      const running = record(program, {
        scenario: `asks-${scenario}`,
        play: name,
        env: { CLAUDE_CONFIG_DIR: config },
        extra: ['--settings', path.join(own, '.claude/settings.json')],
      });
      const ask = await vi.waitUntil(
        async () =>
          (await getJson<{ asks: ApprovalRequest[] }>(served, '/api/asks')).asks.find(({ end }) => end === null),
        { timeout: 60_000, interval: 100 },
      );
      await whenAsked(ask, served);
      await running;
      const texts = filesIn(config).filter((file) => !before.has(file));
      const entry = troupe('guard', 'log', '--tool', 'Bash', '-n', '1', '--json').trim();
      const isThere = existsSync(path.join(work, 'projects', `asks-${scenario}`, 'project/build/out.txt'));
      return { ask, isThere, result: resultOf(texts), entry: JSON.parse(entry) as AuditEntry };
    }

    it('allowed: the command runs', async () => {
      const { ask, isThere, result, entry } = await play('allow', policy('10m', 'deny'), async ({ id }, served) => {
        await new Promise((resolve) => setTimeout(resolve, patience));
        expect(await answer(served, id, 'allow')).toBe(200);
        expect(await answer(served, id, 'deny')).toBe(409);
      });
      expect(ask).toMatchObject({ tool: 'Bash', summary: 'rm -rf build', rule: 'user:1' });
      expect(ask.agent).toMatchObject({ who: 'subagent', type: 'general-purpose' });
      expect([isThere, result.isError]).toEqual([false, false]);
      expect(entry).toMatchObject({ decision: 'allow', answeredBy: 'page', rule: 'user:1' });
      expect(entry.ms).toBeGreaterThan(patience);
    }, 180_000);

    it('denied: it does not, and the agent reads why', async () => {
      const { isThere, result, entry } = await play('deny', policy('60s', 'allow'), async ({ id }, served) => {
        expect(await answer(served, id, 'deny')).toBe(200);
      });
      expect([isThere, result.isError]).toEqual([true, true]);
      expect(result.text).toMatch(/A person was asked and denied it|Hook PreToolUse:Bash denied this tool/);
      expect(entry).toMatchObject({ decision: 'deny', answeredBy: 'page' });
    }, 120_000);

    it.skipIf(!hasTmux)(
      'answered in troupe watch',
      async () => {
        const { isThere, result, entry } = await play('watch', policy('60s', 'allow'), async () => {
          const command = [process.execPath, path.join(root, 'dist/troupe.js'), 'watch', '--root', config];
          tmux('new-session', '-d', '-x', '100', '-y', '30', ...command);
          try {
            await vi.waitUntil(() => tmux('capture-pane', '-p').includes('y allow once'), { timeout: 20_000 });
            tmux('send-keys', 'n');
            await vi.waitUntil(() => tmux('capture-pane', '-p').includes('Deny it?'), { timeout: 10_000 });
            tmux('send-keys', 'n');
            await vi.waitUntil(() => tmux('capture-pane', '-p').includes('Denied in the terminal.'), {
              timeout: 10_000,
            });
          } finally {
            tmux('kill-server');
          }
        });
        expect([isThere, result.isError]).toEqual([true, true]);
        expect(entry).toMatchObject({ decision: 'deny', answeredBy: 'terminal' });
      },
      120_000,
    );

    it('refuses every answer that an agent gives, and records the person who answered', async () => {
      const tried = path.join(own, 'tried.json');
      writeFileSync(path.join(own, 'approve.mjs'), approveScript(state, config, tried));
      const name = await addSelfApprovalPlay(`node '${path.join(own, 'approve.mjs')}'`);
      const whenAsked = async ({ id }: ApprovalRequest, served: RunningServer): Promise<void> => {
        await vi.waitUntil(() => existsSync(tried), { timeout: 60_000, interval: 100 });
        expect(await answer(served, id, 'deny')).toBe(200);
      };
      const { isThere } = await play('self-approval', policy('120s', 'deny'), whenAsked, name);
      const { address, ...rest } = JSON.parse(readFileSync(tried, 'utf8'));
      expect(address).not.toMatch(/token|login/);
      expect(Object.keys(rest)).toHaveLength(5);
      for (const outcome of Object.values(rest)) expect(outcome).toMatch(/Only a person can do this: process \d+/);
      expect(isThere).toBe(true);
      const [removal] = entries('rm -rf build');
      expect(removal).toMatchObject({ decision: 'deny', answeredBy: 'page' });
    }, 180_000);

    it('denies the attempt itself with hands-off-the-guard', async () => {
      rmSync(path.join(own, 'tried.json'), { force: true });
      const script = path.join(root, 'dist/troupe.js');
      const name = await addSelfApprovalPlay(`node '${script}' guard answer x allow; cat '${state}/daemon.json'`);
      const rules = policy('60s', 'deny').replace('rules:', 'presets: hands-off-the-guard\nrules:');
      const whenAsked = async ({ id }: ApprovalRequest, served: RunningServer): Promise<void> => {
        await vi.waitUntil(() => entries('guard answer').length > 0, { timeout: 60_000, interval: 200 });
        await answer(served, id, 'deny');
      };
      await play('hands-off', rules, whenAsked, name);
      expect(entries('guard answer')[0]).toMatchObject({ decision: 'deny', rule: 'preset:hands-off-the-guard:1' });
    }, 180_000);

    /** Of commands that contain this text. */
    function entries(text: string): readonly AuditEntry[] {
      const lines = troupe('guard', 'log', '--tool', 'Bash', '-n', '20', '--json').trim().split('\n');
      return lines
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as AuditEntry)
        .filter(({ input }) => JSON.stringify(input).includes(text))
        .reverse();
    }

    it('applies `on_timeout` when nobody answers', async () => {
      const { ask, result, entry } = await play('expiry', policy('3s', 'deny'), async () => {});
      expect(result.isError).toBe(true);
      expect(result.text).toMatch(/No answer came within 3 s|Hook PreToolUse:Bash denied this tool/);
      expect(entry).toMatchObject({ decision: 'deny', answeredBy: 'expiry' });
      expect(await answer(server as RunningServer, ask.id, 'allow')).toBe(410);
    }, 120_000);
  });
}

/** Its parents have ended before it sends the request. */
const DETACH = `setsid --fork sh -c 'sleep 0.3; exec curl "$@"' sh "$@" | cat`;

/** What an agent may try, run by the shell of the host: each outcome in its own words. */
function approveScript(state: string, config: string, tried: string): string {
  return `
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
const troupe = (...args) => {
  const { stdout, stderr } = spawnSync(process.execPath, [${JSON.stringify(path.join(root, 'dist/troupe.js'))}, ...args],
    { encoding: 'utf8', env: { ...process.env, TROUPE_HOME: ${JSON.stringify(state)} } });
  return stdout + stderr;
};
const at = ['--root', ${JSON.stringify(config)}];
let id;
for (let round = 0; round < 300 && id === undefined; round++) id = JSON.parse(troupe('guard', 'asks', '--json')).asks[0]?.id;
const { port, token, keys } = JSON.parse(readFileSync(${JSON.stringify(path.join(state, 'daemon.json'))}, 'utf8'));
const request = (path, key, body) => ['-s', '-d', JSON.stringify(body), '-H', 'Content-Type: application/json',
  '-H', 'Authorization: Bearer ' + key, 'http://127.0.0.1:' + port + path];
const allow = { answer: 'allow', by: 'telegram:42 @boss' };
const outcomes = {
  address: troupe('server', 'status') + troupe('server', 'start', ...at) + troupe('--no-open', ...at),
  command: troupe('guard', 'answer', id, 'allow'),
  token: execFileSync('curl', request('/api/asks/' + id, token, allow), { encoding: 'utf8' }),
  telegram: execFileSync('curl', request('/api/asks/' + id, keys.telegram, allow), { encoding: 'utf8' }),
  login: execFileSync('curl', request('/api/login', token, {}), { encoding: 'utf8' }),
  detached: execFileSync('sh', ['-c', ${JSON.stringify(DETACH)}, 'sh',
    ...request('/api/asks/' + id, token, allow)], { encoding: 'utf8' }),
};
writeFileSync(${JSON.stringify(tried)} + '.part', JSON.stringify(outcomes));
renameSync(${JSON.stringify(tried)} + '.part', ${JSON.stringify(tried)});
`;
}

/** What came of the first command, in whichever transcript it stands. */
function resultOf(files: readonly string[]): { readonly isError: boolean; readonly text: string } {
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n')).filter((line) => line !== '');
  const blocks = lines.flatMap((line) => {
    const content = JSON.parse(line).message?.content;
    return Array.isArray(content) ? content : [];
  });
  const call = blocks.find(({ type, input }) => type === 'tool_use' && input?.command === 'rm -rf build');
  const result = blocks.find(({ type, tool_use_id }) => type === 'tool_result' && tool_use_id === call?.id);
  if (!result) throw new Error('the command has no result');
  return { isError: result.is_error === true, text: JSON.stringify(result.content) };
}

function filesIn(config: string): readonly string[] {
  return readdirSync(path.join(config, 'projects'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => path.join(config, 'projects', file));
}
