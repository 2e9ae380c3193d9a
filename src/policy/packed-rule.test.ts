import { expect, it } from 'vitest';
import { compilePolicy } from './compile.ts';
import { packRules, unpackRules } from './packed-rule.ts';
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
    otherwise: deny
  - { decision: allow, despite_ancestors: true, tell_identity: true }
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
  expect(packed.rules.find(({ id }) => id === 'user:1')).toEqual({ id: 'user:1', decision: 'none', line: 4 });
  const [one, other] = ['user:5', 'user:6'].map((id) => unpacked.find((rule) => rule.id === id)?.agents);
  expect(one).toEqual({ type: ['x'] });
  expect(one).toBe(other);
});

it('what is no rule is not taken for one', () => {
  const files = {};
  expect(() => unpackRules({ selectors: [], rules: [{ id: 'user:1', decision: 'deny', agents: 0 }] }, files)).toThrow();
  const odd = { id: 'user:1', decision: 'maybe' as 'deny' };
  expect(() => unpackRules({ selectors: [], rules: [odd] }, files)).toThrow();
});
