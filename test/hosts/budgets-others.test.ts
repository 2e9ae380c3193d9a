import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/core/index.ts';
import { addBudgetPlays, cheatingPlays, entriesIn, HELPERS, policy, RESULT, ran, reasons } from './budget-plays.ts';
import { RECIPES, startGuarded } from './guarded-hosts.ts';
import { programsIn } from './host-kit.ts';
import { root, work } from './kit.ts';
import { isSecondProgram, programs, serveOpencode, versionOf } from './opencode-server.ts';
import { startServer } from './server.ts';

// Budgets under hosts other than Claude Code, whose tests are in budgets.test.ts.

interface LimitedHost {
  /** Of troupe. */
  readonly state: string;
  /** Gives what the audit log has of it. */
  perform(play: string, text: string): Promise<readonly AuditEntry[]>;
  /** What all agents of the last play were told and said. */
  told(): Promise<string>;
  close(): Promise<void>;
}

interface Limited {
  readonly name: string;
  /** The host passes on what a hook says about a call that may run. */
  readonly hasWarnings: boolean;
  start(): Promise<LimitedHost>;
}

/** A dollar for each token. */
const PRICES = JSON.stringify({ cost: { prices: { 'fake-1': { input: 0, output: 1_000_000 } } } });

async function startCodex(bin: string): Promise<LimitedHost> {
  const recipe = RECIPES.find(({ host }) => host === 'codex');
  if (!recipe) throw new Error('no recipe for Codex');
  const program = await startGuarded(recipe, bin);
  writeFileSync(path.join(program.state, 'config.json'), PRICES);
  const server = await startServer(program.data, { ...process.env, ...program.env });
  const rollouts = (): readonly string[] =>
    (readdirSync(path.join(program.data, 'sessions'), { recursive: true }) as string[])
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => readFileSync(path.join(program.data, 'sessions', file), 'utf8'));
  let before = 0;
  return {
    state: program.state,
    async perform(play, text) {
      before = before === 0 ? 0 : rollouts().length;
      program.setPolicy(text);
      program.troupe('guard', 'check');
      await program.run(play);
      return program.log();
    },
    told: async () => rollouts().slice(before).join('\n'),
    async close() {
      server.stop();
      await program.close();
    },
  };
}

async function startOpencode(program: string): Promise<LimitedHost> {
  const version = versionOf(program);
  const own = mkdtempSync(path.join(work, `opencode-budgets-${version}-`));
  const state = path.join(own, 'state');
  mkdirSync(state);
  writeFileSync(path.join(state, 'config.json'), PRICES);
  const troupeIn = (env: object, cwd: string, ...args: readonly string[]): string => {
    const options = { env: { ...process.env, ...env, TROUPE_HOME: state }, cwd, encoding: 'utf8' } as const;
    return spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], options).stdout;
  };
  const depth = isSecondProgram(program) ? { experimental: { subagent_depth: 3 } } : { subagent_depth: 3 };
  const settings = { ...depth, agent: { general: { permission: { task: 'allow', subagent: 'allow' } } } };
  const host = await serveOpencode({
    ...{ program, root: own, scenario: 'budgets', permission: { '*': 'allow' }, settings },
    prepare: (env, project) => {
      const install = ['hooks', 'install', '--host', 'opencode', '--guard', '--yes', '--host-version', version];
      troupeIn(env, project, ...install);
    },
  });
  const server = await startServer(host.data, { ...process.env, TROUPE_HOME: state });
  const logged = () => entriesIn(troupeIn(host.env, host.project, 'guard', 'log', '-n', '1000', '--json'));
  let session = '';
  return {
    state,
    async perform(play, text) {
      const before = logged().length;
      writeFileSync(path.join(state, 'policy.yaml'), text);
      troupeIn(host.env, host.project, 'guard', 'check');
      session = await host.prompt(play);
      await host.untilIdle(session);
      return logged().slice(before);
    },
    async told() {
      const sessions = [session, ...(await host.children(session))];
      return JSON.stringify(await Promise.all(sessions.map((one) => host.messages(one))));
    },
    async close() {
      server.stop();
      await host.close();
    },
  };
}

const HOSTS: readonly Limited[] = [
  ...programsIn('TROUPE_CODEX_BIN').map((bin) => ({
    name: `Codex ${/\d+\.\d+\.\d+/.exec(bin)?.[0]}`,
    hasWarnings: false,
    start: () => startCodex(bin),
  })),
  ...programs.map((program) => ({
    name: `OpenCode ${versionOf(program)}`,
    hasWarnings: !isSecondProgram(program),
    start: () => startOpencode(program),
  })),
];

