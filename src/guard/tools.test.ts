// Every tool that a host offers, or was recorded to call, has a known effect. A new tool fails here until it is listed.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { loadHost } from '../hosts/registry.ts';
import { decide } from './decide.ts';
import { isQuiet } from './match/tool-pattern.ts';
import { bash, context, makeCall, policy, rule, task } from './testing/make-call.ts';
import { usesOf } from './uses-of.ts';

const OFFERS = path.join(import.meta.dirname, '..', '..', 'matrix', 'offers');

interface Offer {
  readonly host: string;
  readonly mainTools: readonly string[];
  readonly subAgentTools: readonly string[];
}

/** What a call of a host is given, by the name of the input. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  command: 'make all',
  cmd: 'make all',
  input: 'make all\n',
  chars: 'make all\n',
  url: 'https://docs.example/x',
  prompt: 'Read https://docs.example/x\nand tell me what it says',
  pattern: '*.ts',
  include: 'src/a.ts',
  glob: 'src/a.ts',
  paths: ['src/a.ts'],
  patchText: '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** End Patch',
  uri: 'file:///p/src/a.ts',
  allowed_domains: ['docs.example'],
};
const FILES = /^(?:file_?path|absolute_path|notebook_path|path|dir_path)$/i;

type Kind = 'command' | 'read' | 'write' | 'address' | 'nothing';

/** By the names that rules use. What is not here, and not in the list of quiet tools, is not classified. */
const EFFECTS: Readonly<Record<string, Kind>> = {
  Bash: 'command',
  Monitor: 'command',
  PowerShell: 'command',
  'opencode:execute': 'command',
  Read: 'read',
  NotebookRead: 'read',
  LS: 'read',
  Grep: 'read',
  Glob: 'read',
  LSP: 'read',
  ReadMcpResource: 'read',
  ReadMcpResourceTool: 'read',
  Edit: 'write',
  MultiEdit: 'write',
  Write: 'write',
  NotebookEdit: 'write',
  WebFetch: 'address',
  WebSearch: 'nothing',
  'copilot:fetch_copilot_cli_documentation': 'address',
  // Their agents' calls are judged, and names of skills have rules of their own.
  Agent: 'nothing',
  Task: 'nothing',
  Skill: 'nothing',
};

async function nameOf(host: string, tool: string, input: unknown) {
  const adapter = await loadHost(host);
  expect(adapter?.hooks).toBeDefined();
  return adapter?.hooks?.toCall?.(tool, input) ?? { tool, input };
}

function offeredTools(): readonly (readonly [string, string, readonly string[]])[] {
  const found = readdirSync(OFFERS).flatMap((file) => {
    const offer = JSON.parse(readFileSync(path.join(OFFERS, file), 'utf8')) as Offer;
    return [...offer.mainTools, ...offer.subAgentTools].map((text) => {
      const [, tool = '', keys = ''] = /^([^(]+)\(([^)]*)\)$/.exec(text) ?? [];
      return [offer.host, tool, keys.split(', ').filter((key) => key !== '')] as const;
    });
  });
  return [...new Map(found.map((offered) => [JSON.stringify(offered), offered])).values()];
}

function sampleOf(tool: string, keys: readonly string[]): unknown {
  if (tool === 'apply_patch') return SAMPLES['patchText'];
  if (tool === 'tool_call') return { name: 'read_file', arguments: '{"file_path":"src/a.ts"}' };
  return Object.fromEntries(keys.map((key) => [key, SAMPLES[key] ?? (FILES.test(key) ? 'src/a.ts' : 'x')]));
}

function effectOf(tool: string, input: unknown): Kind {
  const { commands, reads, writes, hosts } = usesOf(tool, input, context());
  if (commands.some(({ isSuspected }) => isSuspected !== true)) return 'command';
  if (writes.length > 0) return 'write';
  if (reads.length > 0) return 'read';
  return hosts.length > 0 && tool !== 'WebSearch' ? 'address' : 'nothing';
}

