import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GuardedAgent, GuardedCall } from '../guard/call.ts';
import { decide } from '../guard/decide.ts';
import { type Part, partsOf } from '../guard/match/parts.ts';
import type { Policy } from '../guard/policy.ts';
import { bash, main, makeCall, policy, rule, task } from '../guard/testing/make-call.ts';
import { calls, policies } from '../guard/testing/random-calls.ts';
import { compilePolicy } from './compile.ts';
import { suggestAllow } from './suggest-allow.ts';
import { options, source } from './testing/sources.ts';

const numRuns = Number(process.env['TROUPE_FUZZ_CALLS'] ?? 3000);
const FILE = '/home/dev/.config/troupe/policy.yaml';

/** With the rule as a person would paste it. */
function withRule({ rules, ...rest }: Policy, yaml: string): Policy {
  const text = `version: 1\nrules:\n${yaml.replace(/^(?=.)/gm, '  ')}`;
  const { policy, problems } = compilePolicy(options(source('user', text)));
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return { ...rest, rules: [...rules, ...policy.rules] };
}

/** A pattern is for a command however it is run, and for a file whatever tool reads it, or writes it. */
function isNamed(part: Part, known: Part): boolean {
  if (part.kind === 'command') return known.kind === 'command' && part.command.form === known.command.form;
  if ((part.kind === 'read' || part.kind === 'write') && part.kind === known.kind)
    return part.used.path === known.used.path || part.used.path.startsWith(`${known.used.path}/`);
  return part.kind === known.kind;
}

/** It needs nothing that the call needs, too: of `a; b`, allowing `a` may be all that was missing. */
function differs(other: GuardedCall, call: GuardedCall): boolean {
  const known = partsOf(call);
  return partsOf(other).every(({ part, needsAllow }) => !needsAllow || !known.some((one) => isNamed(part, one.part)));
}

describe('the rule that would allow exactly this', () => {
  it('allows it once what stands in the way is gone, and changes nothing for others', () => {
    fc.assert(
      fc.property(policies, calls, calls, (given, call, another) => {
        if (!['deny', 'ask'].includes(decide(given, call).decision)) return;
        const { yaml, reason, stands, note, file } = suggestAllow(given, call, FILE);
        expect(yaml === null).toBe(reason !== null);
        if (yaml === null) return;
        expect(file).toBe(FILE);
        const left = { ...given, rules: given.rules.filter(({ id }) => stands.every((one) => one.id !== id)) };
        expect(decide(withRule(left, yaml), call).decision).toBe('allow');
        // As long as they stand, it is not allowed.
        if (stands.length > 0) expect(decide(withRule(given, yaml), call).decision).not.toBe('allow');
        const others: GuardedCall[] = [
          {
            ...call,
            agent: call.agent?.kind === 'main' ? task('other') : { ...(call.agent as GuardedAgent), type: 'other' },
          },
          { ...call, agent: null, ancestors: [] },
          { ...call, project: '/elsewhere' },
          ...(note === null && differs(another, call) ? [another] : []),
        ];
        for (const other of others) expect(decide(withRule(given, yaml), other)).toMatchObject(outcomeOf(given, other));
      }),
      { numRuns },
    );
  });

  it('names all that an agent above may not do, not only the command', () => {
    const noEdits = policy([rule('deny', ['Edit', 'Read(.env)', 'WebFetch'], { agents: { type: ['planner'] } })]);
    const coder = { agent: task('coder', 2), ancestors: [main, task('planner')] };
    const allowed = (call: GuardedCall) => {
      const { yaml, stands } = suggestAllow(noEdits, call, FILE);
      expect(stands).toEqual([]);
      expect(decide(withRule(noEdits, yaml ?? ''), call).decision).toBe('allow');
      return yaml;
    };
    expect(allowed(bash('rm -rf build', coder))).toContain('Edit(/build/**)');
    expect(allowed(bash('cp a b > log', coder))).toContain('despite_ancestors: true');
    expect(allowed(bash('cat .env', coder))).toContain('Read(/.env)');
    expect(allowed(bash('curl https://example.com/x', coder))).toContain('WebFetch(domain:example.com)');
    expect(allowed(makeCall('Edit', { file_path: 'src/a.ts' }, coder))).toContain('Edit(/src/a.ts)');
    expect(suggestAllow(noEdits, bash('curl "https://$x"', coder), FILE).yaml).toBeNull();
  });

  it('says which rules no allow gets past, and that a project cannot be loosened', () => {
    const own = policy([rule('deny', 'Bash(rm:*)', { name: 'no rm' }), rule('ask', 'Edit')]);
    expect(suggestAllow(own, bash('rm x'), FILE).stands.map(({ name }) => name)).toEqual(['no rm', null]);
    const ofProject = policy([rule('ask', 'Bash(rm:*)', { scope: 'project', name: 'theirs' })]);
    expect(suggestAllow(ofProject, bash('rm x'), FILE)).toMatchObject({
      yaml: null,
      file: null,
      reason: expect.stringContaining('has to be changed there'),
      stands: [{ name: 'theirs' }],
    });
  });

  it('says where it would allow more, and where nobody can be named', () => {
    const asking = policy([], 'ask');
    expect(suggestAllow(asking, bash('npm test'), FILE).note).toBeNull();
    expect(suggestAllow(asking, bash('cat $x'), FILE).note).toContain('Other calls fit it');
    expect(suggestAllow(asking, makeCall('mcp__x__y', {}), FILE).note).toContain('Other calls fit it');
    const untyped: GuardedAgent = { kind: 'task', type: null, name: null, depth: 1 };
    expect(suggestAllow(asking, bash('ls', { agent: untyped, ancestors: [main] }), FILE).reason).toContain(
      'type is not known',
    );
    const named = suggestAllow(asking, bash('ls', { agent: { ...untyped, name: 'ann' }, ancestors: [main] }), FILE);
    expect(named.yaml).toContain('name: ann');
    expect(suggestAllow(asking, bash('ls', { agent: null, ancestors: [] }), FILE).reason).toContain('Nobody knows who');
  });
});

function outcomeOf(given: Policy, call: GuardedCall) {
  const { decision, rule: won } = decide(given, call);
  return { decision, rule: won };
}
