import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BudgetReport } from '../../src/core/index.ts';
import { addBudgetPlays, cheatingPlays, entriesIn, HELPERS, policy, RESULT, ran, reasons } from './budget-plays.ts';
import { nameOf, programs, recordTogether, root, work } from './kit.ts';
import { type RunningServer, startServer } from './server.ts';

// Budgets under real programs: who has used up a budget calls nothing more, is told so, and still hands in its result.

beforeAll(() => addBudgetPlays());

for (const program of programs) {
  describe(`budgets, ${nameOf(program)}`, () => {
    const own = mkdtempSync(path.join(work, 'budgets-'));
    const [config, state] = [path.join(own, 'config'), path.join(own, 'state')];
    const env = { ...process.env, HOME: path.join(own, 'home'), TROUPE_HOME: state };
    let server: RunningServer | undefined;
    const troupe = (...args: readonly string[]): string => {
      const run = spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], {
        ...{ env, cwd: own, encoding: 'utf8' },
      });
      return run.stdout;
    };
    const logged = () => entriesIn(troupe('guard', 'log', '-n', '1000', '--json', '--root', config));
    const perform = async (play: string, text: string, plays: readonly string[] = [play]) => {
      writeFileSync(path.join(state, 'policy.yaml'), text);
      troupe('guard', 'check');
      const before = logged().length;
      await recordTogether(program, plays, {
        scenario: `${play}-${before}`,
        env: { CLAUDE_CONFIG_DIR: config },
        extra: ['--settings', path.join(own, '.claude/settings.json')],
      });
      return logged().slice(before);
    };
    /** All transcripts, for what agents were told. */
    const told = (): string =>
      (readdirSync(path.join(config, 'projects'), { recursive: true }) as string[])
        .filter((file) => file.endsWith('.jsonl'))
        .map((file) => readFileSync(path.join(config, 'projects', file), 'utf8'))
        .join('\n');
    const start = async () => {
      server = await startServer(config, env);
    };

    for (const folder of ['home', 'state', 'config/projects']) mkdirSync(path.join(own, folder), { recursive: true });
    writeFileSync(path.join(state, 'policy.yaml'), 'version: 1\n');
    troupe('hooks', 'install', '--guard', '--scope', 'project', '--yes');
    afterAll(() => server?.stop());

    for (const how of ['with a server', 'without a server']) {
      describe(how, () => {
        beforeAll(async () => {
          for (const one of readdirSync(path.join(config, 'projects')))
            rmSync(path.join(config, 'projects', one), { recursive: true });
          if (how === 'with a server') await start();
          else server?.stop();
        });

        it('stops an agent that has used up its turns, warns it before, and its result arrives', async () => {
          const entries = await perform(
            'budget-alone',
            policy(`name: short, ${HELPERS}, per: agent, turns: 5, warn: 60%`),
          );
          expect(ran(entries, 'one')).toBeGreaterThanOrEqual(3);
          expect(ran(entries, 'one')).toBeLessThanOrEqual(5);
          const denied = entries.find(({ decision }) => decision === 'deny');
          expect(denied).toMatchObject({ rule: 'user:budget:1', reason: expect.stringContaining('Budget "short"') });
          expect(told()).toContain('Finish soon, and hand in your result');
          expect(told()).toContain(RESULT);
        });

        it('counts every turn when turns take no time at all', async () => {
          const entries = await perform('budget-main', policy('name: hasty, per: session, turns: 4'));
          expect(ran(entries, 'main')).toBeGreaterThanOrEqual(3);
          expect(ran(entries, 'main')).toBeLessThanOrEqual(5);
        });

        it('stops an agent that has used up its tokens', async () => {
          const entries = await perform(
            'budget-alone',
            policy(`name: small, ${HELPERS}, per: agent, tokens: 500, count: cache_write`),
          );
          expect(ran(entries, 'one')).toBeLessThanOrEqual(4);
          expect(entries.some(({ reason }) => reason?.includes('is used up'))).toBe(true);
        });

        it('stops an agent that has used up its money', async () => {
          const entries = await perform('budget-alone', policy(`name: purse, ${HELPERS}, per: agent, usd: 0.0001`));
          expect(ran(entries, 'one')).toBeLessThanOrEqual(2);
          expect(reasons(entries)).toContain('Budget "purse" of this agent is used up: $');
        });

        it('counts what is below an agent as its own when it is per subtree', async () => {
          const entries = await perform(
            'budget-nested',
            policy(`name: tree, agents: { kind: subagent, depth: 1 }, per: subtree, turns: 4`),
          );
          expect(ran(entries, 'below')).toBeLessThanOrEqual(4);
          expect(entries.some(({ reason }) => reason?.includes('and all below it'))).toBe(true);
        });

        it('lets parallel agents that share a budget overshoot by one turn each', async () => {
          const entries = await perform('budget-parallel', policy(`name: shared, ${HELPERS}, per: session, turns: 9`));
          const all = ['one', 'two', 'three'].reduce((sum, who) => sum + ran(entries, who), 0);
          expect(all).toBeGreaterThanOrEqual(6);
          expect(all).toBeLessThanOrEqual(9 + 3);
        });

        it('limits how many agents are at work at once', async () => {
          const entries = await perform('budget-fan', policy('name: few, per: session, agents_at_once: 2'));
          if (how === 'without a server') return;
          expect(reasons(entries)).toContain('allows 2 sub-agents at once, and 2 are at work');
          expect(ran(entries, 'slow')).toBe(2 * 3);
        });

        it('gives an agent nothing for editing the policy, the index and what was raised', async () => {
          await addBudgetPlays(cheatingPlays(state));
          const budget = policy(`name: short, ${HELPERS}, per: agent, turns: 6`);
          const guarded = `${budget}presets: [hands-off-the-guard]\n`;
          const entries = await perform('budget-cheater', guarded);
          expect(entries.filter(({ decision }) => decision === 'deny').length).toBeGreaterThanOrEqual(4);
          expect(ran(entries, 'cheat')).toBeLessThanOrEqual(4);
          expect(readFileSync(path.join(state, 'policy.yaml'), 'utf8')).toBe(guarded);
          // Without the preset the index may be ruined: what was used is in the transcripts.
          const ruined = await perform('budget-ruiner', budget);
          expect(ran(ruined, 'cheat')).toBeLessThanOrEqual(6);
          expect(reasons(ruined)).toContain('Budget "short"');
        });

        it('limits how deep agents are, and how many are started', async () => {
          const deep = await perform('budget-nested', policy('name: flat, per: session, depth: 1'));
          expect(deep.find(({ decision }) => decision === 'deny')?.reason).toContain(
            'allows sub-agents down to depth 1',
          );
          expect(ran(deep, 'below')).toBe(0);
          const wide = await perform('budget-fan', policy('name: two, per: session, spawns: 2'));
          const spawns = wide.filter(({ tool }) => tool === 'Agent' || tool === 'Task');
          if (how === 'with a server')
            expect(spawns.map(({ decision }) => decision).sort()).toEqual(['deny', 'none', 'none']);
        });
      });
    }

    describe('with a server that comes and goes', () => {
      beforeAll(start);

      it('stops an agent whose minutes are over', async () => {
        const entries = await perform('budget-slow-main', policy('name: quick, per: session, minutes: 0.05'));
        expect(ran(entries, 'main')).toBeLessThanOrEqual(6);
        expect(entries.some(({ reason }) => reason?.includes('minutes'))).toBe(true);
      });

      it('shares a day between sessions, also after the server was killed', async () => {
        writeFileSync(path.join(state, 'policy.yaml'), policy('name: today, per: day, turns: 100000'));
        const { budgets } = JSON.parse(troupe('budget', '--json', '--root', config)) as {
          budgets: readonly BudgetReport[];
        };
        const before = budgets[0]?.holders[0]?.uses[0]?.used ?? 0;
        const text = policy(`name: today, per: day, turns: ${before + 6}`);
        const entries = await perform('budget-main', text, ['budget-main', 'budget-main']);
        expect(ran(entries, 'main')).toBeLessThanOrEqual(6 + 2);
        const { pid } = JSON.parse(troupe('server', 'status', '--json')).server;
        process.kill(pid, 'SIGKILL');
        await start();
        expect(ran(await perform('budget-main', text), 'main')).toBe(0);
      });
    });
  });
}
