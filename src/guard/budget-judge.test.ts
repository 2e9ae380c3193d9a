import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mainAgentOf, NO_USAGE, type SessionTree, slotOf, toSessionId, toToolCallId } from '../core/index.ts';
import type { HookEvent } from '../hosts/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { createApprovalKey, unlockKey } from './approvals/approval-key.ts';
import { BudgetJudge, type LimitingPolicy, raiseBudget } from './budget-judge.ts';
import type { Budget } from './policy.ts';

const AT = Date.parse('2026-11-19T12:00:00');
const SESSION = toSessionId('test', 's');
const MAIN = mainAgentOf(SESSION);

/** One main agent with this output. */
const treeWith = (output: number): SessionTree => ({
  ...{ id: SESSION, cwd: '/home/dev/shop', startedAt: AT - 60_000, lastActivityAt: AT, diagnostics: [] },
  agents: [
    {
      ...{
        id: MAIN,
        link: { rank: 'exact', candidates: [] },
        kind: 'main',
        depth: 0,
        status: 'running',
        stalled: false,
      },
      ...{ activity: 'thinking', changes: [], runs: [], usageIsLowerBound: false, subtreeUsage: NO_USAGE },
      ...{ subtreeIsLowerBound: false, usageByModel: [], subtreeByModel: [], compactions: 0, sources: [] },
      usageByTime: [{ at: slotOf(AT), model: 'claude-sonnet-4-5', usage: { ...NO_USAGE, output }, requests: 1 }],
    },
  ],
});

const budget = (limits: Budget['limits'], more: Partial<Budget> = {}): Budget => ({
  ...{
    id: 'user:budget:1',
    scope: 'user',
    name: 'x',
    place: { file: '/p.yaml', line: 2 },
    agents: null,
    project: null,
  },
  ...{ per: 'session', limits, count: ['output'], warn: 0.5, onLimit: 'deny', grace: 0 },
  ...more,
});

const policy = (one: Budget, more: Partial<LimitingPolicy> = {}): LimitingPolicy => ({
  ...{ budgets: [one], onError: 'ask', isHandsOff: false },
  ...more,
});

const call = (fields: Partial<NonNullable<HookEvent['call']>> = {}): HookEvent => ({
  ...{ host: 'test', name: 'before', session: SESSION, caller: { named: 'nobody' } },
  call: { tool: 'Bash', input: {}, spawns: false, id: toToolCallId('c1'), ...fields },
});

const asked = (event: HookEvent, one: LimitingPolicy, at = AT) => ({
  ...{ event, project: '/home/dev/shop', policies: [one], at },
  readings: [{ agent: { id: 's', kind: 'main', type: null, name: null, depth: 0 }, ancestors: [] }],
});

const judgeOf = (tree: SessionTree | undefined, folder = makeTemporaryFolder('budgets')) =>
  new BudgetJudge({ sessionOf: async () => tree, all: async () => (tree ? [tree] : []) }, folder);

