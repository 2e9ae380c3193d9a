import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry, BudgetReport } from '../../src/core/index.ts';
import { RECIPES, startGuarded } from './guarded-hosts.ts';
import { programsIn } from './host-kit.ts';
import { kit, nameOf, programs, recordTogether, root, work } from './kit.ts';
import { programs as opencodePrograms, serveOpencode, versionOf } from './opencode-server.ts';
import { type RunningServer, startServer } from './server.ts';

// Budgets under real programs: who has used up a budget calls nothing more, is told so, and still hands in its result.

const RESULT = 'The result of the helper.';

/** A turn of a real model takes seconds; one of a few milliseconds may be over before the server has read the one before. */
const PAUSE_MS = 200;

/** Helpers make eight calls, and then say their result; main hands on. */
beforeAll(async () => {
  const { PLAYS, agent, say, shell } = await import(pathToFileURL(path.join(kit, 'plays.mjs')).href);
  const step = (...items: readonly unknown[]) => ({ items });
  const calls = (who: string, count: number, pause = 0) =>
    Array.from({ length: count }, (_, at) => ({ ...step(shell(`echo ${who}-${at + 1}`, 'Say it')), delay: pause }));
  const helper = (name: string, play = name) => agent(`Do ${name}`, `Work. [[play:budget-${play}]]`);
  const done = step(say('All done.'));
  Object.assign(PLAYS, {
    'budget-one': [step(helper('one')), done, done],
    'budget-parallel': [step(helper('one'), helper('two'), helper('three')), done, done],
    'budget-nested': [step(helper('lead')), done, done],
    'budget-fan': [
      step(helper('slow-1', 'slow'), helper('slow-2', 'slow'), helper('slow-3', 'slow')),
      done,
      done,
      done,
    ],
    'budget-main': [...calls('main', 8), done],
    'budget-slow-main': [...calls('main', 8, 1_000), done],
    'budget-lead': [step(helper('below')), ...calls('lead', 2), step(say(RESULT))],
    ...Object.fromEntries(
      ['one', 'two', 'three', 'below'].map((who) => [`budget-${who}`, [...calls(who, 8, PAUSE_MS), step(say(RESULT))]]),
    ),
    'budget-slow': [...calls('slow', 3, 1_500), step(say(RESULT))],
  });
  // The same names are plays of their own when main runs them.
  PLAYS['budget-one-main'] = PLAYS['budget-one'];
  PLAYS['budget-one'] = [...calls('one', 8, PAUSE_MS), step(say(RESULT))];
  PLAYS['budget-alone'] = [step(helper('one')), done, done];
});

const policy = (...budgets: readonly string[]) =>
  `version: 1\nbudgets:\n${budgets.map((text) => `  - { ${text} }\n`).join('')}`;

const HELPERS = 'agents: { kind: subagent }';

/** How many calls of `echo WHO-N` were let run. */
const ran = (entries: readonly AuditEntry[], who: string): number =>
  entries.filter(({ summary, decision }) => summary?.startsWith(`echo ${who}-`) && decision !== 'deny').length;

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
    const logged = (): readonly AuditEntry[] =>
      troupe('guard', 'log', '-n', '1000', '--json', '--root', config)
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line): AuditEntry => JSON.parse(line));
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

        it('stops an agent that has used up its tokens', async () => {
          const entries = await perform(
            'budget-alone',
            policy(`name: small, ${HELPERS}, per: agent, tokens: 500, count: cache_write`),
          );
          expect(ran(entries, 'one')).toBeLessThanOrEqual(4);
          expect(entries.some(({ reason }) => reason?.includes('is used up'))).toBe(true);
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

for (const recipe of RECIPES.filter(({ host }) => host === 'codex'))
  for (const bin of programsIn(`TROUPE_${recipe.host.toUpperCase()}_BIN`))
    describe(`budgets of ${recipe.host} ${/\d+\.\d+\.\d+/.exec(bin)?.[0]}`, () => {
      it('stops an agent that has used up its turns, and its result arrives', async () => {
        const program = await startGuarded(recipe, bin);
        const server = await startServer(program.data, { ...process.env, ...program.env });
        try {
          program.setPolicy(policy(`name: short, ${HELPERS}, per: agent, turns: 4, warn: 50%`));
          program.troupe('guard', 'check');
          await program.run('budget-alone');
          const entries = program.log();
          expect(ran(entries, 'one')).toBeGreaterThanOrEqual(2);
          expect(ran(entries, 'one')).toBeLessThanOrEqual(5);
          expect(entries.find(({ decision }) => decision === 'deny')?.reason).toContain('Budget "short"');
        } finally {
          server.stop();
          await program.close();
        }
      });
    });

for (const program of opencodePrograms)
  describe(`budgets of OpenCode ${versionOf(program)}`, () => {
    it('stops an agent that has used up its turns, after a warning, and its result arrives', async () => {
      const version = versionOf(program);
      const own = mkdtempSync(path.join(work, `opencode-budgets-${version}-`));
      const state = path.join(own, 'state');
      mkdirSync(state);
      const troupeIn = (env: object, cwd: string, ...args: readonly string[]): string => {
        const options = { env: { ...process.env, ...env, TROUPE_HOME: state }, cwd, encoding: 'utf8' } as const;
        return spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], options).stdout;
      };
      writeFileSync(
        path.join(state, 'policy.yaml'),
        policy(`name: short, ${HELPERS}, per: agent, turns: 5, warn: 40%`),
      );
      const host = await serveOpencode({
        ...{ program, root: own, scenario: 'budgets', permission: { '*': 'allow' }, settings: {} },
        prepare: (env, project) =>
          void troupeIn(
            env,
            project,
            'hooks',
            'install',
            '--host',
            'opencode',
            '--guard',
            '--yes',
            '--host-version',
            version,
          ),
      });
      const server = await startServer(host.data, { ...process.env, TROUPE_HOME: state });
      try {
        const session = await host.prompt('budget-alone');
        await host.untilIdle(session);
        const entries = troupeIn(host.env, host.project, 'guard', 'log', '-n', '100', '--json')
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .map((line) => JSON.parse(line) as AuditEntry);
        expect(ran(entries, 'one')).toBeGreaterThanOrEqual(3);
        expect(ran(entries, 'one')).toBeLessThanOrEqual(6);
        expect(entries.find(({ decision }) => decision === 'deny')?.reason).toContain('Budget "short"');
      } finally {
        server.stop();
        await host.close();
      }
    }, 120_000);
  });
