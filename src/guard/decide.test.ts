// Who may do what: order, agents, ancestors, scopes, times, and what a person is told.

import { describe, expect, test } from 'vitest';
import { decide, explain } from './decide.ts';
import type { AgentSelector, Decision, GuardedCall, Opaque, Rule, TimeWindow } from './policy.ts';
import { bash, main, makeCall, policy, rule, task } from './testing/make-call.ts';
import { suggestRule } from './testing/suggest-rule.ts';

const everyone = { ancestors: [main] };
const explorer = { agent: task('Explore'), ...everyone };
const coder = { agent: task('coder'), ...everyone };

describe('order', () => {
  const decisions = (...list: Decision[]) =>
    decide(policy(list.map((decision) => rule(decision, 'Bash(ls:*)'))), bash('ls')).decision;

  test('deny beats ask beats allow beats none, in any order of the rules', () => {
    expect(decisions('allow', 'ask', 'deny')).toBe('deny');
    expect(decisions('deny', 'allow')).toBe('deny');
    expect(decisions('allow', 'ask', 'none')).toBe('ask');
    expect(decisions('none', 'allow')).toBe('allow');
    expect(decisions('none')).toBe('none');
  });

  test('the strictest part holds', () => {
    const mixed = policy([rule('allow', 'Bash(ls:*)'), rule('ask', 'Bash(date:*)'), rule('deny', 'Bash(rm:*)')]);
    expect(decide(mixed, bash('ls')).decision).toBe('allow');
    expect(decide(mixed, bash('ls; date')).decision).toBe('ask');
    expect(decide(mixed, bash('ls; date; rm x')).decision).toBe('deny');
    expect(decide(mixed, bash('ls; who')).decision).toBe('none');
  });

  test('a rule without an opinion beats a default, a default fills every gap', () => {
    const closed = policy([rule('none', 'Bash(who:*)'), rule('allow', 'Bash(ls:*)')], 'deny');
    expect(decide(closed, bash('who')).decision).toBe('none');
    expect(decide(closed, bash('ls; who')).decision).toBe('none');
    expect(decide(closed, bash('ls; date')).decision).toBe('deny');
  });

  test('an ask waits only if all matching asks wait: for the shortest time, and allows on timeout only if all do', () => {
    const wait = (ms: number, otherwise: 'allow' | 'deny' = 'deny') => ({ wait: { ms, otherwise } });
    const rules = [
      rule('ask', 'Bash(git push:*)', wait(300_000, 'allow')),
      rule('ask', 'Bash(git:*)', { scope: 'project', ...wait(60_000) }),
      rule('ask', 'Bash(curl:*)', wait(20_000, 'allow')),
      rule('ask', 'Bash(ssh:*)'),
      rule('allow', 'Bash(ls:*)'),
    ];
    const waits = (command: string, fallback: Decision = 'none') => decide(policy(rules, fallback), bash(command)).wait;
    expect(waits('curl x')).toEqual({ ms: 20_000, otherwise: 'allow' });
    // The project's rule says deny, and it can only tighten.
    expect(waits('git push')).toEqual({ ms: 60_000, otherwise: 'deny' });
    expect(waits('ls; curl x')).toEqual({ ms: 20_000, otherwise: 'allow' });
    expect(waits('curl x; ssh y')).toBeNull();
    expect(waits('ssh y')).toBeNull();
    expect(waits('ls')).toBeNull();
    // What is left to the host must not be allowed because nobody answered about something else.
    expect(waits('curl x; date')).toEqual({ ms: 20_000, otherwise: 'deny' });
    expect(waits('curl x; date', 'ask')).toBeNull();
  });

  test('a rule without tools is for every tool', () => {
    expect(decide(policy([rule('deny', [])], 'allow'), makeCall('Anything', {})).decision).toBe('deny');
    expect(decide(policy([rule('allow', [])]), bash('$x')).decision).toBe('allow');
  });
});

