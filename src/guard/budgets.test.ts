import { describe, expect, it } from 'vitest';
import {
  type AgentNode,
  mainAgentOf,
  NO_USAGE,
  type SessionTree,
  slotOf,
  type TimedUsage,
  toAgentId,
  toSessionId,
  toToolCallId,
} from '../core/index.ts';
import { type BudgetCall, type BudgetFacts, judgeBudgets, reportBudgets } from './budgets.ts';
import { measureSession } from './measured-usage.ts';
import type { Budget } from './policy.ts';

const NOW = Date.parse('2026-11-19T12:00:00');
const SESSION = toSessionId('test', 's');
const MAIN = mainAgentOf(SESSION);
const id = (name: string) => (name === 'main' ? MAIN : toAgentId('test', name));

/** A million tokens of output cost 15 dollars. */
const used = (output: number, fields: Partial<TimedUsage> = {}): TimedUsage => ({
  at: slotOf(NOW - 60_000),
  model: 'claude-sonnet-4-5',
  usage: { ...NO_USAGE, output },
  requests: 1,
  ...fields,
});

function agent(name: string, parent: string | null, fields: Partial<AgentNode> = {}): AgentNode {
  return {
    id: id(name),
    link: {
      rank: 'exact',
      candidates: [],
      ...(parent !== null && { parent: id(parent), call: toToolCallId(`c-${name}`) }),
    },
    kind: parent === null ? 'main' : 'task',
    depth: parent === null ? 0 : 1,
    status: 'completed',
    stalled: false,
    activity: 'done',
    changes: [],
    runs: [],
    usageIsLowerBound: false,
    subtreeUsage: NO_USAGE,
    subtreeIsLowerBound: false,
    usageByModel: [],
    usageByTime: [],
    subtreeByModel: [],
    compactions: 0,
    sources: [],
    startedAt: NOW - 60_000,
    lastActivityAt: NOW,
    ...fields,
  };
}

const tree = (agents: readonly AgentNode[], fields: Partial<SessionTree> = {}): SessionTree => ({
  ...{ id: SESSION, title: 'A session', cwd: '/home/dev/shop', startedAt: NOW - 60_000, lastActivityAt: NOW },
  ...{ agents, diagnostics: [] },
  ...fields,
});

const budget = (fields: Partial<Budget> & Pick<Budget, 'per' | 'limits'>): Budget => ({
  ...{
    id: 'user:budget:1',
    scope: 'user',
    name: 'x',
    place: { file: '/p.yaml', line: 2 },
    agents: null,
    project: null,
  },
  ...{ count: ['input', 'output', 'cache_write'], warn: 0.8, onLimit: 'deny', grace: 0 },
  ...fields,
});

const call = (name: string, fields: Partial<BudgetCall> = {}): BudgetCall => {
  const self = { kind: name === 'main' ? 'main' : 'task', type: null, name: null, depth: name === 'main' ? 0 : 1 };
  const above = name === 'main' ? [] : [{ id: MAIN, agent: { kind: 'main', type: null, name: null, depth: 0 } }];
  return {
    ...{ agent: self, id: id(name), ancestors: above, host: 'test', project: '/home/dev/shop', spawns: false },
    ...{ call: toToolCallId('now'), tool: 'Bash', at: NOW },
    ...fields,
  };
};

const facts = (...trees: readonly SessionTree[]): BudgetFacts => {
  const sessions = trees.map(measureSession);
  return { session: sessions[0], sessions: () => sessions };
};

const judge = (one: Budget, calls: BudgetCall, trees: readonly SessionTree[], more: Partial<BudgetFacts> = {}) =>
  judgeBudgets([one], calls, { ...facts(...trees), ...more }, 'ask');

