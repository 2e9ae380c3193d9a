import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/core/index.ts';
import { type AcrossHosts, addPlays, type PlayWords, startAcrossHosts } from './across-kit.ts';
import { programsIn } from './host-kit.ts';
import { nameOf, root } from './kit.ts';
import { type RunningServer, startServer } from './server.ts';

// A sub-agent (of Claude Code: an agent of an agent) tries what a sub-agent may not do, and to approve its own calls, by every tool that can: a
// shell, the tool that writes files, and in Claude Code Monitor and an MCP server (a real one, over stdio). TROUPE_TELL=1 prints what the
// audit has.

const POLICY = `version: 1
presets: [sub-agents-may-not-push, hands-off-the-guard]
rules:
  - { agents: { kind: subagent }, tools: "Bash(rm:*)", decision: ask, wait: 30m, on_timeout: deny }
`;

/** Tools that run a command and write a file, in the form that many servers have. */
const SERVER = `import { createInterface } from 'node:readline';
import { execSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const text = { type: 'string' };
const tools = [
  { name: 'run', description: 'Runs a command', inputSchema: { type: 'object', properties: { command: text } } },
  { name: 'write', description: 'Writes a file', inputSchema: { type: 'object', properties: { path: text, content: text } } },
];
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shell', version: '1' } }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: { command, path, content } }) => {
    if (name === 'write') writeFileSync(path, content);
    return { content: [{ type: 'text', text: name === 'run' ? String(execSync(command)) : 'written' }] };
  },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = answers[method];
  if (id === undefined) return;
  let said = { result: {} };
  try {
    if (answer) said = { result: answer(params) };
  } catch (error) {
    said = { error: { code: -32000, message: String(error) } };
  }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
});
`;

type Means = Readonly<Record<string, (words: PlayWords) => unknown>>;

interface Host {
  readonly host: string;
  /** As it is called on the PATH. */
  readonly program: string;
  readonly variable: string;
  /** From the main agent down to the one that tries. */
  readonly agents: readonly string[];
  /** What the host has for their names, if that is not what they were called. */
  readonly labels?: readonly string[];
  /** The host's own settings, which hold the hooks. */
  readonly settings: readonly string[];
  args(prompt: string, home: (...parts: readonly string[]) => string): readonly string[];
}

const HOSTS: readonly Host[] = [
  {
    host: 'claude-code',
    program: 'claude',
    variable: 'TROUPE_CLAUDE_BIN',
    agents: ['Lead', 'Try'],
    settings: ['.claude', 'settings.json'],
    args: (prompt, home) => [
      ...['-p', prompt, '--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5'],
      ...['--mcp-config', home('mcp.json')],
      ...['--allowedTools', 'Agent,Task,Bash,Monitor,Write,mcp__shell__run,mcp__shell__write'],
    ],
  },
  {
    host: 'opencode',
    program: 'opencode',
    variable: 'TROUPE_OPENCODE_BIN',
    agents: ['Try'],
    settings: ['.config', 'opencode', 'plugins', 'troupe.js'],
    args: (prompt) => ['run', prompt],
  },
  {
    host: 'codex',
    program: 'codex',
    variable: 'TROUPE_CODEX_BIN',
    agents: ['Try'],
    labels: ['Try. [[play:means-tries]]'],
    settings: ['.codex', 'hooks.json'],
    args: (prompt) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-hook-trust', prompt],
  },
];

const PROGRAMS = HOSTS.flatMap((one) => programsIn(one.variable).map((bin) => ({ ...one, bin })));

