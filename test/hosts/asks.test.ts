import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Ask } from '../../src/model/ask.ts';
import type { AuditEntry } from '../../src/model/audit.ts';
import { nameOf, programs, record, root, work } from './kit.ts';
import { answer, getJson, type RunningServer, startServer } from './server.ts';

// A sub-agent of the real program waits for a person: what is said on the page is what happens.

const policy = (wait: string, otherwise: string): string => `version: 1
rules:
  - name: removals are asked about
    agents: { type: general-purpose }
    tools: "Bash(rm:*)"
    decision: ask
    wait: ${wait}
    otherwise: ${otherwise}
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
      whenAsked: (ask: Ask, server: RunningServer) => Promise<void>,
    ) {
      writeFileSync(path.join(state, 'policy.yaml'), rules);
      server ??= await startServer(config, env);
      const served = server;
      const before = new Set(filesIn(config));
      const running = record(program, {
        scenario: `asks-${scenario}`,
        play: 'guarded',
        env: { CLAUDE_CONFIG_DIR: config },
        extra: ['--settings', path.join(own, '.claude/settings.json')],
      });
      const ask = await vi.waitUntil(
        async () => (await getJson<{ asks: Ask[] }>(served, '/api/asks')).asks.find(({ end }) => end === null),
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

    it('nobody answers: what the rule says otherwise', async () => {
      const { ask, result, entry } = await play('expiry', policy('3s', 'deny'), async () => {});
      expect(result.isError).toBe(true);
      expect(result.text).toMatch(/No answer came within 3 s|Hook PreToolUse:Bash denied this tool/);
      expect(entry).toMatchObject({ decision: 'deny', answeredBy: 'expiry' });
      expect(await answer(server as RunningServer, ask.id, 'allow')).toBe(410);
    }, 120_000);
  });
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
