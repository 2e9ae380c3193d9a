import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { formatHookCommand } from '../../../core/index.ts';
import { makeTemporaryFolder } from '../../../lib/testing/temporary-folder.ts';
import { formatAnswer, formatReply } from '../guard.ts';
import { pluginText } from './plugin-text.ts';

// The very text that is installed, in this process: with the scripts of a test in the place of ours, and a client that knows
// two sessions.

interface Hooks {
  'tool.execute.before'(input: object, output: { args: object }): Promise<void>;
  'tool.execute.after'(input: object, output?: { output: string }): Promise<void>;
  event(news: { event: { type: string; properties: object } }): Promise<void>;
}

let folder = '';
let plugins = 0;
let posted: unknown[] = [];
let pending: unknown[] = [];
beforeEach(() => {
  folder = makeTemporaryFolder('plugin');
  for (const name of ['bin', 'heard']) mkdirSync(at(name));
  [posted, pending] = [[], [{ id: 'per_1' }]];
});

const at = (...parts: string[]): string => path.join(folder, ...parts);
/** One file each: they may be told at the same moment. */
const heard = (): { hook: string; line: { id: string }[] }[] =>
  readdirSync(at('heard'))
    .filter((name) => !name.startsWith('.'))
    .map((name) => JSON.parse(readFileSync(at('heard', name), 'utf8')));

/** A script of ours that keeps what it is told, and then does as the test says. */
function script(role: 'observe' | 'guard', then: string): void {
  writeFileSync(at('bin', role), `#!/bin/sh\ncd '${at('heard')}' && cat > .$$ && mv .$$ $$\n${then}\n`);
  chmodSync(at('bin', role), 0o700);
}

const printing = (text: string): string => `printf '%s' '${text}'`;

const SESSIONS: Readonly<Record<string, object>> = {
  ses_low: { id: 'ses_low', parentID: 'ses_top', title: 'Clean up (@general subagent)', directory: '/p' },
  ses_top: { id: 'ses_top', title: 'A day', directory: '/p' },
};

function install(roles: readonly ('observe' | 'guard')[]): string {
  const command = (role: 'observe' | 'guard'): string =>
    formatHookCommand(
      { role, file: at('bin', role), version: '0.1.0', ...(role === 'guard' && { policy: at('policy.yaml') }) },
      'opencode',
    );
  const file = at(`plugin-${++plugins}.mjs`);
  const guard = roles.includes('guard') ? { guard: command('guard') } : {};
  writeFileSync(file, pluginText({ observe: command('observe'), ...guard }));
  return pathToFileURL(file).href;
}

async function load(
  roles: readonly ('observe' | 'guard')[] = ['observe', 'guard'],
  mcp: object = { status: async () => ({ data: { files: {} } }) },
): Promise<Hooks> {
  const { Troupe } = await import(install(roles));
  return Troupe({
    directory: folder,
    client: {
      session: { get: async ({ path: { id } }: { path: { id: string } }) => ({ data: SESSIONS[id] }) },
      mcp,
      _client: {
        get: async () => ({ data: pending }),
        post: async (request: { path: object; body: object }) => {
          posted.push({ ...request.path, ...request.body });
          return { response: { ok: true, status: 200 } };
        },
      },
    },
  });
}

/** The pauses of the plugin pass at once; its scripts run as ever. */
function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

const CALL = { tool: 'bash', sessionID: 'ses_low', callID: 'call_1' };
const callTool = (hooks: Hooks, args: object = { command: 'rm -rf build' }): Promise<void> =>
  hooks['tool.execute.before'](CALL, { args });

