import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import type { GuardedCall } from '../policy.ts';
import { UNNAMEABLE } from '../suggest-rule.ts';
import { bash, main, makeCall, task } from '../testing/make-call.ts';
import { compilePolicy } from './compile.ts';
import { suggestPolicy } from './suggest-policy.ts';
import { options, source } from './testing/sources.ts';

const coder = { agent: task('coder'), ancestors: [main] };
const SECRET = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
const suggest = (...calls: readonly GuardedCall[]) =>
  suggestPolicy(
    calls.map((call) => ({ call })),
    ['for a test'],
  );
function compiled(yaml: string) {
  const { policy, problems } = compilePolicy(options(source('user', yaml)));
  expect(problems).toEqual([]);
  return policy;
}

describe('the smallest policy for some calls', () => {
  it('allows each of them, to its own agents, and asks about others', () => {
    const calls = [
      bash('git log | head -3 > out.txt'),
      bash('npm test -- "a b"', coder),
      bash('git commit -m "a\nb"', coder),
      bash('sudo rm -rf build', coder),
      makeCall('Edit', { file_path: 'src/[id].ts' }, coder),
      makeCall('Read', { file_path: '/etc/hosts' }),
      makeCall('WebFetch', { url: 'https://example.com/x' }),
      makeCall('Agent', { subagent_type: 'coder' }),
      makeCall('mcp__x__y', { a: 1 }),
      makeCall('opencode:todo', {}, { agent: { ...task('x'), type: null, kind: 'fork' }, ancestors: [main] }),
    ];
    const { yaml, rules, left } = suggest(...calls, ...calls);
    expect(left).toEqual([]);
    const policy = compiled(yaml);
    expect(policy.rules).toHaveLength(rules);
    expect(calls.map((call) => decide(policy, call).decision)).toEqual(calls.map(() => 'allow'));
    const others = [
      bash('npm test -- "a b"'),
      bash('git log', coder),
      bash('git log | head -3 > other.txt'),
      makeCall('Edit', { file_path: 'src/x.ts' }, coder),
      makeCall('Agent', { subagent_type: 'other' }),
      bash('git log', { agent: null, ancestors: [] }),
    ];
    expect(others.map((call) => decide(policy, call).decision)).toEqual(others.map(() => 'ask'));
  });

  it('has a rule for each type of agent and tool, each pattern once, and none that another makes needless', () => {
    const { yaml } = suggest(bash('cat a'), bash('cat $x'), bash('cat a && ls'), bash('ls'), bash('ls', coder));
    const rules = compiled(yaml).rules.map(({ name, tools }) => [name, tools.map(({ text }) => text)]);
    expect(rules).toEqual([
      ['main: Bash', ['Bash(cat *)', 'Bash(ls)']],
      ['coder: Bash', ['Bash(ls)']],
    ]);
  });

  it('names what it could not turn into a rule, without its secrets, in a file that is still one', () => {
    const { yaml, left, rules } = suggest(
      bash('eval "$x"'),
      bash(`login ${SECRET}`),
      bash(`ls ${'x'.repeat(2_000)}`),
      bash('ls \u202e'),
      bash('ls', { agent: null, ancestors: [] }),
      bash('ls', { agent: task('a*'), ancestors: [main] }),
    );
    expect(rules).toBe(0);
    expect(compiled(yaml).rules).toEqual([]);
    expect(yaml).not.toContain(SECRET);
    expect(left.map(({ agent, reason }) => [agent, reason])).toEqual([
      ['main', expect.any(String)],
      ['main', 'a secret is in it'],
      ['main', UNNAMEABLE],
      ['main', UNNAMEABLE],
      ['unknown', expect.stringContaining('nobody knows')],
      ['a*', expect.any(String)],
    ]);
    expect(yaml.match(/^# {3}/gm)).toHaveLength(6);
  });

  it('is a valid policy when there are no calls', () => {
    expect(compiled(suggest().yaml).rules).toEqual([]);
  });
});