describe('agents', () => {
  const denied = (agents: AgentSelector, call: Partial<GuardedCall>) =>
    decide(policy([rule('deny', 'Bash', { agents })], 'allow'), bash('ls', call)).decision === 'deny';

  test('kind, type, name, depth, host, project', () => {
    expect(denied({ type: ['Explore'] }, explorer)).toBe(true);
    expect(denied({ type: ['Explore'] }, coder)).toBe(false);
    expect(denied({ type: ['plugin:*'] }, { agent: task('plugin:x'), ...everyone })).toBe(true);
    expect(denied({ kind: ['subagent'] }, coder)).toBe(true);
    expect(denied({ kind: ['subagent'] }, {})).toBe(false);
    expect(denied({ kind: ['task'], type: ['Explore'] }, coder)).toBe(false);
    expect(denied({ depth: { min: 2, max: null } }, { agent: task('x', 2), ancestors: [main, task('y')] })).toBe(true);
    expect(denied({ depth: { min: 2, max: null } }, coder)).toBe(false);
    expect(denied({ name: ['bob'] }, coder)).toBe(false);
    expect(denied({ name: ['bo*'] }, { agent: { ...task('x'), name: 'bob' }, ...everyone })).toBe(true);
    expect(denied({ host: ['opencode'] }, {})).toBe(false);
    expect(denied({ project: ['/p/**'] }, {})).toBe(true);
    expect(denied({ project: ['/q/**'] }, {})).toBe(false);
  });

  test('under: some ancestor is such a one', () => {
    const under: AgentSelector = { under: { type: ['Explore'] } };
    expect(denied(under, { agent: task('x', 2), ancestors: [main, task('Explore')] })).toBe(true);
    expect(denied(under, { agent: task('x', 2), ancestors: [main, task('coder')] })).toBe(false);
    expect(denied(under, explorer)).toBe(false);
  });

  test('what a type is not known of is denied, and not allowed', () => {
    const nameless = { agent: { kind: 'task', type: null, name: null, depth: 1 }, ...everyone };
    expect(denied({ type: ['Explore'] }, nameless)).toBe(true);
    const allow = policy([rule('allow', 'Bash', { agents: { type: ['Explore'] } })]);
    expect(decide(allow, bash('ls', nameless)).decision).toBe('none');
  });
});

describe('unknown agents', () => {
  const unknown = { agent: null };
  test('the default for them, and rules without a selector', () => {
    const defaults = { main: 'allow', subagent: 'allow', unknown: 'ask' } as const;
    expect(decide(policy([], defaults), bash('ls', unknown)).decision).toBe('ask');
    expect(decide(policy([rule('allow', 'Bash(ls:*)')], defaults), bash('ls', unknown)).decision).toBe('allow');
    expect(decide(policy([rule('deny', 'Bash(ls:*)')], defaults), bash('ls', unknown)).decision).toBe('deny');
  });

  test('a selector never allows them, and denies whom it may mean, and says that it is a guess', () => {
    const agents = { type: ['coder'] };
    expect(decide(policy([rule('deny', 'Bash', { agents })]), bash('ls', unknown)).reason).toContain(
      'which may be about this agent: nobody knows which one calls',
    );
    expect(decide(policy([rule('allow', 'Bash', { agents })]), bash('ls', unknown)).decision).toBe('none');
    expect(decide(policy([rule('deny', 'Bash', { agents })], 'allow'), bash('ls', unknown)).decision).toBe('deny');
    expect(decide(policy([rule('ask', 'Bash', { agents })], 'allow'), bash('ls', unknown)).decision).toBe('ask');
    const elsewhere = { type: ['coder'], host: ['opencode'] };
    expect(decide(policy([rule('deny', 'Bash', { agents: elsewhere })], 'allow'), bash('ls', unknown)).decision).toBe(
      'allow',
    );
  });
});