describe('in front of a call', () => {
  it('the scripts are told who calls, with all above it', async () => {
    script('guard', '');
    await callTool(await load());
    expect(heard()).toEqual([
      {
        hook: 'tool.execute.before',
        session: 'ses_low',
        line: [
          { id: 'ses_low', parent: 'ses_top', title: 'Clean up (@general subagent)', directory: '/p' },
          { id: 'ses_top', title: 'A day', directory: '/p' },
        ],
        directory: folder,
        servers: ['files'],
        tool: 'bash',
        call: 'call_1',
        args: { command: 'rm -rf build' },
      },
    ]);
  });

  it('a deny stops it with the reason, and so does an ask that nobody could put', async () => {
    for (const decision of ['deny', 'ask'] as const) {
      script('guard', printing(formatAnswer({ decision, reason: 'Not here.' })));
      await expect(callTool(await load())).rejects.toThrow('Not here.');
    }
  });

  it('the agent reads a note behind the result', async () => {
    script('guard', printing(formatAnswer({ decision: 'none', reason: 'r', note: 'Finish soon.' })));
    const hooks = await load();
    await callTool(hooks);
    const output = { output: 'listed' };
    await hooks['tool.execute.after'](CALL, output);
    expect(output.output).toBe('listed\n\nFinish soon.');
  });

  it('an allow lets it go on, with what it was given', async () => {
    const input = { command: 'export A=1\nls' };
    script('guard', printing(formatAnswer({ decision: 'allow', reason: 'r', input }).replaceAll('\\n', '\\\\n')));
    const args = { command: 'ls', description: 'List' };
    await callTool(await load(), args);
    expect(args.command).toContain('export A=1');
    expect(args.description).toBe('List');
  });

  it.each([
    ['half an answer', printing('{"decision":'), 'could not be asked'],
    ['code 2', 'echo "It is gone." >&2; exit 2', 'It is gone.'],
    ['an end by force', 'kill -9 $$', 'could not be asked'],
  ])('%s stops it', async (_, then, words) => {
    script('guard', then);
    await expect(callTool(await load())).rejects.toThrow(words);
  });

  it('a guard that is gone stops it where there is a policy, and only there', async () => {
    const hooks = await load();
    await callTool(hooks);
    writeFileSync(at('policy.yaml'), '');
    await expect(callTool(hooks)).rejects.toThrow('the guard cannot run');
  });

  it('an observer holds nothing up', async () => {
    script('observe', 'exit 2');
    await callTool(await load(['observe']));
    expect(heard()).toHaveLength(1);
  });

  it('a program that cannot be asked for its servers loses nothing but their names', async () => {
    script('guard', '');
    await callTool(await load(['observe', 'guard'], {}));
    expect(heard()).toMatchObject([{ servers: [], tool: 'bash' }]);
  });

  it('the same plugin, loaded twice, tells of it once; the next call with the same id is another one', async () => {
    script('guard', printing(formatAnswer({ decision: 'deny', reason: 'No.' })));
    const [one, two] = [await load(), await load()];
    const output = { args: { command: 'ls' } };
    for (const hooks of [one, two]) await expect(hooks['tool.execute.before'](CALL, output)).rejects.toThrow('No.');
    expect(heard()).toHaveLength(1);
    await expect(callTool(one)).rejects.toThrow('No.');
    expect(heard()).toHaveLength(2);
  });
});

