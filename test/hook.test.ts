import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type HookStubs, writeHookStubs } from '../src/hook/index.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { type ProgramHome, programIn } from './testing/program.ts';

// The commands that a host runs, with the built program behind them: with a server, without one, and while it dies.

const root = fileURLToPath(new URL('..', import.meta.url));
const hookFile = path.join(root, 'dist/hook.cjs');

let home = '';
let state = '';
let stubs: HookStubs;
let servers: ChildProcess[] = [];
beforeEach(async () => {
  home = makeTemporaryFolder('hook-test');
  state = path.join(home, 'state');
  mkdirSync(path.join(home, '.claude'));
  stubs = await writeHookStubs(state, { node: process.execPath, hookFile });
});
afterEach(async () => {
  for (const server of servers) {
    server.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'close');
  }
  servers = [];
});

const environment = (): NodeJS.ProcessEnv => {
  const { CLAUDE_CONFIG_DIR: _c, XDG_CONFIG_HOME: _x, XDG_STATE_HOME: _s, ...clean } = process.env;
  return { ...clean, HOME: home, TROUPE_HOME: state };
};

const program = (): ProgramHome => programIn(home, { env: { TROUPE_HOME: state } });

async function startServer(): Promise<ChildProcess> {
  const { child: server } = program().start(['--no-open'], { stdio: 'ignore' });
  servers.push(server);
  await vi.waitFor(() => expect(readFileSync(address(), 'utf8')).toContain(`${server.pid} `), 30_000);
  return server;
}

const address = (): string => path.join(state, 'hook-address');

async function callGuard(payload: string | Buffer, host = 'claude-code'): Promise<string> {
  const child = spawn('sh', ['-c', `'${stubs.guard}' ${host}`]);
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      out += data;
    });
  child.stdin.on('error', () => undefined);
  child.stdin.end(payload);
  const [status] = await once(child, 'close');
  return `${status}${out}`;
}

interface Kept {
  readonly payload: string;
  readonly last: { readonly ppid?: number; readonly decision?: string; readonly ms?: number };
}

/** In the spool, or where a server that drained it put what is no call of any host: the payloads here are none. */
function kept(): readonly Kept[] {
  const spool = path.join(state, 'spool');
  return [spool, path.join(spool, 'bad')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => {
      const text = readFileSync(path.join(entry.parentPath, entry.name), 'utf8');
      const end = text.lastIndexOf('\n', text.length - 2);
      return { payload: text.slice(0, end), last: JSON.parse(text.slice(end)) };
    })
    .sort((one, other) => (one.payload < other.payload ? -1 : 1));
}

/** A draft is there only while its hook runs. */
const leftovers = (): readonly string[] =>
  readdirSync(path.join(state, 'spool')).filter((name) => name.startsWith('.'));