describe('ancestors', () => {
  const noPush = rule('deny', 'Bash(git push:*)', { agents: { type: ['Explore'] }, reason: 'Explorers look.' });
  const below = { agent: task('coder', 2), ancestors: [main, task('Explore')] };

  test('an agent may not do what one of its ancestors may not', () => {
    const verdict = decide(
      policy([noPush, rule('allow', 'Bash(git push:*)', { agents: { type: ['coder'] } })]),
      bash('git push', below),
    );
    expect(verdict).toMatchObject({ decision: 'deny', rule: noPush });
    expect(verdict.reason).toBe(
      `Bash (git push) is denied by rule "${noPush.id}", which binds Explore and all below it: Explorers look.`,
    );
    expect(decide(policy([noPush], 'allow'), bash('git push', coder)).decision).toBe('allow');
  });

  test('unless a rule says so, for certain and in the person’s own policy', () => {
    const despite = { agents: { type: ['coder'] }, despiteAncestors: true };
    const push = bash('git push', below);
    expect(decide(policy([noPush, rule('allow', 'Bash(git push:*)', despite)]), push).decision).toBe('allow');
    expect(decide(policy([noPush, rule('none', 'Bash(git push:*)', despite)]), push).decision).toBe('none');
    expect(
      decide(policy([noPush, rule('allow', 'Bash(git push:*)', { ...despite, scope: 'project' })]), push).decision,
    ).toBe('deny');
    expect(decide(policy([noPush, rule('allow', 'Bash(git pull:*)', despite)]), push).decision).toBe('deny');
    expect(decide(policy([noPush, rule('ask', 'Bash(git p$x:*)', despite)]), bash('git $x', below)).decision).toBe(
      'deny',
    );
    const own = rule('deny', 'Bash(git push:*)', { agents: { type: ['coder'] } });
    expect(decide(policy([noPush, own, rule('allow', 'Bash', despite)]), push).decision).toBe('deny');
  });

  test('main is above every other agent, known or not', () => {
    const mainMayNot = policy([rule('deny', 'Edit', { agents: { kind: ['main'] } })], 'allow');
    const edit = (call: Partial<GuardedCall>) =>
      decide(mainMayNot, makeCall('Edit', { file_path: '/p/a' }, call)).decision;
    expect([edit({}), edit(coder), edit({ agent: task('x'), ancestors: [] })]).toEqual(['deny', 'deny', 'deny']);
  });

  test('ancestors that are missing may be anyone', () => {
    const orphan = { agent: task('coder', 3), ancestors: [main] };
    expect(decide(policy([noPush], 'allow'), bash('git push', orphan)).decision).toBe('deny');
    expect(decide(policy([noPush], 'allow'), bash('git pull', orphan)).decision).toBe('allow');
  });
});

describe('scopes', () => {
  test.each(['project', 'local'] as const)('%s rules can only tighten', (scope) => {
    expect(decide(policy([rule('allow', 'Bash', { scope })]), bash('ls')).decision).toBe('none');
    expect(decide(policy([rule('allow', 'Bash', { scope })], 'deny'), bash('ls')).decision).toBe('deny');
    expect(decide(policy([rule('none', 'Bash', { scope })], 'deny'), bash('ls')).decision).toBe('deny');
    expect(decide(policy([rule('ask', 'Bash', { scope }), rule('allow', 'Bash')]), bash('ls')).decision).toBe('ask');
    expect(decide(policy([rule('deny', 'Bash', { scope }), rule('allow', 'Bash')]), bash('ls')).decision).toBe('deny');
  });
});