describe('a permission that the program asks for', () => {
  let count = 0;
  const ask = (hooks: Hooks): Promise<string> => {
    const id = `per_test_${process.pid}_${count++}`;
    pending = [{ id }];
    const properties = { id, sessionID: 'ses_low', permission: 'bash', patterns: ['rm *'], tool: { callID: 'call_1' } };
    return hooks.event({ event: { type: 'permission.asked', properties } }).then(() => id);
  };
  const served = (pid = process.pid): void => writeFileSync(at('hook-address'), `${pid} 1 key proof\n`);

  it('is put to troupe as the call that it is about, and the answer goes to the program', async () => {
    script('observe', '');
    script('guard', '');
    const hooks = await load();
    await callTool(hooks);
    script('guard', printing(formatReply('deny', 'A person said no.')));
    served();
    const id = await ask(hooks);
    await vi.waitUntil(() => posted.length > 0, { timeout: 30_000 });
    expect(posted).toEqual([{ requestID: id, reply: 'reject', message: 'A person said no.' }]);
    expect(heard().find(({ hook }) => hook === 'permission.question')).toMatchObject({
      session: 'ses_low',
      tool: 'bash',
      call: 'call_1',
      args: { command: 'rm -rf build' },
      permission: { id, permission: 'bash' },
    });
  });

  it('is told, and left to others, where our requests reach an instance that does not know it', async () => {
    script('observe', '');
    script('guard', printing(formatReply('allow', '')));
    served();
    fakeTimers();
    const hooks = await load();
    const id = await ask(hooks);
    pending = [];
    // Longer than it looks for it, and than it takes to find out what was dropped.
    await vi.advanceTimersByTimeAsync(3_500);
    await hooks.event({ event: { type: 'permission.replied', properties: { requestID: id } } });
    await vi.waitUntil(() => heard().some(({ hook }) => hook === 'permission.replied'), { timeout: 30_000 });
    expect([
      heard()
        .map(({ hook }) => hook)
        .sort(),
      posted,
    ]).toEqual([['permission.asked', 'permission.replied'], []]);
  });

  it('is answered at once where the guard has allowed the call', async () => {
    script('guard', printing(formatAnswer({ decision: 'allow', reason: 'A rule says so.' })));
    const hooks = await load();
    await callTool(hooks);
    const id = await ask(hooks);
    await vi.waitUntil(() => posted.length > 0, { timeout: 30_000 });
    expect(posted).toEqual([{ requestID: id, reply: 'once' }]);
  });

  it('is taken back when somebody else has answered, and nothing that is said then counts', async () => {
    script('observe', '');
    script('guard', `echo $$ > '${at('pid')}'; exec sleep 60`);
    served();
    const hooks = await load();
    const id = await ask(hooks);
    await vi.waitUntil(() => existsSync(at('pid')) && readFileSync(at('pid'), 'utf8') !== '', { timeout: 30_000 });
    const properties = { requestID: id, sessionID: 'ses_low', reply: 'once' };
    await hooks.event({ event: { type: 'permission.replied', properties } });
    const pid = readFileSync(at('pid'), 'utf8').trim();
    await vi.waitUntil(() => spawnSync('kill', ['-0', pid]).status !== 0, { timeout: 30_000 });
    await vi.waitUntil(() => heard().some(({ hook }) => hook === 'permission.replied'), { timeout: 30_000 });
    expect(posted).toEqual([]);
  });

  it('is not answered by what a guard says that could not be asked, nor put to a server that is gone', async () => {
    script('observe', '');
    script('guard', printing(formatAnswer({ decision: 'deny', reason: 'It failed.' })));
    served();
    fakeTimers();
    const hooks = await load();
    await ask(hooks);
    await vi.waitUntil(() => heard().some(({ hook }) => hook === 'permission.question'), { timeout: 30_000 });
    const gone = spawnSync('true').pid ?? 0;
    served(gone);
    const before = heard().length;
    await vi.advanceTimersByTimeAsync(10_000);
    pending = [];
    await vi.waitUntil(() => heard().some(({ hook }) => hook === 'permission.replied'), { timeout: 30_000 });
    expect([posted, heard().length]).toEqual([[], before + 1]);
  });

  // In a process of its own: one that waits for a FIFO cannot be stopped from inside.
  it.skipIf(process.platform === 'win32')(
    'does not wait for a FIFO in place of the address of the server',
    () => {
      script('observe', '');
      spawnSync('mkfifo', [at('hook-address')]);
      const text = `const { Troupe } = await import(${JSON.stringify(install(['observe', 'guard']))});
      // Asked for just before the address is read.
      const listed = async () => {
        setTimeout(() => process.exit(7), 200);
        return { data: [{ id: 'per_1' }] };
      };
      const client = { session: { get: async () => ({}) }, mcp: { status: async () => ({}) }, _client: { get: listed } };
      const { event } = await Troupe({ directory: '/', client });
      await event({ event: { type: 'permission.asked', properties: { id: 'per_1', sessionID: 's' } } });`;
      const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', text], { timeout: 20_000 });
      expect(status).toBe(7);
    },
    30_000,
  );
});

