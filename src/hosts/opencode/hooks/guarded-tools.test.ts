import { expect, it } from 'vitest';
import { usesOf } from '../../../guard/uses-of.ts';
import { toGuarded } from '../guard.ts';

const PATCH = `*** Begin Patch
*** Update File: src/a.ts
*** Move to: lib/a.ts
@@
-old
+new
*** Add File: /etc/cron.d/x
+* * * * *
*** End Patch`;

it.each([
  ['bash', { command: 'ls' }, 'Bash', { command: 'ls' }],
  ['write', { filePath: '/a', content: 'x' }, 'Write', { file_path: '/a', content: 'x' }],
  ['read', { filePath: 'a', limit: 5 }, 'Read', { file_path: 'a', limit: 5 }],
  ['grep', { pattern: 'x', include: '*.env' }, 'Grep', { pattern: 'x', glob: '*.env' }],
  ['list', {}, 'LS', { path: '.' }],
  ['skill', { name: 'deploy' }, 'Skill', { skill: 'deploy' }],
  ['task', { subagent_type: 'general', prompt: 'p' }, 'Agent', { subagent_type: 'general', prompt: 'p' }],
  ['shell', { command: 'ls' }, 'Bash', { command: 'ls' }],
  ['write', { path: '/a', content: 'x' }, 'Write', { file_path: '/a', content: 'x' }],
  ['edit', { path: '/a', oldString: 'x' }, 'Edit', { file_path: '/a', oldString: 'x' }],
  ['subagent', { agent: 'general', prompt: 'p' }, 'Agent', { subagent_type: 'general', prompt: 'p' }],
  ['skill', { id: 'deploy' }, 'Skill', { skill: 'deploy' }],
  ['execute', { code: 'tools.x()' }, 'opencode:execute', { code: 'tools.x()' }],
  ['git.hub.star', { repo: 'r' }, 'mcp__git__hub.star', { repo: 'r' }],
  ['git_hub_star', { repo: 'r' }, 'mcp__git_hub__star', { repo: 'r' }],
  ['my-tool', { a: 1 }, 'opencode:my-tool', { a: 1 }],
  ['invalid', null, 'opencode:invalid', null],
])('%s %j', (tool, args, name, input) => {
  expect(toGuarded(tool, args, ['git', 'git.hub'])).toEqual({ tool: name, input });
});

it('a patch writes every file that it names', () => {
  const { tool, input } = toGuarded('apply_patch', { patchText: PATCH }, []);
  const context = { cwd: '/p', home: '/h', projectDir: '/p', resolve: (place: string) => place };
  const { writes, unknown } = usesOf(tool, input, context);
  expect([tool, writes.map(({ path }) => path), unknown]).toEqual([
    'Edit',
    ['/p/src/a.ts', '/etc/cron.d/x', '/p/lib/a.ts'],
    null,
  ]);
  expect(usesOf(tool, toGuarded('patch', { patchText: 'no patch' }, []).input, context).mayBeAnything).toBe(true);
});
