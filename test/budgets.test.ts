import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BudgetReport, PolicyCheck } from '../src/core/index.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { type ProgramHome, programIn } from './testing/program.ts';

// Budgets as people use them: the built program over recordings.

const root = fileURLToPath(new URL('..', import.meta.url));
const fixture = (host: string, name: string): string => path.join(root, `src/hosts/${host}/fixtures`, name);
const STREAM = path.join(root, 'src/sessions/stream/fixtures/claude-code-2.1.325-nested.jsonl');

let program: ProgramHome;
beforeEach(() => {
  program = programIn(makeTemporaryFolder('budgets-home'));
});

const configure = (name: 'policy.yaml' | 'config.json', text: string): void => {
  const folder = path.join(program.home, '.config/troupe');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, name), text);
};
const policy = (...budgets: readonly string[]): void =>
  configure('policy.yaml', `version: 1\nbudgets:\n${budgets.map((text) => `  - { ${text} }\n`).join('')}`);

describe('troupe run --budget', () => {
  /** Prints and writes what Claude Code did in a recorded run, and then waits like a program that goes on. */
  const recordedRun = (end: string): string => {
    const file = path.join(program.home, 'run.sh');
    const data = path.join(program.home, '.claude');
    writeFileSync(file, `cp -r "${fixture('claude-code', '2.1.325-nested')}" "${data}"; cat "${STREAM}"; ${end}\n`);
    return file;
  };
  const run = (limits: string, end: string) => program.run(['run', '--budget', limits, '--', 'bash', recordedRun(end)]);

  it('ends the program with code 75 when its session and all below it have used the budget up, and says what was used', async () => {
    const { code, out, errors } = await run('turns=3,usd=100', 'exec sleep 600');
    expect(code).toBe(75);
    expect(out).toBe(readFileSync(STREAM, 'utf8'));
    expect(errors).toMatch(/ended the run, for its budget is used up: \$0\.\d+ of \$100\.00, \d+ of 3 turns/);
  });

  it('kills a program that ignores the signal', async () => {
    const { code } = await run('tokens=1', "trap '' TERM; for i in $(seq 6000); do sleep 0.1; done");
    expect(code).toBe(75);
  });

  it('ends a program that never says a session when its minutes are over', async () => {
    const { code, errors } = await program.run(['run', '--budget', 'minutes=0.01', '--', 'sleep', '600']);
    expect(code).toBe(75);
    expect(errors).toMatch(/\d\.\d of 0\.01 minutes/);
  });

  it('leaves a program alone that stays within its budget', async () => {
    const { code, errors } = await run('turns=1000,tokens=10M,minutes=30', 'exit 3');
    expect(code).toBe(3);
    expect(errors).not.toContain('budget');
  });

  it.each([
    ['turns=0', 'is not a limit'],
    ['money=3', 'is not a limit'],
    ['depth=2', 'limit single calls'],
  ])('refuses %s before it starts anything', async (limits, why) => {
    const { code, out, errors } = await program.run(['run', '--budget', limits, '--', 'echo', 'started']);
    expect(code).not.toBe(0);
    expect(out).not.toContain('started');
    expect(errors).toContain(why);
  });
});

const isTranscript = (name: string): boolean => name.endsWith('.jsonl');

describe('troupe guard check', () => {
  const warnings = async (): Promise<readonly string[]> => {
    const { out } = await program.run(['guard', 'check', '--json']);
    const { problems }: PolicyCheck = JSON.parse(out);
    return problems.map(({ severity, message, line }) => `${severity} ${line}: ${message}`);
  };
  const used = (host: string, name: string, folder: string): void =>
    cpSync(fixture(host, name), path.join(program.home, folder), { recursive: true });

  it('warns about a budget of money when a model of the newest sessions has no price', async () => {
    used('claude-code', '2.1.325-nested', '.claude');
    const projects = path.join(program.home, '.claude/projects');
    for (const name of readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter(isTranscript)) {
      const file = path.join(projects, name);
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('claude-sonnet-4-5', 'our-own-model'));
    }
    policy('name: purse, per: session, usd: 5', 'name: words, per: session, tokens: 5M');
    expect(await warnings()).toEqual([
      'warning 3: Budget "purse" cannot be computed here: no price is known for our-own-model. Then `on_error` decides.',
    ]);
    configure('config.json', '{"cost":{"prices":{"our-own-model":{"input":1,"output":2}}}}');
    expect(await warnings()).toEqual([]);
  });

  it('warns about a budget of agents when a host does not say which agent calls', async () => {
    used('gemini', '0.61.0-single', '.gemini');
    policy('name: helpers, agents: { kind: subagent }, per: agent, turns: 5', 'name: all, per: session, turns: 50');
    expect(await warnings()).toEqual([
      'warning 3: Budget "helpers" cannot be computed here: Gemini CLI does not say which agent calls. Then `on_error` decides.',
    ]);
  });

  it('says nothing about budgets that can be computed, or without sessions', async () => {
    policy('name: purse, per: agent, usd: 5');
    expect(await warnings()).toEqual([]);
    used('claude-code', '2.1.325-nested', '.claude');
    expect(await warnings()).toEqual([]);
  });
});

describe('troupe budget --json', () => {
  it('is as its schema says', async () => {
    cpSync(fixture('claude-code', '2.1.325-nested'), path.join(program.home, '.claude'), { recursive: true });
    policy(
      'name: everybody, per: session, turns: 5, usd: 3, depth: 2',
      'name: helpers, agents: { kind: subagent }, per: agent, tokens: 100k, count: [output], grace: 2',
      'name: trees, agents: { type: general-purpose }, per: subtree, minutes: 10',
      'name: here, per: project, tool_calls: 50, spawns: 2',
      'name: today, per: day, usd: 1000, on_limit: ask',
    );
    const found = JSON.parse((await program.run(['budget', '--json'])).out);
    const schema = JSON.parse(readFileSync(path.join(root, 'schemas/budget.schema.json'), 'utf8'));
    const check = new Ajv2020({ strict: true, formats: { 'date-time': true } }).compile(schema);
    expect(check(found), JSON.stringify(check.errors)).toBe(true);
    expect(check({ budgets: [{}] })).toBe(false);
    const { budgets }: { budgets: readonly BudgetReport[] } = found;
    expect(budgets.map(({ name, holders }) => [name, holders.length > 0])).toEqual([
      ['everybody', true],
      ['helpers', true],
      ['trees', true],
      ['here', true],
      ['today', true],
    ]);
  });
});
