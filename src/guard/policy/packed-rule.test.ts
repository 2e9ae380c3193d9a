import { expect, it } from 'vitest';
import { compilePolicy } from './compile.ts';
import { packRules, unpackRules } from './packed-rules.ts';
import { listPresets } from './presets.ts';

const TEXT = `version: 1
presets: [${listPresets().map(({ name }) => name)}]
rules:
  - { decision: none }
  - name: all of it
    agents: { kind: task, type: [a, "b*"], name: c, depth: ">=2", host: claude-code, project: ~/x, under: { type: d } }
    tools: [Bash, "Bash(git (x) push:*)", "Edit(*)", mcp__x__*, "opencode:todo"]
    decision: ask
    reason: Because.
    when: { days: mon-fri, hours: "22:00-06:00", from: 2026-11-30 }
    wait: 5m
    on_timeout: deny
  - { decision: allow, despite_ancestors: true, inject_identity: true }
  - { decision: deny, own_calls_only: true }
  - { decision: deny, agents: { type: x } }
  - { decision: ask, agents: { type: x } }
`;

it('rules are the same after they were packed, and far shorter', () => {
  const file = '/home/dev/.config/troupe/policy.yaml';
  const source = { scope: 'user' as const, file, root: null, content: Buffer.from(TEXT) };
  const { policy, problems } = compilePolicy({ sources: [source], home: '/home/dev' });
  expect(problems).toEqual([]);
  const packed: ReturnType<typeof packRules> = JSON.parse(JSON.stringify(packRules(policy.rules)));
  const unpacked = unpackRules(packed, { user: file });
  expect(unpacked).toEqual(policy.rules);
  const first = packed.flatMap(({ rules }) => rules).find(({ id }) => id === 'user:1');
  expect(first).toEqual({ at: expect.any(Number), id: 'user:1', decision: 'none', line: 4 });
  const [one, other] = ['user:5', 'user:6'].map((id) => unpacked.find((rule) => rule.id === id)?.agents);
  expect(one).toEqual({ type: ['x'] });
  expect(one).toBe(other);
});

it('rules about others can be left out, and the rest keeps its order', () => {
  const source = { scope: 'user' as const, file: '/p.yaml', root: null, content: Buffer.from(TEXT) };
  const { policy } = compilePolicy({ sources: [source], home: '/home/dev' });
  const packed = packRules(policy.rules).filter(({ agents }) => agents?.type?.[0] !== 'x');
  const isLeft = (id: string): boolean => id !== 'user:5' && id !== 'user:6';
  expect(packed.length).toBeGreaterThan(2);
  expect(unpackRules(packed, { user: '/p.yaml' }).map(({ id }) => id)).toEqual(
    policy.rules.map(({ id }) => id).filter(isLeft),
  );
});

it('what is no rule is not taken for one', () => {
  const rule = { at: 0, id: 'user:1', decision: 'deny' as const };
  expect(unpackRules([{ agents: null, command: null, rules: [rule] }], {})).toMatchObject([{ id: 'user:1' }]);
  expect(() => unpackRules([{ agents: 0 as never, command: null, rules: [rule] }], {})).toThrow();
  expect(() =>
    unpackRules([{ agents: null, command: null, rules: [{ ...rule, decision: 'maybe' as 'deny' }] }], {}),
  ).toThrow();
});
