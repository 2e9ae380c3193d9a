// At random: nothing throws, nothing is allowed that no rule allows, and a rule more never loosens what it may not.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsOf } from '../lib/testing/seed.ts';
import { decide, explain } from './decide.ts';
import { areForOthers, namesOf } from './match/command-pattern.ts';
import { holdsTool, partsOf } from './match/tool-pattern.ts';
import { type Decision, defaultOf } from './policy.ts';
import { aboutCaller, hasRuleFor } from './pre-check.ts';
import { suggestPatterns } from './suggest-rule.ts';
import { bash, pattern, policy, rule } from './testing/make-call.ts';
import { calls, commands, hiding, policies, rules } from './testing/random-calls.ts';
import { unknownScripts } from './testing/random-ls.ts';

const numRuns = runsOf(2_000);
const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, none: 1, ask: 2, deny: 3 };

function check<Values extends [unknown, ...unknown[]]>(
  arbitraries: { [Key in keyof Values]: fc.Arbitrary<Values[Key]> },
  holds: (...values: Values) => void,
) {
  fc.assert(
    fc.property(fc.tuple(...arbitraries) as unknown as fc.Arbitrary<Values>, (values) => holds(...values)),
    { numRuns },
  );
}

test('every call gets a decision and a sentence, and no allow is without a rule or a default', () => {
  check([policies, calls], (policy, call) => {
    const verdict = decide(policy, call);
    expect(verdict.decision in STRICTNESS).toBe(true);
    expect(verdict.reason).toMatch(/^[^\n]+\.$/);
    if (verdict.decision !== 'allow') return;
    const byDefault =
      call.agent === null ? policy.defaults.unknown : policy.defaults[call.agent.kind === 'main' ? 'main' : 'subagent'];
    const allows = policy.rules.filter(
      ({ decision, scope }) => decision === 'allow' && (scope === 'user' || scope === 'preset'),
    );
    for (const { part, needsAllow } of partsOf(call)) {
      if (!needsAllow || byDefault === 'allow') continue;
      expect(
        allows.some(({ tools }) => tools.length === 0 || tools.some((tool) => holdsTool(tool, part, call, 'must'))),
      ).toBe(true);
    }
  });
});

test('without an allow nothing is allowed', () => {
  check([policies, calls], (policy, call) => {
    const strict = {
      ...policy,
      rules: policy.rules.filter(({ decision }) => decision !== 'allow'),
      defaults: { main: 'none', subagent: 'none', unknown: 'none' } as const,
    };
    expect(decide(strict, call).decision).not.toBe('allow');
  });
});

test('one more deny, or any rule of a project, never loosens', () => {
  check([policies, calls, rules], (policy, call, more) => {
    const before = STRICTNESS[decide(policy, call).decision];
    const stricter = [
      { ...more, decision: 'deny' as const },
      { ...more, scope: 'project' as const },
    ];
    for (const added of stricter)
      for (const list of [
        [...policy.rules, added],
        [added, ...policy.rules],
      ])
        expect(STRICTNESS[decide({ ...policy, rules: list }, call).decision]).toBeGreaterThanOrEqual(before);
  });
});

test('explaining decides the same', () => {
  check([policies, calls], (policy, call) => {
    const { tried: _, ...verdict } = decide(policy, call);
    expect(explain(policy, call)).toMatchObject(verdict);
  });
});

test('what no rule concerns is decided by the default, whatever it does', () => {
  let unconcerned = 0;
  check([policies, calls], (policy, call) => {
    if (hasRuleFor(policy, call)) return;
    unconcerned++;
    expect(decide(policy, call)).toMatchObject({ decision: defaultOf(policy, call), rule: null });
  });
  expect(unconcerned).toBeGreaterThan(numRuns / 100);
});

test('rules about other agents can be left out unseen', () => {
  let left = 0;
  check([policies, calls], (policy, call) => {
    const isAbout = aboutCaller(call);
    const own = policy.rules.filter(({ agents }) => isAbout(agents));
    if (own.length < policy.rules.length) left++;
    expect(decide({ ...policy, rules: own }, call)).toEqual(decide(policy, call));
  });
  expect(left).toBeGreaterThan(numRuns / 100);
});

test('rules about other commands can be left out unseen', () => {
  let left = 0;
  check([policies, calls], (policy, call) => {
    const names = namesOf(call.uses);
    const own = policy.rules.filter(({ tools }) => names === null || !areForOthers(tools, names));
    if (own.length < policy.rules.length) left++;
    expect(decide({ ...policy, rules: own }, call)).toEqual(decide(policy, call));
  });
  expect(left).toBeGreaterThan(numRuns / 100);
});

test('a denied command in constructs in constructs stays denied', () => {
  const denying = policy([rule('deny', 'Bash(rm:*)')], 'allow');
  check([hiding('rm -rf x')], (command) => {
    expect(decide(denying, bash(command)).decision).toBe('deny');
  });
});

test('a command that nothing allows is not allowed by what allows all around it', () => {
  const names = [
    'ls',
    'cat',
    'sh',
    'bash',
    'find',
    'xargs',
    'sudo',
    'timeout',
    'ssh',
    'git',
    'f',
    'eval',
    'trap',
    'echo',
    'cd',
  ];
  const allowing = policy([...names.map((name) => rule('allow', `Bash(${name}:*)`)), rule('allow', 'Edit')]);
  check([hiding('unheard-of x')], (command) => {
    expect(decide(allowing, bash(command)).decision).not.toBe('allow');
  });
});

test('a command that is not understood, or runs more than ls, is not allowed by a rule for ls', () => {
  const allowing = policy([rule('allow', 'Bash(ls:*)')]);
  check([unknownScripts], (command) => {
    expect(decide(allowing, bash(command)).decision).not.toBe('allow');
  });
});

test('a suggested rule allows exactly this call', () => {
  check([commands], (command) => {
    const call = bash(command);
    const suggested = suggestPatterns(call);
    if (typeof suggested === 'string') return;
    const tools = suggested.patterns.map((text) => pattern(text));
    expect(decide(policy([{ ...rule('allow', []), tools }]), call).decision).toBe('allow');
  });
});
