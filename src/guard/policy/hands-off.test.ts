import type { CommandContext, RouteMap } from '@stricli/core';
import { describe, expect, it } from 'vitest';
import { routesWith } from '../../cli/index.ts';
import { decide } from '../decide.ts';
import { context, makeCall, task } from '../testing/make-call.ts';
import { usesOf } from '../uses-of.ts';
import { compilePolicy } from './compile.ts';
import { CHANGING_COMMANDS } from './presets.ts';
import { readYaml } from './read-yaml.ts';

// Calls with which an agent tampers with its guard, under the preset alone. The project is /p, the home /home/dev.

const compile = (ownFolders: readonly string[] = []) =>
  compilePolicy({
    readYaml,
    sources: [
      {
        scope: 'user',
        file: 'policy.yaml',
        root: null,
        content: new TextEncoder().encode('version: 1\npresets: hands-off-the-guard\n'),
      },
    ],
    home: '/home/dev',
    ownFolders,
  }).policy;
const POLICY = compile();

function decisionOn(tool: string, input: object, policy = POLICY): string {
  return decide(policy, makeCall(tool, input, { agent: task('coder'), uses: usesOf(tool, input, context()) })).decision;
}
const run = (command: string) => decisionOn('Bash', { command });

describe('hands-off-the-guard denies', () => {
  it.each([
    'troupe',
    'troupe --port 4711',
    'npx troupe start',
    'npx troupe server start',
    'npx -y troupe@0.1.0 server stop',
    'npm exec troupe@latest -- server stop',
    'bunx troupe server stop',
    'pnpm dlx troupe server stop',
    'node node_modules/.bin/troupe server stop',
    'node /opt/troupe/dist/troupe.js server stop',
    '/opt/troupe/dist/troupe.js server start --port 4711',
    "sh -c 'troupe server stop'",
    'TROUPE_HOME=/x nohup troupe server stop',
    'npx -y troupe@0.1.0 stop',
    'npm exec troupe@latest -- stop',
    'bunx troupe stop',
    'pnpm dlx troupe stop',
    './node_modules/.bin/troupe guard answer 4f0c allow',
    'node node_modules/.bin/troupe guard answer 4f0c allow',
    'node /opt/troupe/dist/troupe.js guard answer 4f0c allow',
    'node --no-warnings /opt/troupe/dist/troupe.js guard answer 4f0c allow',
    '/opt/troupe/dist/troupe.js hooks uninstall',
    'bun run /opt/troupe/dist/troupe.js hooks uninstall --yes',
    "sh -c 'troupe guard answer 4f0c allow'",
    'env -i PATH=/usr/bin setsid troupe guard answer 4f0c allow',
    'TROUPE_HOME=/x nohup troupe stop',
    'script -qc "troupe watch" /dev/null',
    'echo y | troupe hooks install',
    'pkill -f troupe',
    'killall -9 troupe',
    'curl -d \'{"answer":"allow"}\' http://127.0.0.1:4711/api/asks/4f0c',
    'wget --post-data={} http://localhost:4711/api/login',
    "node -e \"fetch('http://127.0.0.1:4711/api/asks/4f0c', {method: 'POST'})\"",
  ])('to run it: %s', (command) => expect(run(command)).toBe('deny'));

  it.each(CHANGING_COMMANDS.filter((command) => command !== '-*'))('troupe %s', (command) => {
    expect(run(`troupe ${command}`)).toBe('deny');
    expect(run(`npx troupe ${command} x`)).toBe('deny');
  });

  it.each([
    'cat ~/.local/state/troupe/daemon.json',
    'cd ~/.local/state && cat troupe/daemon.json',
    'cat ~/.local/state/*/daemon.json',
    'ls ~/.local/state/troupe',
    'grep -r token ~/.local/state',
    'grep -rn token ~/.local',
    'rg token ~/.local/state',
    'rg --hidden token ~',
    'find ~/.local/state -name daemon.json',
    'find / -name "*.json" -exec cat {} +',
    'cp -r ~/.local/state x; cat x/troupe/daemon.json',
    'ln -s ~/.local/state s && cat s/troupe/daemon.json',
    'tar cf x.tar ~/.local/state',
    'python3 -m tarfile -c x.tar ~/.local/state',
    'cd ~/.local && python3 -m tarfile -c x.tar state',
    'mv ~/.local/state ~/x',
    'rm -rf ~/.config',
    'mv ~/.config ~/c',
    'cat ~/.config/troupe/policy.yaml',
    'echo > ~/.config/troupe/policy.yaml',
    'sed -i s/deny/allow/ .troupe/policy.yaml',
    'echo > /opt/troupe/dist/hook.cjs',
  ])('its folders: %s', (command) => expect(run(command)).toBe('deny'));

  it.each([
    'rm -rf .claude',
    'rm -r .claude/',
    'mv .claude x',
    'chmod 000 .claude',
    'echo > ~/.codex/hooks.json',
    'rm -rf ~/.codex',
    'rm ~/.config/opencode/plugins/troupe.js',
    'mv .opencode .x',
    'echo > ~/.qwen/settings.json',
    'echo > .gemini/settings.json',
    'rm ~/.copilot/hooks/troupe.json',
    'rm .github/hooks/troupe.json',
  ])('hooks of the hosts: %s', (command) => expect(run(command)).toBe('deny'));

  it.each([
    ['Read', { file_path: '/home/dev/.local/state/troupe/daemon.json' }],
    ['Grep', { pattern: 'token', path: '/home/dev/.local/state' }],
    ['Grep', { pattern: 'token', path: '/home/dev' }],
    ['Edit', { file_path: '/home/dev/.config/troupe/policy.yaml' }],
    ['mcp__filesystem__read_text_file', { path: '/home/dev/.local/state/troupe/daemon.json' }],
    ['mcp__filesystem__read_multiple_files', { paths: ['/p/a', '~/.local/state/troupe/daemon.json'] }],
    ['mcp__filesystem__search_files', { path: '/home/dev/.local', pattern: 'x' }],
    ['mcp__filesystem__write_file', { path: '.claude/settings.json', content: '{}' }],
    ['mcp__shell__run', { command: 'troupe guard answer 4f0c allow' }],
    ['PowerShell', { command: 'troupe guard answer X allow' }],
    ['Monitor', { command: 'cat ~/.local/state/troupe/daemon.json' }],
  ])('other tools: %s %j', (tool, input) => expect(decisionOn(tool, input)).toBe('deny'));

  it('folders that TROUPE_HOME or XDG moved', () => {
    const policy = compile(['/srv/tro*upe/state']);
    const read = (file_path: string) => decisionOn('Read', { file_path }, policy);
    expect(read('/srv/tro*upe/state/daemon.json')).toBe('deny');
    expect(read('/srv/troXupe/state/daemon.json')).toBe('none');
    expect(decisionOn('Bash', { command: 'cat /srv/tro\\*upe/state/daemon.json' }, policy)).toBe('deny');
  });
});

