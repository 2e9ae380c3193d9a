import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Payload, recordedHooks } from '../testing/recorded-hooks.ts';
import { hooks } from './hooks.ts';

// Recorded: main looks around, starts a sub-agent, and that one another (`fixtures`: hooks, and what the rollouts held of them).

const folder = fileURLToPath(new URL('hooks/fixtures/', import.meta.url));
const payloadsOf = (name: string): readonly Payload[] =>
  recordedHooks(`${folder}${name}/hooks.jsonl`, { '/home/dev/codex': `${folder}${name}` }).filter(
    ({ hook_event_name }) => hook_event_name === 'PreToolUse',
  );
const commandOf = (payload: Payload): unknown => (payload['tool_input'] as Payload)['command'];
const withCommand = (name: string, command: string): Payload => {
  const found = payloadsOf(name).findLast((payload) => commandOf(payload) === command);
  if (!found) throw new Error(`nobody ran ${command}`);
  return found;
};

describe.each(['0.124.0', '0.131.0', '0.166.0'])('Codex %s', (name) => {
  const [first = {}] = payloadsOf(name);
  const session = `codex:${/([0-9a-f-]{36})\.jsonl$/.exec(String(first['transcript_path']))?.[1]}`;

  it('every call is of the one session, by an agent that is known', () => {
    for (const payload of payloadsOf(name)) {
      const event = hooks.read(payload);
      expect(event).toMatchObject({
        host: 'codex',
        session,
        caller: { named: 'agent' },
        call: { id: payload['tool_use_id'] },
      });
      expect(hooks.callerOf(payload)).not.toHaveProperty('reason');
    }
  });

  it('main is main, and who is below it is known to the top', () => {
    expect(hooks.callerOf(first)).toEqual({
      agent: { id: session.slice(6), kind: 'main', type: null, name: null, depth: 0 },
      ancestors: [],
      project: '/home/dev/project',
    });
    const leaf = hooks.callerOf(withCommand(name, 'echo leaf'));
    expect(leaf.agent).toMatchObject({ kind: 'task', type: 'worker', depth: 2 });
    expect(leaf.ancestors).toMatchObject([{ kind: 'main' }, { kind: 'task', type: 'worker', depth: 1 }]);
    expect(leaf.project).toBe('/home/dev/project');
  });

  it('a command runs where its call says, which only newer hooks do', () => {
    const payload = withCommand(name, 'pwd');
    expect(payload['cwd']).toBe(name === '0.166.0' ? '/home/dev/project/src' : '/home/dev/project');
    expect(hooks.read(payload)?.cwd).toBe('/home/dev/project/src');
    expect(hooks.read(first)?.cwd).toBe('/home/dev/project');
  });
});

describe('what is not known', () => {
  const [first = {}] = payloadsOf('0.166.0');

  it('is not claimed: neither who it is without a rollout, nor the folder of a command whose call cannot be seen', () => {
    const payload = { ...first, transcript_path: null };
    expect(hooks.callerOf(payload)).toMatchObject({ agent: null, project: '/home/dev/project' });
    expect(hooks.read(payload)).toMatchObject({ caller: { named: 'nobody' } });
    expect(hooks.read(payload)).not.toHaveProperty('cwd');
    expect(hooks.read({ ...first, tool_use_id: 'call_other' })).not.toHaveProperty('cwd');
  });

  it('an agent that the hook names is that agent, also where its rollout is gone', () => {
    const payload = { ...withCommand('0.166.0', 'echo leaf'), transcript_path: '/gone.jsonl' };
    expect(hooks.callerOf(payload)).toMatchObject({
      agent: { type: 'worker', depth: null },
      ancestors: [{ kind: 'main' }],
      reason: 'not all agents above it are known',
    });
  });

  it.each([undefined, null, 7, [], {}, { hook_event_name: 'PreToolUse' }])('%j is no call', (payload) => {
    expect(hooks.read(payload)).toBeUndefined();
    expect(hooks.callerOf(payload).agent).toBeNull();
  });
});

it('version 2 of the agent tools: the name that the caller gave', () => {
  const inner = payloadsOf('0.166.0-v2').find((payload) => payload['agent_id'] !== undefined);
  expect(hooks.callerOf(inner).agent).toMatchObject({ kind: 'task', name: 'tour_inside', depth: 1 });
});

it('what is kept for the tree: who asks, and the end', () => {
  const rollout = String(payloadsOf('0.124.0')[0]?.['transcript_path']);
  const asks = { hook_event_name: 'PermissionRequest', session_id: 's', transcript_path: rollout };
  expect(hooks.condense(asks)).toEqual({ asks: /([0-9a-f-]{36})\.jsonl$/.exec(rollout)?.[1] });
  expect(hooks.condense({ ...asks, agent_id: 'a' })).toEqual({ asks: 'a' });
  expect(hooks.condense({ ...asks, hook_event_name: 'SessionEnd' })).toEqual({ closes: true });
  expect(hooks.condense({ ...asks, hook_event_name: 'PreToolUse' })).toBeUndefined();
});

it('an ask is a no, and a yes is silent: what Codex does not know it takes for a failure, and runs the call', () => {
  const say = (decision: 'allow' | 'ask' | 'deny' | 'none', input?: unknown) => {
    const text = hooks.formatAnswer({ decision, reason: 'So.', ...(input !== undefined && { input }) });
    return text === '' ? '' : JSON.parse(text).hookSpecificOutput;
  };
  expect(say('deny')).toMatchObject({ permissionDecision: 'deny', permissionDecisionReason: 'So.' });
  expect(say('ask')).toMatchObject({ permissionDecision: 'deny' });
  expect([say('allow'), say('none')]).toEqual(['', '']);
  expect(say('none', { command: 'x' })).toMatchObject({ permissionDecision: 'allow', updatedInput: { command: 'x' } });
});
