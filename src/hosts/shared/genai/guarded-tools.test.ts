import { expect, it } from 'vitest';
import { toGuarded } from './guarded-tools.ts';

it.each([
  ['run_shell_command', { command: 'ls', dir_path: 'src' }, 'Bash', { command: 'ls', dir_path: 'src' }],
  ['read_file', { file_path: '/a' }, 'Read', { file_path: '/a' }],
  ['read_file', { absolute_path: '/a' }, 'Read', { file_path: '/a' }],
  ['read_many_files', { include: ['*.js'] }, 'Read', { globs: ['*.js'] }],
  ['monitor', { command: 'ls', directory: '/a' }, 'Monitor', { command: 'ls', directory: '/a' }],
  ['tool_call', { name: 'read_file', arguments: '{"file_path":"/a"}' }, 'Read', { file_path: '/a' }],
  ['tool_call', { name: 'mcp__x__y', arguments: { a: 1 } }, 'mcp__x__y', { a: 1 }],
  ['write_file', { file_path: '/a', content: 'x' }, 'Write', { file_path: '/a', content: 'x' }],
  ['replace', { file_path: '/a', old_string: 'x' }, 'Edit', { file_path: '/a', old_string: 'x' }],
  ['edit', { file_path: '/a' }, 'Edit', { file_path: '/a' }],
  ['list_directory', { dir_path: '/a' }, 'LS', { path: '/a' }],
  ['list_directory', { path: '/a' }, 'LS', { path: '/a' }],
  ['list_directory', {}, 'LS', { path: '.' }],
  ['glob', { pattern: '*.js', dir_path: '/a' }, 'Glob', { pattern: '*.js', path: '/a' }],
  [
    'grep_search',
    { pattern: 'x', dir_path: '/a', include: '*.js' },
    'Grep',
    { pattern: 'x', path: '/a', glob: '*.js' },
  ],
  ['search_file_content', { pattern: 'x' }, 'Grep', { pattern: 'x' }],
  ['web_fetch', { url: 'http://a.example', prompt: 'p' }, 'WebFetch', { url: 'http://a.example', prompt: 'p' }],
  [
    'web_fetch',
    { prompt: 'read http://a.example/x and https://b.example' },
    'WebFetch',
    { urls: ['http://a.example/x', 'https://b.example'], prompt: 'read http://a.example/x and https://b.example' },
  ],
  ['web_fetch', { prompt: 'nothing' }, 'WebFetch', { urls: [], prompt: 'nothing' }],
  ['invoke_agent', { agent_name: 'generalist', prompt: 'p' }, 'Agent', { subagent_type: 'generalist', prompt: 'p' }],
  ['agent', { subagent_type: 'Explore', prompt: 'p' }, 'Agent', { subagent_type: 'Explore', prompt: 'p' }],
  ['activate_skill', { name: 's' }, 'Skill', { skill: 's' }],
  ['mcp__db__query', { a: 1 }, 'mcp__db__query', { a: 1 }],
  ['complete_task', { result: {} }, 'host:complete_task', { result: {} }],
])('%s %j', (tool, input, named, given) => {
  expect(toGuarded('host', tool, input)).toEqual({ tool: named, input: given });
});
