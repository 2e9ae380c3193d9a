import { describe, expect, it } from 'vitest';
import { GUARDED_HOSTS } from '../hosts/guarded-hosts.ts';
import { agentsTold } from './identity.ts';
import { judgeCall } from './judge-call.ts';
import { compilePolicy } from './policy/compile.ts';
import { readYaml } from './policy/read-yaml.ts';

// The main agent of a session that a command started: whoever is above it, in the session of another host, binds it.

const host = GUARDED_HOSTS['claude-code'] as NonNullable<(typeof GUARDED_HOSTS)[string]>;

const POLICY = `version: 1
rules:
  - { agents: { type: coder }, tools: "Bash(rm:*)", decision: deny, reason: Coders keep files. }
  - { agents: { under: { type: chief } }, tools: "Bash(make:*)", decision: allow }
  - { agents: { under: { type: novice } }, tools: "Bash(make:*)", decision: ask }
`;

function decisionOf(command: string, told: string | undefined): string {
  const content = Buffer.from(POLICY);
  const source = { scope: 'user' as const, file: '/home/dev/policy.yaml', root: null, content };
  const { policy, problems } = compilePolicy({
    sources: [source],
    home: '/home/dev',
    resolve: (place) => place,
    readYaml,
  });
  expect(problems).toEqual([]);
  const payload = {
    session_id: 'inner',
    transcript_path: '/nowhere/inner.jsonl',
    cwd: '/home/dev/app',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
  };
  const caller = { agent: { id: 'inner', kind: 'main', type: null, name: null, depth: 0 }, ancestors: [] };
  return judgeCall(host.read(payload), {
    host,
    caller,
    above: { agents: agentsTold(told), isPartial: false },
    policyFor: () => policy,
    home: '/home/dev',
    at: 0,
  }).decision;
}

describe('agents above a session that a command started', () => {
  it('forbid it what they may not do themselves', () => {
    expect(decisionOf('rm -rf build', undefined)).toBe('none');
    expect(decisionOf('rm -rf build', 'opencode:s:a:main/coder')).toBe('deny');
    expect(decisionOf('rm -rf build', 'opencode:s:a:main/coder/explorer')).toBe('deny');
    expect(decisionOf('rm -rf build', 'opencode:s:a:main/explorer')).toBe('none');
    expect(decisionOf('rm -rf build', 'opencode:s:a:main/?/explorer')).toBe('deny');
  });

  it('allow it nothing: anybody can say that they are there', () => {
    expect(decisionOf('make all', 'claude-code:s:a:main/chief')).toBe('none');
    expect(decisionOf('make all', 'claude-code:s:a:main/novice')).toBe('ask');
  });

  it.each(['', 'main', 'a:b:c', 'a:b:c:', 'a:b:c:d:e', `a:b:c:${'x'.repeat(3_000)}`])(
    'nothing is made of %j',
    (told) => {
      expect(agentsTold(told)).toEqual([]);
    },
  );
});