describe('times', () => {
  const window = (changes: Partial<TimeWindow>): TimeWindow => ({
    days: null,
    minutes: null,
    from: null,
    until: null,
    ...changes,
  });
  // A Sunday, noon in UTC.
  const noon = Date.UTC(2026, 10, 15, 12);
  const holds = (when: TimeWindow, at = noon, offsetMinutes = 0) =>
    decide(policy([rule('allow', 'Bash', { when })]), bash('ls', { at, offsetMinutes })).decision === 'allow';

  test('days and hours by the local clock', () => {
    expect(holds(window({ days: [0] }))).toBe(true);
    expect(holds(window({ days: [1, 2, 3, 4, 5] }))).toBe(false);
    expect(holds(window({ days: [1] }), noon, 13 * 60)).toBe(true);
    expect(holds(window({ minutes: [720, 721] }))).toBe(true);
    expect(holds(window({ minutes: [700, 720] }))).toBe(false);
    expect(holds(window({ minutes: [540, 660] }), noon, -90)).toBe(true);
    expect(holds(window({ from: noon, until: noon + 1 }))).toBe(true);
    expect(holds(window({ until: noon }))).toBe(false);
    expect(holds(window({ days: [3] }), -1)).toBe(true);
  });

  test('over midnight the small hours belong to the day before', () => {
    const saturdayNight = window({ days: [6], minutes: [1320, 360] });
    expect(holds(saturdayNight, Date.UTC(2026, 10, 15, 3))).toBe(true);
    expect(holds(saturdayNight, Date.UTC(2026, 10, 14, 23))).toBe(true);
    expect(holds(saturdayNight, Date.UTC(2026, 10, 14, 3))).toBe(false);
    expect(holds(saturdayNight, noon)).toBe(false);
  });

  test('without a clock, timed rules allow nothing and deny as always', () => {
    const when = window({ days: [1] });
    expect(holds(window({ days: [0] }), Number.NaN)).toBe(false);
    expect(decide(policy([rule('deny', 'Bash', { when })], 'allow'), bash('ls', { at: Number.NaN })).decision).toBe(
      'deny',
    );
  });
});

describe('tools', () => {
  const allowed = (text: string, tool: string, input: unknown = {}) =>
    decide(policy([rule('allow', text)]), makeCall(tool, input)).decision === 'allow';
  const denied = (text: string, tool: string, input: unknown = {}) =>
    decide(policy([rule('deny', text)], 'allow'), makeCall(tool, input)).decision === 'deny';

  test('names of MCP servers, other hosts and unknown tools', () => {
    expect(allowed('mcp__x', 'mcp__x__y')).toBe(true);
    expect(allowed('mcp__x__*', 'mcp__x__y')).toBe(true);
    expect(allowed('mcp__x__y', 'mcp__x__y')).toBe(true);
    expect(allowed('mcp__x', 'mcp__xy__z')).toBe(false);
    expect(allowed('mcp__x__y', 'mcp__x__yz')).toBe(false);
    expect(allowed('opencode:todo', 'opencode:todo')).toBe(true);
    expect(allowed('TodoWrite', 'TodoWrite')).toBe(true);
    expect(allowed('TodoWrite(x)', 'TodoWrite')).toBe(false);
    expect(denied('TodoWrite(x)', 'TodoWrite')).toBe(true);
    expect(denied('mcp__x', 'mcp__y__z')).toBe(false);
  });

  test('types of agents', () => {
    expect(allowed('Agent(Explore)', 'Agent', { subagent_type: 'Explore' })).toBe(true);
    expect(allowed('Task(Explore)', 'Agent', { subagent_type: 'Explore' })).toBe(true);
    expect(allowed('Agent(Explore)', 'Task', { subagent_type: 'coder' })).toBe(false);
    expect(allowed('Agent(Explore)', 'Agent', {})).toBe(false);
    expect(denied('Agent(Explore)', 'Agent', {})).toBe(true);
    expect(denied('Agent(Explore)', 'Agent', { subagent_type: 'coder' })).toBe(false);
  });

  test('domains', () => {
    const to = (url: string) => ({ url });
    expect(allowed('WebFetch(domain:example.com)', 'WebFetch', to('https://example.com/a'))).toBe(true);
    expect(allowed('WebFetch(domain:example.com)', 'WebFetch', to('https://api.example.com/a'))).toBe(false);
    expect(allowed('WebFetch(domain:*.example.com)', 'WebFetch', to('https://api.example.com/a'))).toBe(true);
    expect(allowed('WebFetch(domain:example.com)', 'WebFetch', to('https://example.com.evil.net'))).toBe(false);
    expect(allowed('WebFetch(domain:example.com)', 'WebFetch', to('https://example.com@evil.net'))).toBe(false);
    expect(allowed('WebFetch(domain:example.com)', 'WebFetch', {})).toBe(false);
    expect(allowed('WebFetch(domain:example.com)', 'Bash', { command: 'curl https://example.com' })).toBe(false);
    expect(denied('WebFetch(domain:example.com)', 'WebFetch', {})).toBe(true);
  });
});