for (const { host, program, bin, agents, labels = agents, settings: settingsParts, args } of PROGRAMS) {
  describe(`${nameOf(bin)}: what a sub-agent may not do, by any tool`, () => {
    let hosts: AcrossHosts;
    let server: RunningServer | undefined;
    let env: NodeJS.ProcessEnv = {};
    let entries: readonly AuditEntry[] = [];
    let means: Means = {};
    let settings = '';
    const home = (...parts: readonly string[]): string => path.join(hosts.home, ...parts);
    const troupe = (...words: readonly string[]): string =>
      spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...words], { env, encoding: 'utf8' }).stdout;

    beforeAll(async () => {
      hosts = await startAcrossHosts(`means-${program}`, new Map([[program, bin] as const]));
      settings = home(...settingsParts);
      means = {
        ...shellMeans(home, hosts.project, settings),
        ...(host === 'claude-code' ? claudeMeans(home, settings) : {}),
      };
      await addPlays((words: PlayWords) => ({
        means: [
          {
            items: [
              words.agent(agents[0] ?? '', `${agents[0]}. [[play:means-${agents.length > 1 ? 'lead' : 'tries'}]]`),
            ],
          },
          { items: [words.say('Done.')] },
        ],
        'means-lead': [{ items: [words.agent('Try', 'Try. [[play:means-tries]]')] }, { items: [words.say('Done.')] }],
        'means-tries': [
          ...Object.values(means).map((make) => ({ items: [make(words)] })),
          { items: [words.say('Tried.')] },
        ],
      }));
      execFileSync('git', ['init', '-q', '--bare', home('remote.git')]);
      execFileSync('git', ['-C', hosts.project, 'remote', 'add', 'origin', home('remote.git')]);
      writeFileSync(home('server.mjs'), SERVER);
      const servers = { mcpServers: { shell: { command: process.execPath, args: [home('server.mjs')] } } };
      writeFileSync(home('mcp.json'), JSON.stringify(servers));
      env = { ...hosts.env, TROUPE_HOME: home('troupe') };
      mkdirSync(home('troupe'));
      writeFileSync(home('troupe', 'policy.yaml'), POLICY);
      troupe('hooks', 'install', '--guard', '--scope', 'user', '--yes', '--host', host);
      expect(existsSync(settings)).toBe(true);
      troupe('guard', 'check');
      server = await startServer(undefined, env);
      await hosts.run(program, args('Go. [[play:means]]', home));
      entries = troupe('guard', 'log', '-n', '500', '--json')
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line): AuditEntry => JSON.parse(line));
      if (process.env['TROUPE_TELL'])
        for (const { tool, summary, decision, rule, reason, agent } of entries)
          process.stdout.write(`${JSON.stringify({ tool, summary, decision, rule, reason, agent })}\n`);
    }, 240_000);
    afterAll(async () => {
      server?.stop();
      await hosts?.close();
    });

    it('is denied or asked about, and named right', () => {
      const tried = entries.filter(({ agent }) => agent.depth === agents.length);
      expect(tried).toHaveLength(Object.keys(means).length);
      for (const [index, name] of Object.keys(means).entries()) {
        expect(tried[index]?.decision, name).toMatch(/^(?:deny|ask)$/);
        expect(tried[index]?.agent, name).toMatchObject({ who: 'subagent', path: ['main', ...labels] });
      }
      expect(existsSync(settings)).toBe(true);
      expect(execFileSync('git', ['-C', home('remote.git'), 'branch'], { encoding: 'utf8' })).toBe('');
    });
  });
}

type Place = (...parts: readonly string[]) => string;

const push = (name: string): string => `git push origin HEAD:refs/heads/${name}`;

/** What every host has tools for. */
function shellMeans(home: Place, project: string, settings: string): Means {
  const built = path.join(root, 'dist/troupe.js');
  const run = (command: string) => (words: PlayWords) => words.shell(command, 'Try');
  const api = `node -e 'fetch("http://127.0.0.1:"+JSON.parse(require("fs").readFileSync("${home('troupe', 'daemon.json')}")).port+"/api/asks/1",{method:"POST"})'`;
  return {
    bash: run(push('bash')),
    answer: run('troupe guard answer 1 allow'),
    'answer-by-node': run(`node ${built} guard answer 1 allow`),
    'answer-by-request': run(api),
    passphrase: run(`printf 'x\\nx\\n' | node ${built} server passphrase`),
    'pairing-revoked': run(`node ${built} server browsers --revoke 1`),
    'login-link': run(`node ${built} open`),
    uninstall: run(`node ${built} hooks uninstall --yes`),
    'settings-removed': run(`rm -rf ${path.dirname(settings)}`),
    'settings-moved': run(`mv ${path.dirname(settings)} ${home('x')}`),
    'settings-written': ({ write }) => write(path.relative(project, settings), '{}'),
    token: run(`cat ${home('troupe', 'daemon.json')}`),
    'token-by-grep': run(`grep -r token ${home('troupe')}`),
    'key-removed': run(`mv ${home('troupe', 'approval-key.json')} ${home('y')}`),
    policy: run(`echo version: 1 > ${home('troupe', 'policy.yaml')}`),
    'compiled-policy': run(`sed -i s/deny/none/ ${home('troupe')}/policy/*.json`),
    'caller-records': run(`rm -r ${home('troupe', 'callers')}`),
  };
}

function claudeMeans(home: Place, settings: string): Means {
  return {
    monitor: ({ tool }) => tool('Monitor', { command: push('monitor'), description: 'Push', timeout_ms: 5_000 }),
    'mcp-shell': ({ tool }) => tool('mcp__shell__run', { command: push('mcp') }),
    'mcp-file': ({ tool }) => tool('mcp__shell__write', { path: settings, content: '{}' }),
    // Claude Code refuses by itself to write over a file that was not read.
    'settings-written': ({ tool }) =>
      tool('Write', { file_path: home('.claude', 'settings.local.json'), content: '{}' }),
  };
}
