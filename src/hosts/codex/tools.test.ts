import { describe, expect, it } from 'vitest';
import { outcomeOf, summarise } from './tools.ts';

// Outputs as they stand in recordings.

describe('how a call went', () => {
  it.each([
    [
      'exec_command',
      'Chunk ID: 7e\nWall time: 0.0580 seconds\nProcess exited with code 0\nOutput:\nExit code: 3\n',
      'ok',
    ],
    ['exec_command', 'Chunk ID: be\nWall time: 0.05 seconds\nProcess exited with code 3\nOutput:\nfine\n', 'error'],
    ['exec_command', 'Command: /bin/bash -lc x\nProcess exited with code 1\nOutput:\n', 'error'],
    ['exec_command', 'Command blocked by PreToolUse hook: not allowed. Command: rm -rf build', 'refused'],
    ['exec_command', 'Wall time: 0.9 seconds\naborted by user', 'refused'],
    ['exec_command', 'aborted by user after 0.9s', 'refused'],
    ['apply_patch', 'Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\n', 'ok'],
    ['exec_command', 'apply_patch verification failed: Failed to read NEW.md: No such file', 'error'],
    ['shell', '{"output":"x","metadata":{"exit_code":2,"duration_seconds":0.1}}', 'error'],
    ['update_plan', 'Plan updated', 'ok'],
    ['spawn_agent', '{"agent_id":"x","nickname":"Kepler"}', 'ok'],
    ['spawn_agent', "unknown agent_type 'no-such-agent'", 'error'],
    ['followup_task', '', 'ok'],
  ])('%s: %j is %s', (tool, text, outcome) => {
    expect(outcomeOf(tool, text).outcome).toBe(outcome);
  });

  it('a tool that is not there was never run', () => {
    expect(outcomeOf('spawn_agent', 'unsupported call: spawn_agent')).toEqual({ outcome: 'error', unrun: true });
  });
});

describe('one line for a call', () => {
  it.each([
    ['shell', { command: ['bash', '-lc', 'npm test\necho done'] }, 'npm test'],
    ['shell', { command: ['ls', '-l'] }, 'ls -l'],
    ['exec_command', { cmd: 'cat a' }, 'cat a'],
    [
      'update_plan',
      {
        plan: [
          { step: 'one', status: 'completed' },
          { step: 'two', status: 'in_progress' },
        ],
      },
      'two',
    ],
    ['web_search', { type: 'search', query: 'errors' }, 'errors'],
    ['spawn_agent', { agent_type: 'worker', message: 'Count.\nAll.' }, 'Count.'],
    ['wait_agent', { targets: ['x'], timeout_ms: 1 }, undefined],
    ['mcp__files__read', { path: '/a', limit: 3 }, '/a'],
  ])('%s %j', (tool, input, summary) => {
    expect(summarise(tool, input)).toBe(summary);
  });
});