describe('opaque parts', () => {
  const asking = (rules: readonly Rule[], opaque: Opaque = 'ask', defaults: Decision = 'none') => ({
    ...policy(rules, defaults),
    opaque,
  });
  const noPush = rule('deny', 'Bash(git push:*)');

  test.each([
    ['$command', 'ask'],
    ['git $verb', 'ask'],
    ['git push $branch', 'deny'],
    ['"$(cat name)" push', 'ask'],
    ['"$(which git)" push', 'deny'],
    ['sh -c "$code"', 'ask'],
    ['sh -c "git push"', 'deny'],
    ['ls $folder', 'none'],
    ['hyperfine "git push"', 'ask'],
  ])('%s → %s', (command, decision) => {
    expect(decide(asking([noPush]), bash(command)).decision).toBe(decision);
  });

  test.each([
    ['cat "$file"', 'ask'],
    ['cat .env', 'deny'],
    ['cat src/*.ts', 'none'],
  ])('files: %s → %s', (command, decision) => {
    expect(decide(asking([rule('deny', 'Read(//**/.env)')]), bash(command)).decision).toBe(decision);
  });

  test('a rule may say otherwise than its policy', () => {
    const call = bash('$command');
    const said = (own: Opaque, whole: Opaque) =>
      decide(asking([rule('deny', 'Bash(git push:*)', { opaque: own })], whole), call).decision;
    expect([said('deny', 'ask'), said('none', 'deny'), said('ask', 'none')]).toEqual(['deny', 'none', 'ask']);
  });

  test('never become stricter than the rule', () => {
    expect(decide(asking([rule('ask', 'Bash(git push:*)')], 'deny'), bash('$command')).decision).toBe('ask');
  });

  test('are not allowed when they are left alone', () => {
    const rules = [rule('allow', 'Bash'), rule('deny', 'Bash(git push:*)', { opaque: 'none' })];
    expect(decide(asking(rules), bash('$command')).decision).toBe('none');
    expect(decide(asking(rules), bash('ls')).decision).toBe('allow');
  });

  test('do not loosen a default', () => {
    expect(decide(asking([noPush], 'ask', 'deny'), bash('$command')).decision).toBe('deny');
  });

  test('are asked about for an agent below one that may not', () => {
    const rules = [rule('deny', 'Bash(git push:*)', { agents: { type: ['planner'] } })];
    const call = bash('$command', { agent: task('coder', 2), ancestors: [main, task('planner')] });
    expect(decide(asking(rules), call)).toMatchObject({ decision: 'ask', ancestor: 'planner' });
  });

  test('are quoted in the reason', () => {
    expect(
      decide(asking([rule('deny', 'Read(.env)', { name: 'no secrets' })]), bash('ls; sh -c "$code" x')).reason,
    ).toBe(
      'Bash (sh -c "$code" x: what sh runs cannot be told) must be asked about by rule "no secrets", which may be about it.',
    );
  });
});

