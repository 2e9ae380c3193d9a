import { describe, expect, it } from 'vitest';
import { callerOf, readPayload } from '../guard.ts';

const line = [
  { id: 'ses_low', parent: 'ses_mid', agent: 'tester', directory: '/p/x' },
  { id: 'ses_mid', parent: 'ses_top', title: 'Plan it (@planner subagent)', directory: '/p' },
  { id: 'ses_top', agent: 'build', title: 'A day', directory: '/p' },
];
const payload = {
  hook: 'tool.execute.before',
  session: 'ses_low',
  line,
  directory: '/p',
  tool: 'bash',
  call: 'call_0',
  args: { command: 'ls\npwd', workdir: 'sub' },
};

describe('a call of our plugin', () => {
  it('is one of the main session, by the agent whose session it is', () => {
    expect(readPayload(payload)).toEqual({
      host: 'opencode',
      name: 'tool.execute.before',
      session: 'opencode:ses_top',
      caller: { named: 'agent', agent: 'opencode:ses_low', type: 'tester', path: ['main', 'Plan it', 'tester'] },
      cwd: '/p/sub',
      call: {
        tool: 'Bash',
        input: { command: 'ls\npwd', workdir: 'sub' },
        spawns: false,
        subject: 'ls\npwd',
        id: 'ses_low/call_0',
      },
    });
  });

  it('knows everybody above it, with the types that older versions have in a title only', () => {
    expect(callerOf(payload)).toEqual({
      agent: { id: 'ses_low', kind: 'task', type: 'tester', name: null, depth: 2 },
      ancestors: [
        { id: 'ses_top', kind: 'main', type: null, name: null, depth: 0 },
        { id: 'ses_mid', kind: 'task', type: 'planner', name: null, depth: 1 },
      ],
      project: '/p',
    });
  });

  it('says so where somebody above it is not known, and names nobody that it does not know', () => {
    expect(callerOf({ ...payload, line: line.slice(0, 2) })).toMatchObject({
      agent: { id: 'ses_low', kind: 'task', depth: null },
      ancestors: [{ id: 'ses_mid', kind: 'task', depth: null }],
      reason: 'not all agents above it are known',
    });
    expect(readPayload({ ...payload, line: line.slice(0, 2) })?.caller).not.toHaveProperty('path');
    for (const none of [[], undefined, line.slice(1)])
      expect(callerOf({ ...payload, line: none })).toMatchObject({ agent: null, ancestors: [], project: '/p' });
  });

  it('of the main agent names nobody', () => {
    const event = readPayload({ ...payload, session: 'ses_top', line: line.slice(2) });
    expect(event).toMatchObject({ session: 'opencode:ses_top', caller: { named: 'nobody' } });
  });

  it('survives sessions that name each other in a circle', () => {
    const circle = [
      { id: 'ses_low', parent: 'ses_mid' },
      { id: 'ses_mid', parent: 'ses_low' },
      { id: 'ses_low', parent: 'ses_mid' },
    ];
    expect(callerOf({ ...payload, line: circle }).reason).toBe('not all agents above it are known');
  });

  it.each([null, 7, {}, { hook: 'x' }, { hook: 'x', session: 's', line: [null, 7] }])('survives %j', (odd) => {
    expect(() => [readPayload(odd), callerOf(odd)]).not.toThrow();
  });
});

it('a question is about a call, and says what is asked', () => {
  const permission = { id: 'per_1', permission: 'bash', patterns: ['rm -rf build', 'ls'] };
  const asked = { ...payload, hook: 'permission.question', permission };
  expect(readPayload(asked)).toMatchObject({
    call: { tool: 'Bash' },
    question: 'OpenCode asks for a permission: bash rm -rf build ls',
  });
  expect(readPayload({ ...asked, hook: 'permission.asked' })).not.toHaveProperty('call');
});