describe('judgeBudgets', () => {
  const shared = tree([
    agent('main', null, { usageByTime: [used(100)] }),
    agent('a', 'main', { type: 'researcher', usageByTime: [used(500)], status: 'running', toolCallCount: 3 }),
    agent('b', 'a', { type: 'coder', depth: 2, usageByTime: [used(4_000)], status: 'running' }),
  ]);

  it.each([
    ['agent', 'a', 500],
    ['subtree', 'a', 4_600],
    ['session', 'a', 4_600],
    ['project', 'a', 4_600],
    ['day', 'a', 4_600],
    ['agent', 'main', 100],
    ['subtree', 'main', 4_600],
  ] as const)('counts what is used per %s when %s calls', (per, who, tokens) => {
    const decide = (limit: number) => judge(budget({ per, limits: { tokens: limit } }), call(who), [shared]).decision;
    expect([decide(tokens), decide(tokens + 1)]).toEqual(['deny', 'none']);
  });

  it('binds agents below the one that a subtree is of, and no others', () => {
    const one = budget({ per: 'subtree', agents: { type: ['researcher'] }, limits: { tokens: 4_500 } });
    const below = call('b', {
      agent: { kind: 'task', type: 'coder', name: null, depth: 2 },
      ancestors: [
        { id: MAIN, agent: { kind: 'main', type: null, name: null, depth: 0 } },
        { id: id('a'), agent: { kind: 'task', type: 'researcher', name: null, depth: 1 } },
      ],
    });
    expect(judge(one, below, [shared])).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining(
        'Budget "x" of the agent researcher and all below it is used up: 4,500 of 4,500 tokens',
      ),
    });
    expect(judge(one, call('main'), [shared]).decision).toBe('none');
  });

  it('counts only the tokens that are to count', () => {
    const usage = { ...NO_USAGE, input: 10, output: 20, cacheRead: 1_000, cacheWrite: 30 };
    const trees = [tree([agent('main', null, { usageByTime: [used(0, { usage })] })])];
    const decide = (tokens: number, more: Partial<Budget> = {}) =>
      judge(budget({ per: 'session', limits: { tokens }, ...more }), call('main'), trees).decision;
    expect([decide(60), decide(61)]).toEqual(['deny', 'none']);
    expect(decide(1_020, { count: ['output', 'cache_read'] })).toBe('deny');
    expect(decide(1_021, { count: ['output', 'cache_read'] })).toBe('none');
  });

  it('counts dollars, turns, tool calls and minutes', () => {
    const runs = [
      { status: 'completed', signal: 'call', startedAt: NOW - 40 * 60_000, endedAt: NOW - 30 * 60_000 },
      { status: 'running', signal: 'call', startedAt: NOW - 5 * 60_000 },
    ] as const;
    const trees = [
      tree([
        agent('main', null),
        agent('a', 'main', { usageByTime: [used(1_000_000), used(0)], toolCallCount: 7, status: 'running', runs }),
      ]),
    ];
    const decide = (limits: Budget['limits'], more: Partial<BudgetFacts> = {}) =>
      judge(budget({ per: 'agent', limits }), call('a'), trees, more).decision;
    expect([decide({ usd: 15 }), decide({ usd: 15.01 })]).toEqual(['deny', 'none']);
    expect([decide({ turns: 2 }), decide({ turns: 3 })]).toEqual(['deny', 'none']);
    expect([decide({ tool_calls: 7 }), decide({ tool_calls: 8 })]).toEqual(['deny', 'none']);
    expect(decide({ tool_calls: 7 }, { isCounted: true })).toBe('none');
    expect([decide({ minutes: 15 }), decide({ minutes: 15.1 })]).toEqual(['deny', 'none']);
  });

  it('counts of a day what was used since midnight, also by a clock that was set back', () => {
    const yesterday = used(5_000, { at: slotOf(Date.parse('2026-11-18T23:50:00')) });
    const trees = [tree([agent('main', null, { usageByTime: [yesterday, used(100)] })])];
    const decide = (tokens: number, at = NOW) =>
      judge(budget({ per: 'day', limits: { tokens } }), call('main', { at }), trees).decision;
    expect([decide(100), decide(101)]).toEqual(['deny', 'none']);
    expect(decide(5_100, NOW - 86_400_000)).toBe('deny');
  });

  it('shares a day between sessions, and a project between its own', () => {
    const other = toSessionId('test', 'other');
    const elsewhere = (cwd: string): SessionTree =>
      tree([{ ...agent('main', null, { usageByTime: [used(900)] }), id: mainAgentOf(other) }], { id: other, cwd });
    const own = tree([agent('main', null, { usageByTime: [used(100)] })]);
    const decide = (per: 'day' | 'project', cwd: string, more: Partial<Budget> = {}) =>
      judge(budget({ per, limits: { tokens: 1_000 }, ...more }), call('main'), [own, elsewhere(cwd)]).decision;
    expect([decide('day', '/home/dev/other'), decide('project', '/home/dev/other')]).toEqual(['deny', 'none']);
    expect(decide('project', '/home/dev/shop')).toBe('deny');
    expect(decide('day', '/home/dev/other', { project: ['/home/dev/shop'] })).toBe('none');
    expect(decide('day', '/home/dev/other', { project: ['/home/dev/other'] })).toBe('none');
  });

  it('limits how many sub-agents there are, how many at once, and how deep', () => {
    const spawn = (limits: Budget['limits'], more: Partial<BudgetFacts> = {}, fields: Partial<BudgetCall> = {}) =>
      judge(budget({ per: 'session', limits }), call('main', { spawns: true, ...fields }), [shared], more);
    expect([spawn({ spawns: 2 }).decision, spawn({ spawns: 3 }).decision]).toEqual(['deny', 'none']);
    expect([spawn({ agents_at_once: 2 }).decision, spawn({ agents_at_once: 3 }).decision]).toEqual(['deny', 'none']);
    expect([spawn({ depth: 0 }).decision, spawn({ depth: 1 }).decision]).toEqual(['deny', 'none']);
    const pending = [{ by: MAIN, call: toToolCallId('let-start') }];
    expect(spawn({ agents_at_once: 3 }, { pending }).decision).toBe('deny');
    // The call itself may be in the tree already.
    expect(spawn({ spawns: 2 }, {}, { call: toToolCallId('c-a') }).decision).toBe('none');
    expect(judge(budget({ per: 'session', limits: { spawns: 0 } }), call('main'), [shared]).decision).toBe('none');
    expect(spawn({ agents_at_once: 2 }).reason).toContain('Wait until one of them has ended');
  });

  it('warns from its share on, with what is left', () => {
    const one = budget({ per: 'agent', limits: { tokens: 600 } });
    expect(judge(one, call('a'), [shared])).toMatchObject({
      decision: 'none',
      notes: [{ state: 'warned', text: expect.stringMatching(/83 % of 600 used, 100 tokens .* left\. Finish soon/) }],
    });
    expect(judge({ ...one, warn: 0.9 }, call('a'), [shared]).notes).toEqual([]);
  });

  it('asks at the limit when the budget says so', () => {
    const one = budget({ per: 'agent', limits: { turns: 1 }, onLimit: 'ask' });
    expect(judge(one, call('a'), [shared]).decision).toBe('ask');
  });

  it('lets a result be handed in at the limit, as often as grace says', () => {
    const one = budget({ per: 'agent', limits: { turns: 1 }, grace: 2 });
    const decide = (tool: string, graceUsed: number) =>
      judge(one, call('a', { tool }), [shared], { graceUsed: () => graceUsed }).decision;
    expect([decide('Write', 0), decide('Write', 1), decide('Write', 2), decide('Bash', 0)]).toEqual([
      ...['none', 'none', 'deny', 'deny'],
    ]);
  });

  it('says on_error when a price or usage is not known, unless it is too much already', () => {
    const unpriced = used(1_000_000, { model: 'a-new-model' });
    const trees = (usageByTime: readonly TimedUsage[]) => [tree([agent('main', null, { usageByTime })])];
    const one = budget({ per: 'session', limits: { usd: 10 } });
    expect(judge(one, call('main'), trees([unpriced]))).toMatchObject({
      decision: 'ask',
      reason: 'Budget "x" cannot be computed (US dollars): no price is known for a-new-model.',
    });
    expect(judge(one, call('main'), trees([unpriced, used(1_000_000)])).decision).toBe('deny');
    const silent = [tree([agent('main', null, { messageCount: 9, toolCallCount: 4 })])];
    expect(judge(budget({ per: 'session', limits: { turns: 9 } }), call('main'), silent).reason).toContain('no usage');
    const nobody = call('main', { agent: null, id: undefined });
    expect(judge(budget({ per: 'agent', limits: { turns: 9 } }), nobody, [shared]).decision).toBe('ask');
  });

  it('holds a limit that a person raised', () => {
    const raised = new Map([['user:budget:1', { tokens: 501 }]]);
    const one = budget({ per: 'agent', limits: { tokens: 400 } });
    expect(judge(one, call('a'), [shared]).decision).toBe('deny');
    expect(judge(one, call('a'), [shared], { raised }).decision).toBe('none');
  });
});

describe('reportBudgets', () => {
  it('lists who used what, nearest to its limit first', () => {
    const one = tree([
      agent('main', null, { usageByTime: [used(100)] }),
      agent('a', 'main', { name: 'finder', usageByTime: [used(500)] }),
    ]);
    const [report] = reportBudgets([budget({ per: 'agent', limits: { tokens: 550 } })], [measureSession(one)], NOW);
    expect(report?.holders.map(({ label, state, uses }) => [label, state, uses[0]?.text])).toEqual([
      ['finder', 'warned', '500 of 550 tokens (input, output, cache write)'],
      ['main', 'ok', '100 of 550 tokens (input, output, cache write)'],
    ]);
    const [day] = reportBudgets([budget({ per: 'day', limits: { usd: 1 } })], [measureSession(one)], NOW);
    expect(day).toMatchObject({
      resetsAt: new Date('2026-11-20T00:00:00').toISOString(),
      holders: [{ label: 'today' }],
    });
    expect(day?.holders[0]?.by.map(({ label, tokens }) => [label, tokens])).toEqual([
      ['finder', 500],
      ['main', 100],
    ]);
  });
});
