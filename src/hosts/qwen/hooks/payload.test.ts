import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Payload, recordedHooks } from '../../testing/recorded-hooks.ts';
import { hookSettings, hooks } from './index.ts';

// Recorded: main looks around, starts a sub-agent, and that one another where the version lets it.

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));
const callsOf = (version: string): readonly Payload[] =>
  recordedHooks(`${fixtures}${version}/hooks.jsonl`, {
    '/home/dev/home/.qwen': `${fixtures}${version}`,
  }).filter(({ hook_event_name }) => hook_event_name === 'PreToolUse');
const leafOf = (version: string): Payload | undefined =>
  callsOf(version).find((payload) => JSON.stringify(payload['tool_input']).includes('echo leaf'));

// 0.21.2 names nobody, but the call stands in its agent's file by then.
describe.each(['0.21.2', '0.24.4'])('Qwen Code %s', (version) => {
  it('main and sub-agents are known, and who is above them', () => {
    const [first = {}] = callsOf(version);
    expect(hooks.callerOf(first)).toEqual({
      agent: { id: first['session_id'], kind: 'main', type: null, name: null, depth: 0 },
      ancestors: [],
      project: '/home/dev/project',
    });
    const leaf = hooks.callerOf(leafOf(version));
    expect(leaf.agent).toMatchObject({ kind: 'task', type: 'general-purpose', depth: 2 });
    expect(leaf.ancestors).toMatchObject([{ kind: 'main' }, { kind: 'task', type: 'general-purpose', depth: 1 }]);
    expect(leaf).not.toHaveProperty('reason');
  });

  it('calls have the ids of the transcript, and tools the names that rules use', () => {
    for (const payload of callsOf(version)) {
      const { call } = hooks.read(payload) ?? {};
      expect(call?.id).toBe(payload['tool_call_id']);
      expect(call?.tool).toMatch(/^(?:Bash|Edit|Grep|Glob|LS|WebFetch|Agent|TodoWrite)$/);
    }
  });
});

it('0.15.10 says nothing that tells agents apart', () => {
  for (const payload of callsOf('0.15.10')) {
    expect(hooks.callerOf(payload)).toMatchObject({
      agent: null,
      reason: 'this version does not say which agent calls',
    });
    expect(hooks.read(payload)?.caller).toEqual({ named: 'nobody' });
    expect(hooks.read(payload)?.call).not.toHaveProperty('id');
  }
});

it('a command may be told to run elsewhere', () => {
  const elsewhere = callsOf('0.24.4').find((payload) => JSON.stringify(payload['tool_input']).includes('"pwd"'));
  expect(hooks.read(elsewhere)?.cwd).toBe('/home/dev/project/src');
});

it('an id cannot lead anywhere else', () => {
  const [first = {}] = callsOf('0.24.4');
  const caller = hooks.callerOf({ ...first, agent_id: '../../../../etc/x' });
  expect(caller).toMatchObject({ agent: { type: null, depth: null }, reason: 'not all agents above it are known' });
});

it("answers in Claude Code's words, and changes no input", () => {
  expect(hooks.formatAnswer({ decision: 'none', reason: '' })).toBe('');
  expect(JSON.parse(hooks.formatAnswer({ decision: 'ask', reason: 'So.', input: { command: 'x' } }))).toEqual({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask', permissionDecisionReason: 'So.' },
  });
  expect(hooks.cannotChangeInput).toBe(true);
});

it('has hooks from 0.15.10 on, which one word switches off', () => {
  expect(hookSettings.eventsFor('0.12.0')).toEqual([]);
  expect(hookSettings.eventsFor('0.15.10')).toEqual(['PreToolUse', 'SessionEnd']);
  expect(hookSettings.inspect('{"disableAllHooks":true}').allOff).toBe(true);
});