describe('every tool that a host offers', () => {
  const offered = offeredTools();

  it('is listed', () => expect(offered.length).toBeGreaterThan(120));

  it.each(offered)('%s: %s %j', async (host, tool, keys) => {
    const { tool: own, input } = await nameOf(host, tool, sampleOf(tool, keys));
    const expected = EFFECTS[own] ?? (isQuiet(own) ? 'nothing' : undefined);
    expect(expected, `${own} has no known effect`).toBeDefined();
    expect(effectOf(own, input)).toBe(expected);
  });
});

test('a tool that no list has is read by its inputs', () => {
  expect(isQuiet('codex:brand_new')).toBe(false);
  expect(effectOf('codex:brand_new', { command: 'make all' })).toBe('command');
  expect(effectOf('mcp__x__read_file', { path: 'a' })).toBe('read');
  expect(effectOf('mcp__x__write_file', { path: 'a' })).toBe('write');
  expect(effectOf('mcp__x__open', { url: 'https://a.example' })).toBe('address');
});

describe('a rule that allows', () => {
  const allowed = (tools: string, call: Parameters<typeof makeCall>) =>
    decide(policy([rule('allow', tools)], 'deny'), makeCall(...call)).decision;

  it.each([
    ['Bash', 'mcp__shell__run', { command: 'ls' }],
    ['Bash(ls:*)', 'Monitor', { command: 'ls' }],
    ['Bash', 'PowerShell', { command: 'ls' }],
    ['Read', 'mcp__fs__read_file', { path: 'a' }],
    ['Read', 'LSP', { filePath: 'a' }],
    ['Edit', 'mcp__fs__write_file', { path: 'a' }],
    ['Edit(/**)', 'opencode:new_tool', { filePath: 'a' }],
    ['WebFetch', 'mcp__fetch__fetch', { url: 'https://a.example' }],
    ['WebFetch(domain:*)', 'mcp__fetch__fetch', { url: 'https://a.example' }],
    ['Bash(ls:*)', 'Agent', { prompt: 'ls' }],
  ])('%s does not reach %s', (tools, tool, input) => expect(allowed(tools, [tool, input])).toBe('deny'));

  it.each([
    ['mcp__shell__run', 'mcp__shell__run', { command: 'ls' }],
    ['mcp__fs', 'mcp__fs__delete_file', { path: 'a' }],
    ['Monitor', 'Monitor', { command: 'ls' }],
    ['PowerShell', 'PowerShell', { command: 'Get-Content a' }],
    ['Agent', 'Agent', { prompt: 'ls' }],
    ['LSP', 'LSP', { filePath: 'a' }],
  ])('%s reaches %s', (tools, tool, input) => expect(allowed(tools, [tool, input])).toBe('allow'));
});

test('a deny of every command is not about tools that only do what a command does', () => {
  const decided = (tool: string, input: object) =>
    decide(policy([rule('deny', 'Bash')]), makeCall(tool, input)).decision;
  expect(decided('mcp__shell__run', { command: 'ls' })).toBe('deny');
  expect(decided('Monitor', { command: 'ls' })).toBe('deny');
  expect(decided('mcp__fs__delete_file', { path: 'a' })).toBe('none');
  expect(decided('Agent', { prompt: 'git push' })).toBe('none');
  expect(decide(policy([rule('deny', 'Bash')]), bash('ls')).decision).toBe('deny');
});

test('an order that is a forbidden command is asked about, one that speaks of it is not', () => {
  const decided = (prompt: string) =>
    decide(
      { ...policy([rule('deny', 'Bash(git push:*)')]), opaque: 'ask' },
      makeCall('Agent', { prompt }, { agent: task('x') }),
    ).decision;
  expect(decided('git push origin main')).toBe('ask');
  expect(decided('Explain how git push works')).toBe('none');
  expect(decided('git push fails.\nFind out why.')).toBe('none');
});