describe('BudgetJudge', () => {
  it('tells an agent once that a budget is nearly used up', async () => {
    const judge = judgeOf(treeWith(60));
    const one = asked(call(), policy(budget({ tokens: 100 })));
    const verdict = await judge.judge(one);
    expect(verdict?.notes.map((note) => judge.isNews(one, note))).toEqual([true]);
    expect(judge.settle(one, verdict as never, true)).toHaveLength(1);
    expect(judge.settle(one, (await judge.judge(one)) as never, true)).toEqual([]);
  });

  it('counts sub-agents that it let start until the tree has them', async () => {
    const judge = judgeOf(treeWith(0));
    const spawn = (id: string, at = AT) =>
      asked(call({ tool: 'Agent', spawns: true, id: toToolCallId(id) }), policy(budget({ agents_at_once: 2 })), at);
    const decided = [];
    for (const id of ['a', 'b', 'c']) {
      const verdict = await judge.judge(spawn(id));
      judge.settle(spawn(id), verdict as never, verdict?.decision === 'none');
      decided.push(verdict?.decision);
    }
    expect(decided).toEqual(['none', 'none', 'deny']);
    // What did not start within half a minute never will.
    expect((await judge.judge(spawn('d', AT + 60_000)))?.decision).toBe('none');
  });

  it('lets an agent hand in its result as often as grace says', async () => {
    const judge = judgeOf(treeWith(100));
    const write = asked(call({ tool: 'Write' }), policy(budget({ tokens: 100 }, { grace: 1 })));
    const first = await judge.judge(write);
    judge.settle(write, first as never, true);
    expect([first?.decision, (await judge.judge(write))?.decision]).toEqual(['none', 'deny']);
  });

  it('says on_error about a session that it cannot find, unless it has only begun', async () => {
    const judge = judgeOf(undefined);
    const one = policy(budget({ tokens: 100 }), { onError: 'deny' });
    expect((await judge.judge(asked(call(), one)))?.decision).toBe('none');
    const later = await judge.judge(asked(call(), one, AT + 60_000));
    expect(later).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('not among those that troupe reads'),
    });
  });

  it('says on_error if usage cannot be read', async () => {
    const failing = { sessionOf: async () => Promise.reject(new Error('disk')), all: async () => [] };
    const verdict = await new BudgetJudge(failing, makeTemporaryFolder('budgets')).judge(
      asked(call(), policy(budget({ turns: 1 }))),
    );
    expect(verdict).toMatchObject({ decision: 'ask', reason: 'Budgets cannot be computed: disk' });
  });

  it('has nothing to say without budgets', async () => {
    const none: LimitingPolicy = { onError: 'ask', isHandsOff: false };
    expect(await judgeOf(treeWith(1)).judge(asked(call(), none))).toBeUndefined();
  });
});

describe('raiseBudget', () => {
  const one = budget({ tokens: 100 });
  const decide = async (folder: string, isHandsOff: boolean) =>
    (await judgeOf(treeWith(150), folder).judge(asked(call(), policy(one, { isHandsOff }), Date.now())))?.decision;
  const raise = (folder: string, needsProof: boolean, passphrase?: string) =>
    raiseBudget(
      folder,
      { budgets: [one], needsProof },
      { name: 'x', limits: { tokens: 200 }, askPassphrase: async () => passphrase },
    );

  it('holds until midnight, without a passphrase if none is set', async () => {
    const folder = makeTemporaryFolder('budgets');
    expect(await decide(folder, false)).toBe('deny');
    expect(Date.parse(await raise(folder, false))).toBeGreaterThan(Date.now());
    expect(await decide(folder, false)).toBe('none');
    // Agents must not approve: then a file without a signature is nothing.
    expect(await decide(folder, true)).toBe('deny');
    await expect(raise(folder, true)).rejects.toThrow('you need a passphrase');
  });

  it('needs the passphrase if one is set, and no file can be made up or changed', async () => {
    const folder = makeTemporaryFolder('budgets');
    const words = 'correct horse battery staple';
    const key = await createApprovalKey(words, new Date());
    writeFileSync(path.join(folder, 'approval-key.json'), JSON.stringify(key));
    expect(await unlockKey('another phrase', key)).toBeUndefined();
    await expect(raise(folder, true, 'another phrase')).rejects.toThrow('not the passphrase');
    await raise(folder, true, words);
    expect(await decide(folder, true)).toBe('none');
    const file = path.join(folder, 'raised-budgets.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"tokens":200', '"tokens":900000'));
    expect(await decide(folder, true)).toBe('deny');
    writeFileSync(file, text.replace(/"signature":"[^"]*"/, '"signature":null'));
    expect(await decide(folder, true)).toBe('deny');
  });

  it('refuses a budget or a limit that is not there', async () => {
    const folder = makeTemporaryFolder('budgets');
    const ask = { limits: { usd: 5 }, askPassphrase: async () => undefined };
    await expect(raiseBudget(folder, { budgets: [one], needsProof: false }, { name: 'y', ...ask })).rejects.toThrow(
      'called "y"',
    );
    await expect(raiseBudget(folder, { budgets: [one], needsProof: false }, { name: 'x', ...ask })).rejects.toThrow(
      'does not limit usd',
    );
  });
});