describe('in OpenCode 2', () => {
  type Hook = (event: Record<string, unknown>) => Promise<void>;

  /** A context as 2.0.15 hands it over, with what was asked of it. */
  async function setUp(roles: readonly ('observe' | 'guard')[] = ['observe', 'guard']) {
    const registered = new Map<string, Hook>();
    const hookInto =
      (domain: string) =>
      async (name: string, hook: Hook): Promise<void> =>
        void registered.set(`${domain}.${name}`, hook);
    const news: object[] = [];
    let wake = (): void => undefined;
    const { default: plugin } = await import(install(roles));
    await plugin.setup({
      app: { name: 'cli', version: '2.0.15' },
      location: { directory: folder },
      tool: { hook: hookInto('tool') },
      permission: {
        hook: hookInto('permission'),
        list: async () => pending,
        reply: async (request: object) => void posted.push(request),
      },
      mcp: { list: async () => [{ name: 'files' }] },
      session: {
        get: async ({ sessionID }: { sessionID: string }) => {
          const { directory, ...session } = SESSIONS[sessionID] as { directory: string };
          return { ...session, agent: sessionID === 'ses_low' ? 'general' : undefined, location: { directory } };
        },
      },
      event: {
        async *subscribe() {
          for (;;) {
            yield* news.splice(0);
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        },
      },
    });
    const call = (tool: string, input: object, id = 'call_1') => {
      const event = { tool, sessionID: 'ses_low', agent: 'general', messageID: 'msg_1', id, input };
      return registered.get('tool.execute.before')?.(event);
    };
    const say = (type: string, data: object): void => {
      news.push({ type, data });
      wake();
    };
    return { plugin, registered, call, say };
  }

  it('one definition is for it and for OpenCode 1, and the scripts are told who calls', async () => {
    script('guard', '');
    const { plugin, call } = await setUp();
    expect([plugin.id, typeof plugin.server, typeof plugin.setup]).toEqual(['troupe', 'function', 'function']);
    await call('shell', { command: 'rm -rf build' });
    expect(heard()).toEqual([
      {
        hook: 'tool.execute.before',
        session: 'ses_low',
        line: [
          {
            id: 'ses_low',
            parent: 'ses_top',
            agent: 'general',
            title: 'Clean up (@general subagent)',
            directory: '/p',
          },
          { id: 'ses_top', title: 'A day', directory: '/p' },
        ],
        directory: folder,
        servers: ['files'],
        tool: 'shell',
        call: 'call_1',
        args: { command: 'rm -rf build' },
      },
    ]);
  });

  it('a deny and an ask stop the call with their reason, and its permission stays refused', async () => {
    for (const decision of ['deny', 'ask'] as const) {
      script('guard', printing(formatAnswer({ decision, reason: 'Not here.' })));
      const { call, registered } = await setUp();
      await expect(call('shell', { command: 'ls' })).rejects.toThrow('Not here.');
      const event = { sessionID: 'ses_low', source: { type: 'tool', id: 'call_1' }, effect: 'allow', message: '' };
      await registered.get('permission.evaluate')?.(event);
      expect(event.effect).toBe('deny');
      expect(event.message).toContain('Not here.');
    }
  });

  it('a changed command is what runs', async () => {
    const input = { command: 'export A=1; ls' };
    script('guard', printing(formatAnswer({ decision: 'allow', reason: 'r', input })));
    const args = { command: 'ls' };
    await (await setUp()).call('shell', args);
    expect(args.command).toBe('export A=1; ls');
  });

  it('a guard that is gone stops the call where there is a policy', async () => {
    const { call } = await setUp();
    writeFileSync(at('policy.yaml'), '');
    await expect(call('shell', { command: 'ls' })).rejects.toThrow('the guard cannot run');
  });

  it('a call that the hook does not describe is stopped', async () => {
    const { registered } = await setUp();
    await expect(registered.get('tool.execute.before')?.({ input: {} })).rejects.toThrow('not told which call');
  });

  it('calls that code makes have the id of the code, and are told one by one', async () => {
    script('guard', '');
    const { call, registered } = await setUp();
    await call('execute', { code: 'tools.files.read({})' });
    await call('files_read', { name: 'a' });
    await call('files_read', { name: 'b' });
    await call('shell', { command: 'ls' }, 'call_2');
    await registered.get('tool.execute.after')?.({ tool: 'execute', sessionID: 'ses_low', id: 'call_1' });
    await call('shell', { command: 'pwd' });
    const told = (heard() as { tool?: string; call?: string; within?: string }[]).map(({ tool, call: id, within }) =>
      [tool, id, within].join(' ').trim(),
    );
    expect(told.toSorted()).toEqual([
      'execute call_1',
      'files_read call_1#1 execute',
      'files_read call_1#2 execute',
      'shell call_1',
      'shell call_2',
    ]);
  });

  it('a permission that it asks for is put to troupe, and the answer goes back', async () => {
    script('observe', '');
    script('guard', '');
    const { call, say } = await setUp();
    await call('shell', { command: 'rm -rf build' });
    script('guard', printing(formatReply('deny', 'A person said no.')));
    writeFileSync(at('hook-address'), `${process.pid} 1 key proof\n`);
    const id = `per_second_${process.pid}`;
    pending = [{ id }];
    const source = { type: 'tool', messageID: 'msg_1', id: 'call_1' };
    say('permission.asked', { id, sessionID: 'ses_low', action: 'shell', resources: ['rm *'], source });
    await vi.waitUntil(() => posted.length > 0, { timeout: 30_000 });
    expect(posted).toEqual([{ sessionID: 'ses_low', requestID: id, decision: 'reject', message: 'A person said no.' }]);
    expect(heard().find(({ hook }) => hook === 'permission.question')).toMatchObject({
      tool: 'shell',
      args: { command: 'rm -rf build' },
      permission: { id, permission: 'shell', patterns: ['rm *'] },
    });
  });

  it('a context without hooks is that of 1.18.34, or of a version in which the plugin must fail', async () => {
    const { plugin } = await setUp();
    expect(await plugin.setup({ options: {}, agent: {} })).toBeUndefined();
    await expect(plugin.setup({ app: { version: '3.0.0' } })).rejects.toThrow('no hook in front of tool calls');
  });
});
