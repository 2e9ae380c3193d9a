import { expect, it } from 'vitest';
import { toGuarded } from './guard.ts';

const PATCH =
  '*** Begin Patch\n*** Update File: a.js\n*** Move to: b.js\n@@\n-x\n+y\n*** Add File: c.js\n+z\n*** End Patch\n';

it.each([
  ['Bash', { command: 'ls' }, 'Bash', { command: 'ls' }],
  ['exec_command', { cmd: 'ls', workdir: 'src' }, 'Bash', { command: 'ls', workdir: 'src' }],
  ['shell', { command: ['bash', '-lc', "echo 'a b'"] }, 'Bash', { command: "bash -lc 'echo '\\''a b'\\'''" }],
  ['shell', { command: ['rm', '-r', 'a b'] }, 'Bash', { command: "rm -r 'a b'" }],
  ['apply_patch', { command: PATCH }, 'Edit', { file_paths: ['a.js', 'c.js', 'b.js'], patch: PATCH }],
  ['apply_patch', PATCH, 'Edit', { file_paths: ['a.js', 'c.js', 'b.js'], patch: PATCH }],
  ['apply_patch', { command: 'none' }, 'Edit', { file_paths: [], patch: 'none' }],
  ['write_stdin', { session_id: 1, chars: 'rm x\r' }, 'Bash', { command: 'rm x\n', is_typed: true, session_id: 1 }],
  ['write_stdin', { session_id: 1, chars: '' }, 'BashOutput', { session_id: 1, chars: '' }],
  ['view_image', { path: 'a.png' }, 'Read', { file_path: 'a.png' }],
  ['spawn_agent', { agent_type: 'worker', message: 'Do it' }, 'Agent', { subagent_type: 'worker', prompt: 'Do it' }],
  ['collaborationspawn_agent', { task_name: 'x', message: 'Do it' }, 'Agent', { prompt: 'Do it', task_name: 'x' }],
  ['multi_agent_v1wait_agent', { targets: [] }, 'codex:wait_agent', { targets: [] }],
  ['update_plan', { plan: [] }, 'TodoWrite', { plan: [] }],
  ['mcp__memory__add', { a: 1 }, 'mcp__memory__add', { a: 1 }],
  ['new_tool', undefined, 'codex:new_tool', null],
])('%s %j', (tool, input, named, given) => {
  expect(toGuarded(tool, input)).toEqual({ tool: named, input: given });
});