const errors = (): string => {
  const file = path.join(state, 'hook-errors.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

describe('the guard', () => {
  it('with a server: the server keeps the call, no node is started', async () => {
    await startServer();
    // Were it started, this would be seen.
    const { guard } = await writeHookStubs(state, { node: '/nowhere/node', hookFile: '/nowhere/hook.cjs' });
    expect(guard).toBe(stubs.guard);
    const call = (id: string, content: string): string =>
      JSON.stringify({
        ...{ hook_event_name: 'PreToolUse', session_id: 's1', cwd: home, tool_use_id: id },
        ...{ tool_name: 'Write', tool_input: { file_path: '/x', content } },
      });
    expect(await callGuard(call('small', 'x'))).toBe('0');
    expect(await callGuard(call('big', 'x'.repeat(10 * 1024 * 1024)))).toBe('0');
    const audited = await vi.waitFor(
      () => {
        const folder = path.join(state, 'audit');
        const days = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
        const lines = days.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n'));
        expect(lines).toHaveLength(2);
        return lines.map((line) => JSON.parse(line));
      },
      { timeout: 30_000 },
    );
    expect(audited.map(({ call: id }) => id).sort()).toEqual(['big', 'small']);
    for (const entry of audited) expect(entry).toMatchObject({ decision: 'none', ms: expect.any(Number) });
    expect([leftovers(), existsSync(path.join(state, 'hook-failure'))]).toEqual([[], false]);
  });

  it.each(['without a server', 'with a server'])(
    '%s: denies commands that hide code behind the one command that is allowed',
    async (how) => {
      writeFileSync(
        path.join(state, 'policy.yaml'),
        'version: 1\ndefaults: { main: deny, subagent: deny, unknown: deny }\nrules: [{ tools: "Bash(ls:*)", decision: allow }]\n',
      );
      expect((await program().run(['guard', 'check'])).code).toBe(0);
      if (how === 'with a server') await startServer();
      const decisionOn = async (command: string): Promise<string> => {
        const of = { session_id: 's', cwd: home, tool_use_id: 't', agent_id: 'a', agent_type: 'coder' };
        const payload = { ...of, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } };
        const [, answer = ''] = /^0(\{.*\})$/s.exec(await callGuard(JSON.stringify(payload))) ?? [];
        return JSON.parse(answer).hookSpecificOutput.permissionDecision;
      };
      const x = 'x="a[\\$(id >&2)]"; ';
      for (const command of [
        'test -v "a[\\$(git push >&2)]"; ls',
        `${x}ls $((x))`,
        'declare "a[\\$(id >&2)]=1"; ls',
        `${x}ls "\${PATH:x:1}"`,
        'true & wait -n -p "a[\\$(id >&2)]"; ls',
        'read x <<< "a[\\$(id >&2)]"; ls $((x))',
        './echo; ls',
        'git() { ls; }; command git push',
      ])
        expect([command, await decisionOn(command)]).toEqual([command, 'deny']);
      for (const command of ['ls', 'ls -la "$HOME" | ls', 'for f in a b; do ls "$f"; done'])
        expect([command, await decisionOn(command)]).toEqual([command, 'allow']);
    },
  );

  it('a host that the server does not know, and a server that was killed: node keeps the call', async () => {
    const server = await startServer();
    expect(statSync(address()).mode & 0o777).toBe(0o600);
    expect(await callGuard('{"n":1}', 'another-host')).toBe('0');
    server.kill('SIGKILL');
    await once(server, 'close');
    expect(existsSync(address())).toBe(true);
    expect(await callGuard('{"n":2}')).toBe('0');
    expect(kept().map(({ payload, last }) => [payload, last.decision])).toEqual([
      ['{"n":1}', 'none'],
      ['{"n":2}', 'none'],
    ]);
    expect([leftovers(), errors()]).toEqual([[], '']);
  });

  it('a server that ends takes its address away; the next has another key', async () => {
    const server = await startServer();
    const first = readFileSync(address(), 'utf8');
    server.kill('SIGTERM');
    await once(server, 'close');
    expect(existsSync(address())).toBe(false);
    await startServer();
    expect(readFileSync(address(), 'utf8').split(' ')[2]).not.toBe(first.split(' ')[2]);
  });

  it('ten at once while servers are killed: every call is kept once', async () => {
    const CALLS = 60;
    let [next, server] = [0, await startServer()];
    let isOver = false;
    const callers = Array.from({ length: 10 }, async () => {
      while (next < CALLS) expect(await callGuard(`{"n":${next++}}`)).toBe('0');
    });
    const killer = (async () => {
      while (!isOver) {
        // Some calls later.
        const called = next;
        await vi.waitUntil(() => isOver || next > called + 8, { timeout: 60_000, interval: 5 });
        server.kill('SIGKILL');
        await once(server, 'close');
        server = await startServer();
      }
    })();
    await Promise.all(callers);
    isOver = true;
    await killer;
    // The last server drains meanwhile: until nothing moves any more.
    await vi.waitFor(() => {
      const numbers = kept().map(({ payload }) => JSON.parse(payload).n);
      // One whose server died over it waits under its draft to be rescued.
      const waiting = leftovers().filter((name) => name.startsWith('.new-')).length;
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(numbers.length + waiting).toBe(CALLS);
    }, 30_000);
    expect(errors()).toBe('');
  });
});

describe('hook.cjs', () => {
  const run = (args: readonly string[], input = '') => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [hookFile, ...args], { input, env: environment() });
    return `${status}${stdout}${stderr}`;
  };

  it('is small, and one file', () => {
    expect(statSync(hookFile).size).toBeLessThan(44 * 1024);
    expect(readFileSync(hookFile, 'utf8')).not.toMatch(/require\("(?!node:)/);
  });

  it('reads a call from stdin when it runs without a stub', () => {
    expect(run(['guard', 'claude-code'], '{"a":"é"}')).toBe('0');
    expect(run(['guard', 'claude-code'], '')).toBe('0');
    expect(kept()).toMatchObject([{ payload: '{"a":"é"}', last: { ppid: process.pid, decision: 'none' } }]);
    expect(errors()).toBe('');
  });

  it('of many rules, each is found by whom and what it is about', async () => {
    const rules = [
      ...['git', 'rm', 'curl'].map((name) => `{ tools: "Bash(${name}:*)", decision: deny, reason: all-${name} }`),
      ...['dd', 'nc'].map(
        (name) => `{ agents: { type: a }, tools: "Bash(${name}:*)", decision: deny, reason: a-${name} }`,
      ),
      '{ agents: { type: b }, tools: [Edit, "Bash(ls:*)"], decision: deny, reason: b }',
    ];
    writeFileSync(
      path.join(state, 'policy.yaml'),
      `version: 1\nrules:\n${rules.map((rule) => `- ${rule}\n`).join('')}`,
    );
    const say = (type: string, tool_name: string, tool_input: object): string => {
      const event = { session_id: 's', transcript_path: '/x/s.jsonl', cwd: home, hook_event_name: 'PreToolUse' };
      const call = { ...event, agent_id: 'x', agent_type: type, tool_name, tool_input };
      return (
        /"permissionDecisionReason":"(?:[^"\\]|\\.)*?(all-\w+|[ab]-\w+|\bb\b)/.exec(
          run(['guard', 'claude-code'], JSON.stringify(call)),
        )?.[1] ?? ''
      );
    };
    const bash = (type: string, command: string): string => say(type, 'Bash', { command });
    // The first call has the policy compiled, which a busy machine may not finish in time for it.
    await vi.waitUntil(() => bash('c', 'git y') === 'all-git', { timeout: 60_000 });
    expect(['git', 'rm', 'curl', 'ls', 'dd'].map((name) => bash('c', `cd x && ${name} y`))).toEqual([
      ...['all-git', 'all-rm', 'all-curl', '', ''],
    ]);
    expect(['dd', 'nc', 'rm', 'ls'].map((name) => bash('a', `env X=1 ${name} y`))).toEqual([
      'a-dd',
      'a-nc',
      'all-rm',
      '',
    ]);
    expect([
      bash('b', 'ls'),
      bash('b', 'dd'),
      say('b', 'Edit', { file_path: '/x' }),
      say('a', 'Edit', { file_path: '/x' }),
    ]).toEqual(['b', '', 'b', '']);
    // What is not known may be any of them.
    expect(bash('a', '$x y')).toBe('all-git');
  });

  it('prints nothing to the host when something fails, and writes a short log', () => {
    for (const args of [[], ['x'], ['guard'], ['guard', '../x'], ['guard', 'claude-code', '/x/y/z', '1', '2']])
      expect(run(args, '{}')).toBe('0');
    expect(kept()).toEqual([]);
    const lines = errors()
      .split('\n')
      .filter((line) => /^\d{4}-/.test(line));
    expect(lines).toHaveLength(4);
    writeFileSync(path.join(state, 'hook-errors.log'), 'x'.repeat(70_000));
    run(['x']);
    expect(errors().length).toBeLessThan(5_000);
    expect(statSync(path.join(state, 'hook-errors.log.1')).size).toBe(70_000);
  });
});
