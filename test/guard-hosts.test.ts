import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadPolicy } from '../src/guard/index.ts';
import { keepContents, makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { programIn } from './testing/program.ts';

// The guard as `hooks install --host` enters it for each host: one policy file, each host's own words, and an answer whatever goes wrong.
// Real processes: the entered command, the stub, the built hook file.

interface Host {
  readonly name: string;
  readonly version: string;
  /** Below the home. */
  readonly settings: string;
  call(command: string): object;
  /** What its hook prints for a no, and for an ask that is given to the host. */
  readonly no: object;
  readonly ask: object;
}

const claudeLike = (decision: string): object => ({ hookSpecificOutput: { permissionDecision: decision } });
const of = { session_id: 's', cwd: '/', agent_id: 'a1', agent_type: 'coder' };

const HOSTS: readonly Host[] = [
  {
    name: 'codex',
    version: '0.166.0',
    settings: '.codex/hooks.json',
    call: (command) => ({ ...of, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } }),
    no: claudeLike('deny'),
    // It does not know the word.
    ask: claudeLike('deny'),
  },
  {
    name: 'copilot',
    version: '1.0.102',
    settings: '.copilot/hooks/troupe.json',
    call: (command) => ({ sessionId: 'a1', agentId: 'a1', cwd: '/', toolName: 'bash', toolArgs: { command } }),
    no: { permissionDecision: 'deny' },
    ask: { permissionDecision: 'ask' },
  },
  {
    name: 'gemini',
    version: '0.61.0',
    settings: '.gemini/settings.json',
    call: (command) => ({
      ...of,
      hook_event_name: 'BeforeTool',
      tool_name: 'run_shell_command',
      tool_input: { command },
    }),
    no: { decision: 'deny' },
    ask: { decision: 'deny' },
  },
  {
    name: 'qwen',
    version: '0.24.4',
    settings: '.qwen/settings.json',
    call: (command) => ({
      ...of,
      hook_event_name: 'PreToolUse',
      tool_name: 'run_shell_command',
      tool_input: { command },
    }),
    no: claudeLike('deny'),
    ask: claudeLike('ask'),
  },
];

const base = makeTemporaryFolder("o'clock hosts");

const at = (...parts: string[]): string => path.join(base, ...parts);
const env = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'] ?? '', HOME: at('home'), TROUPE_HOME: at('state') });

async function troupe(...args: readonly string[]): Promise<string> {
  const program = programIn(at('home'), { env: { TROUPE_HOME: at('state') }, cwd: at('project') });
  return (await program.run(args)).out;
}

describe.each(HOSTS)('$name', ({ name, version, settings, call, no, ask }) => {
  const named = ['--host', name];
  let command = '';
  let reset: () => void;
  beforeAll(async () => {
    for (const entry of readdirSync(base)) rmSync(at(entry), { recursive: true });
    for (const folder of ['project/.git', 'home']) mkdirSync(at(folder), { recursive: true });
    await troupe('hooks', 'install', ...named, '--guard', '--yes', '--host-version', version);
    command = JSON.parse(await troupe('hooks', 'status', ...named, '--json')).beforeCalls[0].command;
    reset = keepContents(base);
  });
  beforeEach(() => reset());

  const setPolicy = async (onError: string): Promise<void> => {
    const rules = 'rules: [{ tools: "Bash(rm:*)", decision: deny }, { tools: "Bash(mv:*)", decision: ask }]';
    writeFileSync(at('state/policy.yaml'), `version: 1\non_error: ${onError}\ndefaults: { unknown: none }\n${rules}\n`);
    const folders = { configFolder: at('state'), stateFolder: at('state'), folder: at('project') };
    expect(await loadPolicy({ home: at('home'), ...folders })).toMatchObject({ problems: [], unkept: null });
  };
  /** As hosts run it. */
  const run = (input: string): { readonly printed: unknown; readonly status: number | null } => {
    const { stdout, status } = spawnSync('/bin/sh', ['-c', command], {
      env: env(),
      cwd: at('project'),
      input,
      encoding: 'utf8',
    });
    return { printed: stdout === '' ? '' : JSON.parse(stdout), status };
  };
  const say = (text: string): unknown => run(JSON.stringify(call(text))).printed;

  it('answers by the policy in the format of the host, and logs the call', async () => {
    await setPolicy('deny');
    expect(say('rm x')).toMatchObject(no);
    expect(say('mv x y')).toMatchObject(ask);
    expect(say('ls')).toBe('');
    const log = (await troupe('guard', 'log', '--json'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(log.map(({ host, tool, summary, decision }) => [host, tool, summary, decision])).toEqual([
      [name, 'Bash', 'rm x', 'deny'],
      // Where the host cannot ask, troupe would; without a server that is a no.
      [name, 'Bash', 'mv x y', ['codex', 'gemini'].includes(name) ? 'deny' : 'ask'],
      [name, 'Bash', 'ls', 'none'],
    ]);
  });

  it('says nothing without a policy', () => {
    expect(say('rm x')).toBe('');
  });

  it('answers with on_error when the input is not a call', async () => {
    await setPolicy('deny');
    for (const input of ['', 'no json', '{"a":1}']) expect(run(input)).toMatchObject({ status: 0, printed: no });
    await setPolicy('ask');
    expect(run('{')).toMatchObject({ status: 0, printed: ask });
    await setPolicy('none');
    expect(run('{')).toMatchObject({ status: 0, printed: '' });
  });

  it('answers by the stub alone when node fails', async () => {
    await setPolicy('deny');
    const stub = at('state/bin/guard');
    writeFileSync(stub, readFileSync(stub, 'utf8').replace(/^node=.*$/m, "node='/bin/false'"));
    expect(run(JSON.stringify(call('ls')))).toMatchObject({ status: 0, printed: no });
  });

  it('stops the call when the stub is gone', async () => {
    await setPolicy('deny');
    rmSync(at('state/bin'), { recursive: true });
    expect(run(JSON.stringify(call('ls'))).status).toBe(2);
  });

  it('leaves nothing behind after uninstall', async () => {
    expect(existsSync(at('home', settings))).toBe(true);
    await troupe('hooks', 'uninstall', ...named, '--yes');
    expect(existsSync(at('home', path.dirname(settings)))).toBe(false);
  });
});