describe('hands-off-the-guard has no opinion on', () => {
  it.each([
    'troupe ls',
    'troupe tree --json',
    'troupe guard log -n 5',
    'troupe guard asks',
    'npx troupe show 4f0c',
    'node scripts/build.mjs',
    'node dist/server.js start',
    'npm start',
    'rm -rf dist',
    'mv src/a src/b',
    'grep -rn token src',
    'grep -rn token .',
    'rg token ..',
    'find . -name "*.ts"',
    'ls ~',
    'ls -la ~/.config',
    'cp -r public/* dist/',
    'cat .claude/agents/coder.md',
    'git log --author="$(git config user.name)"',
    'for f in src/*.ts; do head -5 "$f"; done',
    'curl http://127.0.0.1:3000/api/users',
  ])('%s', (command) => expect(run(command)).toBe('none'));

  it.each([
    ['Grep', { pattern: 'token' }],
    ['Grep', { pattern: 'token', path: '/p/src' }],
    ['mcp__filesystem__list_directory', { path: '/p' }],
    ['mcp__github__get_file_contents', { path: 'README.md', owner: 'x' }],
    ['mcp__db__query', { sql: 'select 1' }],
    ['TodoWrite', { todos: [] }],
  ])('%s %j', (tool, input) => expect(decisionOn(tool, input)).toBe('none'));
});

describe('every command of troupe', () => {
  const READING = [
    ...[
      'ls',
      'search',
      'cost',
      'budget show',
      'hooks budget',
      'statusline',
      'tree',
      'show',
      'stream',
      'export',
      'redact',
      'identify',
      'doctor',
      'hooks status',
      'index status',
    ],
    ...['check', 'presets', 'explain', 'test', 'suggest', 'asks', 'log', 'coverage'].map((name) => `guard ${name}`),
  ];
  const isMap = (target: object): target is RouteMap<CommandContext> => 'getAllEntries' in target;
  const namesIn = (target: RouteMap<CommandContext>): readonly string[] =>
    target.getAllEntries().flatMap(({ name, target: inner }) => {
      const names = isMap(inner) ? namesIn(inner).map((below) => `${name.original} ${below}`) : [name.original];
      return names;
    });
  const all = Object.entries(routesWith([])).flatMap(([name, target]) =>
    isMap(target) ? namesIn(target).map((below) => `${name} ${below}`) : [name],
  );

  it.each(all)('troupe %s is known to read only, or is denied', (command) => {
    expect(run(`troupe ${command}`)).toBe(READING.includes(command) ? 'none' : 'deny');
  });

  it('is listed', () => expect(all.length).toBeGreaterThan(READING.length + 10));
});