describe('reasons', () => {
  test('one sentence with the rule’s own reason', () => {
    const named = rule('deny', 'Bash(rm:*)', { name: 'no deleting', reason: 'Ask a person first.' });
    expect(decide(policy([named], 'allow'), bash('ls; rm -rf x')).reason).toBe(
      'Bash (rm -rf x) is denied by rule "no deleting": Ask a person first.',
    );
    expect(decide(policy([named], 'allow'), bash('$x')).reason).toBe(
      'Bash ($x, which is only known when it runs) is denied by rule "no deleting", which may be about it: Ask a person first.',
    );
    expect(decide(policy([named], 'allow'), bash("env -S 'rm -rf x'")).reason).toBe(
      'Bash (env -S runs "rm -rf x") is denied by rule "no deleting": Ask a person first.',
    );
    expect(decide(policy([named], 'allow'), bash("zip a b -TT 'rm x;'")).reason).toBe(
      'Bash (zip may run "rm x") is denied by rule "no deleting", which may be about it: Ask a person first.',
    );
    expect(decide(policy([], 'ask'), bash('ls', coder)).reason).toBe(
      'Bash (ls) must be asked about: no rule says otherwise for coder.',
    );
  });

  test('explain tells every rule that was looked at, and decides the same', () => {
    const rules = [
      rule('allow', 'Bash(git log:*)', { id: 'a' }),
      rule('allow', 'Read', { id: 'b' }),
      rule('deny', 'Bash', { id: 'c', agents: { type: ['Explore'] } }),
      rule('allow', 'Bash', { id: 'd', when: { days: [], minutes: null, from: null, until: null } }),
      rule('allow', 'Bash(git $x)', { id: 'e' }),
    ];
    const call = bash('git $x', coder);
    const verdict = explain(policy(rules), call);
    expect(verdict.decision).toBe(decide(policy(rules), call).decision);
    const told = verdict.tried.map(({ rule: id, part, as, outcome }) => `${id} ${part}, ${as}: ${outcome}`);
    expect(told.slice(0, 6)).toEqual([
      'c Bash, coder: other agent',
      'c Bash, main: other agent',
      'd Bash, coder: other time',
      'a git $x, coder: not known enough',
      'b git $x, coder: other tool',
      'e git $x, coder: not known enough',
    ]);
    expect(decide(policy(rules), call).tried).toEqual([]);
  });

  test('a denied line offers what would allow exactly this', () => {
    expect(suggestRule(bash('git push origin main'))?.patterns).toEqual(['Bash(git push origin main)']);
    expect(suggestRule(bash('git commit -m "a b" && ls'))?.patterns).toEqual(['Bash(git commit -m "a b")', 'Bash(ls)']);
    expect(suggestRule(bash('sudo rm x'))?.patterns).toEqual(['Bash(sudo rm x)']);
    expect(suggestRule(bash('cat $x > out/a'))?.patterns).toEqual(['Bash(cat *)', 'Edit(/out/a)']);
    expect(suggestRule(bash('$x'))).toBeNull();
    expect(suggestRule(bash("python3 -c 'x'"))).toBeNull();
    expect(suggestRule(makeCall('Edit', { file_path: '/p/src/[id].ts' }))?.patterns).toEqual([
      'Edit(/src/\\[id\\].ts)',
    ]);
    expect(suggestRule(makeCall('Read', { file_path: '~/a' }))?.patterns).toEqual(['Read(~/a)']);
    expect(suggestRule(makeCall('Read', { file_path: '/etc/a' }))?.patterns).toEqual(['Read(//etc/a)']);
    expect(suggestRule(makeCall('WebFetch', { url: 'https://example.com' }))?.patterns).toEqual([
      'WebFetch(domain:example.com)',
    ]);
    expect(suggestRule(makeCall('Agent', { subagent_type: 'Explore' }))?.patterns).toEqual(['Agent(Explore)']);
    expect(suggestRule(makeCall('mcp__x__y', {}))?.patterns).toEqual(['mcp__x__y']);
  });
});
