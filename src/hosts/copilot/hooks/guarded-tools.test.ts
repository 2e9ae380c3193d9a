import { expect, it } from 'vitest';
import { toGuarded } from '../guard.ts';

const PATCH = '*** Begin Patch\n*** Delete File: a.js\n*** End Patch\n';

it.each([
  ['bash', { command: 'ls', mode: 'async' }, 'Bash', { command: 'ls', mode: 'async' }],
  ['write_bash', { shellId: 's', input: 'rm x{enter}' }, 'Bash', { command: 'rm x\n', is_typed: true }],
  ['view', { path: '/a' }, 'Read', { file_path: '/a' }],
  ['create', { path: '/a', file_text: 'x' }, 'Write', { file_path: '/a', file_text: 'x' }],
  ['edit', { path: '/a', old_str: 'x' }, 'Edit', { file_path: '/a', old_str: 'x' }],
  ['str_replace_editor', { command: 'view', path: '/a' }, 'Read', { file_path: '/a', command: 'view' }],
  ['str_replace_editor', { command: 'insert', path: '/a' }, 'Edit', { file_path: '/a', command: 'insert' }],
  ['grep', { pattern: 'x', paths: ['/a', '/b'] }, 'Grep', { path: ['/a', '/b'], pattern: 'x' }],
  ['glob', { pattern: '*.js' }, 'Glob', { pattern: '*.js' }],
  ['web_fetch', { url: 'https://a.example' }, 'WebFetch', { url: 'https://a.example' }],
  ['task', { agent_type: 'explore', prompt: 'p' }, 'Agent', { subagent_type: 'explore', prompt: 'p' }],
  ['skill', { skill: 's' }, 'Skill', { skill: 's' }],
  ['apply_patch', { input: PATCH }, 'Edit', { file_paths: ['a.js'], patch: PATCH }],
  ['apply_patch', PATCH, 'Edit', { file_paths: ['a.js'], patch: PATCH }],
  ['github-mcp-server-get_me', {}, 'copilot:github-mcp-server-get_me', {}],
  ['sql', undefined, 'copilot:sql', null],
])('%s %j', (tool, input, named, given) => {
  expect(toGuarded(tool, input)).toEqual({ tool: named, input: given });
});