describe.each(HOSTS)('budgets of $name', ({ start, hasWarnings }) => {
  let host: LimitedHost;
  beforeAll(async () => {
    host = await start();
    // The state folder is known only now.
    await addBudgetPlays(cheatingPlays(host.state));
  }, 120_000);
  afterAll(() => host?.close());

  it('stops an agent that has used up its turns, warns it where the host passes that on, and its result arrives', async () => {
    const entries = await host.perform(
      'budget-alone',
      policy(`name: short, ${HELPERS}, per: agent, turns: 5, warn: 40%`),
    );
    expect(ran(entries, 'one')).toBeGreaterThanOrEqual(3);
    expect(ran(entries, 'one')).toBeLessThanOrEqual(6);
    expect(reasons(entries)).toContain('Budget "short" of this agent is used up');
    const told = await host.told();
    expect(told).toContain(RESULT);
    expect(told.includes('Finish soon, and hand in your result')).toBe(hasWarnings);
  });

  it('counts every turn when turns take no time at all', async () => {
    const entries = await host.perform('budget-main', policy('name: hasty, per: session, turns: 4'));
    expect(ran(entries, 'main')).toBeGreaterThanOrEqual(3);
    expect(ran(entries, 'main')).toBeLessThanOrEqual(5);
  });

  it('stops an agent that has used up its tokens', async () => {
    const entries = await host.perform(
      'budget-alone',
      policy(`name: small, ${HELPERS}, per: agent, tokens: 60, count: output`),
    );
    expect(ran(entries, 'one')).toBeLessThanOrEqual(6);
    expect(reasons(entries)).toContain('tokens (output)');
  });

  it('stops an agent that has used up its money', async () => {
    const entries = await host.perform('budget-alone', policy(`name: purse, ${HELPERS}, per: agent, usd: 0.000001`));
    expect(ran(entries, 'one')).toBeLessThanOrEqual(2);
    expect(reasons(entries)).toContain('Budget "purse" of this agent is used up: $');
  });

  it('stops an agent whose minutes are over', async () => {
    const entries = await host.perform('budget-slow-main', policy('name: quick, per: session, minutes: 0.05'));
    expect(ran(entries, 'main')).toBeLessThanOrEqual(6);
    expect(reasons(entries)).toContain('minutes');
  });

  it('counts what is below an agent as its own when it is per subtree', async () => {
    const entries = await host.perform(
      'budget-nested',
      policy('name: tree, agents: { kind: subagent, depth: 1 }, per: subtree, turns: 4'),
    );
    expect(ran(entries, 'below')).toBeLessThanOrEqual(4);
    expect(reasons(entries)).toContain('and all below it');
  });

  it('lets parallel agents that share a budget overshoot by one turn each', async () => {
    const entries = await host.perform('budget-parallel', policy(`name: shared, ${HELPERS}, per: session, turns: 9`));
    const all = ran(entries, 'one', 'two', 'three');
    expect(all).toBeGreaterThanOrEqual(6);
    expect(all).toBeLessThanOrEqual(9 + 3);
  });

  it('limits how deep agents are', async () => {
    const entries = await host.perform('budget-nested', policy('name: flat, per: session, depth: 1'));
    expect(reasons(entries)).toContain('allows sub-agents down to depth 1');
    expect(ran(entries, 'below')).toBe(0);
  });

  it('limits how many agents are started', async () => {
    const entries = await host.perform('budget-fan', policy('name: two, per: session, spawns: 2'));
    expect(reasons(entries)).toContain('allows 2 sub-agents, and 2 were started');
    expect(ran(entries, 'slow')).toBe(2 * 3);
  });

  it('limits how many agents are at work at once', async () => {
    const entries = await host.perform('budget-fan', policy('name: few, per: session, agents_at_once: 2'));
    expect(reasons(entries)).toContain('allows 2 sub-agents at once, and 2 are at work');
    expect(ran(entries, 'slow')).toBe(2 * 3);
  });

  it('gives an agent nothing for editing the policy, the index and what was raised', async () => {
    const budget = policy(`name: short, ${HELPERS}, per: agent, turns: 6`);
    const guarded = `${budget}presets: [hands-off-the-guard]\n`;
    const entries = await host.perform('budget-cheater', guarded);
    expect(entries.filter(({ decision }) => decision === 'deny').length).toBeGreaterThanOrEqual(4);
    expect(ran(entries, 'cheat')).toBeLessThanOrEqual(4);
    expect(readFileSync(path.join(host.state, 'policy.yaml'), 'utf8')).toBe(guarded);
    // Without the preset the index may be ruined: what was used is in the transcripts.
    const ruined = await host.perform('budget-ruiner', budget);
    expect(ran(ruined, 'cheat')).toBeLessThanOrEqual(6);
    expect(reasons(ruined)).toContain('Budget "short"');
  });
});
