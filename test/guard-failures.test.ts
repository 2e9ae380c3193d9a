import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadPolicy } from '../src/guard/index.ts';
import { guardScript } from '../src/hook/hook-stubs.ts';
import { keepContents, makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { type ProgramHome, programIn } from './testing/program.ts';

// Whatever goes wrong with the guard, a host gets an answer: that of the policy where it can still be had, else its on_error.
// Real processes: the command that `hooks install` enters, the stub, the built hook file, with and without a server.

let base = '';
/** Puts everything back to how it was just after the installation. */
let reset: () => void;
let server: ChildProcess | undefined;
beforeAll(async () => {
  base = makeTemporaryFolder("o'clock failures");
  for (const folder of ['home/.claude', 'project/.git', 'bin']) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('home/.claude/settings.json'), '{}');
  const args = ['hooks', 'install', '--guard', '--yes', '--host-version', '2.1.325'];
  expect((await troupe().run(args)).code).toBe(0);
  // On a busy machine node may take longer to start than the stub waits: that would test on_error instead of the policy.
  writeFileSync(guardFile(), waitingFor(60, readFileSync(guardFile(), 'utf8')));
  reset = keepContents(base);
});

/** The stub with another limit for the answer of node. */
function waitingFor(seconds: number, script: string): string {
  const limit = /(read -r -t|sleep) 7\b/g;
  expect(script).toMatch(limit);
  return script.replaceAll(limit, `$1 ${seconds}`);
}

async function stopServer(): Promise<void> {
  if (server && server.exitCode === null && server.signalCode === null) {
    server.kill('SIGCONT');
    server.kill('SIGKILL');
    await once(server, 'close');
  }
  server = undefined;
}

const at = (...parts: string[]): string => path.join(base, ...parts);
const environment = (): NodeJS.ProcessEnv => {
  const { CLAUDE_CONFIG_DIR: _c, XDG_CONFIG_HOME: _x, XDG_STATE_HOME: _s, TROUPE_HOME: _t, ...clean } = process.env;
  return { ...clean, HOME: at('home') };
};
const troupe = (): ProgramHome => programIn(at('home'), { cwd: at('project') });
const state = (...parts: string[]): string => at('home/.local/state/troupe', ...parts);
const guardFile = (): string => state('bin/guard');

/** `deny` for one command, and what is to be said where something goes wrong. */
async function policy(onError: string | undefined, compiled = true): Promise<void> {
  mkdirSync(at('home/.config/troupe'), { recursive: true });
  const text = `version: 1\n${onError ? `on_error: ${onError}\n` : ''}rules: [{ tools: "Bash(rm:*)", decision: deny }]\n`;
  writeFileSync(at('home/.config/troupe/policy.yaml'), text);
  if (compiled) await compile();
}

/** As `troupe guard check` does it in the project. */
async function compile(): Promise<void> {
  const where = { home: at('home'), configFolder: at('home/.config/troupe'), stateFolder: state() };
  expect(await loadPolicy({ ...where, folder: at('project') })).toMatchObject({ problems: [], unkept: null });
}

const call = (command: string): string =>
  JSON.stringify({
    session_id: 's',
    transcript_path: at('s.jsonl'),
    cwd: at('project'),
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: 't1',
    agent_id: 'a1',
    agent_type: 'coder',
  });

interface Said {
  readonly code: number | null;
  /** `ask` and `deny` in so many words, `silence`, or what else was printed. */
  readonly answer: string;
  readonly reason: string;
}

/** As a host does: the very command that stands in its settings, through `sh -c`. */
async function ask(payload: string | Buffer, { env = environment(), before = '' } = {}): Promise<Said> {
  const settings = JSON.parse(readFileSync(at('home/.claude/settings.json'), 'utf8'));
  const command = `${before}${settings.hooks.PreToolUse[0].hooks[0].command}`;
  const child = spawn('sh', ['-c', command], { env, cwd: at('project') });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(payload);
  const [code] = await once(child, 'close');
  if (out === '') return { code, answer: 'silence', reason: err };
  const { permissionDecision: answer, permissionDecisionReason: reason } = JSON.parse(out).hookSpecificOutput;
  return { code, answer, reason };
}

async function startServer(): Promise<void> {
  server = troupe().start(['--no-open', '--root', at('home')], { stdio: 'ignore' }).child;
  await vi.waitFor(() => expect(readFileSync(state('hook-address'), 'utf8')).toContain(`${server?.pid} `), 30_000);
}

interface Changes {
  readonly node?: string;
  readonly hookFile?: string;
  readonly bash?: boolean;
  /** How long it waits for node. */
  readonly nodeSeconds?: number;
}

/** The stub with other words in it: another node, another hook file, no bash. */
function restub({ nodeSeconds = 60, ...changes }: Changes): void {
  const text = readFileSync(guardFile(), 'utf8');
  const word = (name: string): string =>
    /^'(.*)'$/.exec(new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '')?.[1] ?? '';
  const plain = (name: string): string => word(name).replaceAll(`'\\''`, "'");
  const bash = changes.bash === false ? undefined : /^#!(\S+) -p/.exec(text)?.[1];
  const said = (decision: string) =>
    JSON.stringify({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: decision,
        permissionDecisionReason: 'The guard of troupe could not be asked. See: troupe doctor',
      },
    });
  const words = {
    ...{ state: plain('state'), config: plain('config'), node: plain('node'), hookFile: plain('hook'), version: '1' },
    ...changes,
    bash,
    answers: { 'claude-code': { ask: said('ask'), deny: said('deny') } },
  };
  if (changes.node === undefined && changes.hookFile === undefined && changes.bash === undefined)
    throw new Error('nothing to change');
  writeFileSync(guardFile(), waitingFor(nodeSeconds, guardScript(words)), { mode: 0o700 });
  chmodSync(guardFile(), 0o700);
}

const BROKEN: readonly (readonly [string, () => void])[] = [
  ['node is gone', () => restub({ node: at('bin/none'), hookFile: at('bin/none.cjs') })],
  ['node dies at once', () => restub({ node: program('exit 1') })],
  ['node is killed', () => restub({ node: program('kill -9 $$') })],
  ['node says half of it and dies', () => restub({ node: program(`printf '{"hook'; exit 134`) })],
  ['the hook file is gone', () => restub({ hookFile: at('bin/none.cjs') })],
  ['the hook file is no program', () => restub({ hookFile: written('bin/bad.cjs', 'const') })],
  ['node hangs', () => restub({ node: program('exec sleep 100'), nodeSeconds: 1 })],
];

function program(text: string): string {
  const file = written('bin/node', `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o700);
  return file;
}

function written(name: string, text: string): string {
  writeFileSync(at(name), text);
  return at(name);
}

describe('without a server, when the policy cannot be read', () => {
  beforeEach(() => reset());

  it.each(BROKEN)('answers with on_error of the policy when %s', async (how, spoil) => {
    await policy('deny');
    spoil();
    expect(await ask(call('ls'))).toMatchObject({
      code: 0,
      answer: 'deny',
      reason: expect.stringMatching(/could not be asked/),
    });
    if (how === 'node hangs') return;
    await policy(undefined);
    expect((await ask(call('ls'))).answer).toBe('ask');
    await policy('none');
    expect((await ask(call('ls'))).answer).toBe('silence');
    rmSync(at('home/.config/troupe/policy.yaml'));
    expect(await ask(call('ls'))).toMatchObject({ code: 0, answer: 'silence', reason: '' });
    const kept = readdirSync(state('spool')).map((name) =>
      readFileSync(state('spool', name), 'utf8').split('\n').at(-2),
    );
    expect(kept.map((line) => JSON.parse(line ?? '').decision).sort()).toEqual(['ask', 'deny', 'none', 'none']);
  });

  it.each(BROKEN)('answers with on_error in a shell other than bash when %s', async (how, spoil) => {
    await policy('deny');
    spoil();
    const text = readFileSync(guardFile(), 'utf8');
    const node = /^node='(.*)'$/m.exec(text)?.[1]?.replaceAll(`'\\''`, "'");
    const hookFile = /^hook='(.*)'$/m.exec(text)?.[1]?.replaceAll(`'\\''`, "'");
    const patience = how === 'node hangs' ? { nodeSeconds: 1 } : {};
    restub({ bash: false, ...(node && { node }), ...(hookFile && { hookFile }), ...patience });
    expect((await ask(call('ls'))).answer).toBe('deny');
  });

  it('asks when the policy was never compiled, and applies a project policy only in that project', async () => {
    await policy(undefined, false);
    restub({ node: at('bin/none'), hookFile: at('bin/none.cjs') });
    expect((await ask(call('ls'))).answer).toBe('ask');
    await policy('none');
    mkdirSync(at('project/.troupe'));
    written('project/.troupe/policy.yaml', 'version: 1\n"on_error": deny\n');
    expect((await ask(call('ls'))).answer).toBe('ask');
    await compile();
    expect((await ask(call('ls'))).answer).toBe('deny');
    rmSync(state('policy'), { recursive: true });
    written('project/.troupe/policy.yaml', 'version: 1\non_error: deny\n');
    expect((await ask(call('ls'))).answer).toBe('deny');
    await policy('none');
    rmSync(at('project/.troupe/policy.yaml'));
    expect((await ask(call('ls'))).answer).toBe('silence');
  });

  it('exits with 2 when the stub has no answer for the host', async () => {
    await policy('deny');
    const stopped = () => {
      const { status, stdout, stderr } = spawnSync(guardFile(), ['other-host'], { input: '{}', env: environment() });
      expect([status, `${stdout}`, `${stderr}`]).toEqual([2, '', expect.stringContaining('could not be asked')]);
    };
    stopped();
    restub({ node: at('bin/none'), hookFile: at('bin/none.cjs') });
    stopped();
  });

  it('stops the call and says how to uninstall when the guard script is gone', async () => {
    await policy(undefined);
    rmSync(state('bin'), { recursive: true });
    expect(await ask(call('ls'))).toMatchObject({ code: 2, reason: expect.stringContaining('troupe hooks uninstall') });
    rmSync(at('home/.config/troupe/policy.yaml'));
    expect(await ask(call('ls'))).toMatchObject({ code: 1, reason: expect.stringContaining('nobody checked') });
  });
});

const ODD: readonly (readonly [string, string | Buffer])[] = [
  ['nothing', ''],
  ['no JSON', 'x'],
  ['half of it', call('ls').slice(0, 100)],
  ['10 MB of no JSON', Buffer.alloc(10 * 1024 * 1024, 'x')],
  ['10 MB of NUL', Buffer.alloc(10 * 1024 * 1024)],
  ['another JSON', '[1, 2]'],
  ['deep JSON', '['.repeat(200_000)],
];

describe.each([false, true])('with a server: %s', (isServed) => {
  const begin = async (onError: string): Promise<void> => {
    reset();
    await policy(onError);
    if (isServed) await startServer();
  };

  describe('and a policy that denies on errors', () => {
    beforeAll(() => begin('deny'));
    afterAll(stopServer);

    it.each(ODD)('denies when the payload is %s', async (_, payload) => {
      expect((await ask(payload)).answer).toBe('deny');
    });

    it('denies when the disk is full in the middle', async () => {
      // No file may become longer than 4 blocks of 512 bytes, or 1,024.
      const long = JSON.stringify({ ...JSON.parse(call('ls')), padding: 'x'.repeat(100_000) });
      expect((await ask(long, { before: 'ulimit -f 4; ' })).answer).toBe('deny');
    });
  });

  describe('and a policy that allows on errors', () => {
    beforeAll(() => begin('none'));
    afterAll(stopServer);

    it('decides by the policy when the call is 10 MB long', async () => {
      const long = 'x'.repeat(10 * 1024 * 1024);
      expect((await ask(call('rm a'))).answer).toBe('deny');
      expect((await ask(JSON.stringify({ ...JSON.parse(call('rm a')), padding: long }))).answer).toBe('deny');
      // A command of which nobody can say what it does may be the one that is denied.
      expect((await ask(call(`echo ${long}`))).answer).toBe('ask');
    });

    it('decides by the policy when the environment has no home, or another', async () => {
      expect((await ask(call('rm a'), { env: { PATH: process.env['PATH'] } })).answer).toBe('deny');
      expect((await ask(call('rm a'), { env: { PATH: process.env['PATH'], HOME: '/nowhere' } })).answer).toBe('deny');
    });

    it('decides by the policy when the queue cannot be written', async () => {
      rmSync(state('spool'), { recursive: true });
      writeFileSync(state('spool'), 'in the way');
      expect((await ask(call('rm a'))).answer).toBe('deny');
      expect((await ask(call('ls'))).answer).toBe('silence');
    });
  });
});

type Prepared = { readonly payload?: string; readonly before?: string };

/** Paths on which a call once passed without a word. */
const SILENT: readonly (readonly [string, () => unknown, string])[] = [
  ['an empty stub', () => writeFileSync(guardFile(), ''), 'stopped'],
  [
    'a stub that is gone, with a policy of the project and the agent in a folder of it',
    async () => {
      rmSync(at('home/.config/troupe/policy.yaml'));
      for (const folder of ['project/.troupe', 'project/src/deep']) mkdirSync(at(folder), { recursive: true });
      writeFileSync(at('project/.troupe/policy.yaml'), 'version: 1\nrules: [{ tools: Bash, decision: deny }]\n');
      rmSync(guardFile());
      return { before: 'cd src/deep; ' };
    },
    'stopped',
  ],
  [
    'a policy that is a link to nowhere',
    () => {
      rmSync(at('home/.config/troupe/policy.yaml'));
      symlinkSync(at('nowhere.yaml'), at('home/.config/troupe/policy.yaml'));
    },
    'ask',
  ],
  [
    'a folder of the project that is a link to nowhere',
    () => {
      rmSync(at('home/.config/troupe/policy.yaml'));
      symlinkSync(at('nowhere'), at('project/.troupe'));
    },
    'ask',
  ],
  [
    'a policy that is a link to nowhere, and a stub that is gone',
    () => {
      rmSync(at('home/.config/troupe/policy.yaml'));
      symlinkSync(at('nowhere.yaml'), at('home/.config/troupe/policy.yaml'));
      rmSync(guardFile());
    },
    'stopped',
  ],
  [
    'a call without the name of its tool',
    () => ({ payload: JSON.stringify({ ...JSON.parse(call('ls')), tool_name: undefined }) }),
    'ask',
  ],
  [
    'a call whose tool is not a text',
    () => ({ payload: JSON.stringify({ ...JSON.parse(call('ls')), tool_name: 7 }) }),
    'ask',
  ],
  [
    'what was kept of on_error was changed, and the hook file is gone',
    () => {
      writeFileSync(state('policy/user.on-error'), 'none\n\n');
      writeFileSync(guardFile(), readFileSync(guardFile(), 'utf8').replace(/^hook=.*$/m, "hook='/nowhere/hook.cjs'"), {
        mode: 0o700,
      });
    },
    'ask',
  ],
];

describe('without a server', () => {
  beforeEach(() => reset());

  it('judges by the policy when nothing of it can be stored', async () => {
    await policy('none');
    rmSync(state('policy'), { recursive: true });
    writeFileSync(state('policy'), 'in the way');
    expect((await ask(call('ls'))).answer).toBe('silence');
    expect((await ask(call('rm a'))).answer).toBe('deny');
  });

  it('believes nothing that was kept of the policy', async () => {
    await policy('none');
    for (const name of readdirSync(state('policy'))) writeFileSync(state('policy', name), '{"policy":');
    expect((await ask(call('rm a'))).answer).toBe('deny');
    expect((await ask(call('ls'))).answer).toBe('silence');
  });

  it('asks when the policy is a FIFO or a link to itself', async () => {
    await policy('none');
    const file = at('home/.config/troupe/policy.yaml');
    rmSync(file);
    spawnSync('sh', ['-c', 'mkfifo "$0"', file]);
    expect((await ask(call('ls'))).answer).toBe('ask');
    rmSync(file);
    symlinkSync(file, file);
    expect((await ask(call('ls'))).answer).toBe('ask');
  });

  it('uses the compiled policy and sees changes when the clock was set', async () => {
    await policy('none');
    const file = at('home/.config/troupe/policy.yaml');
    const compiled = readdirSync(state('policy')).map((name) => state('policy', name));
    for (const year of ['1970', '2001', '2100']) {
      for (const one of [file, ...compiled]) utimesSync(one, new Date(`${year}-01-02`), new Date(`${year}-01-02`));
      expect((await ask(call('rm a'))).answer).toBe('deny');
      expect((await ask(call('ls'))).answer).toBe('silence');
    }
    written('home/.config/troupe/policy.yaml', readFileSync(file, 'utf8').replace('rm', 'mv'));
    utimesSync(file, new Date('2001-01-02'), new Date('2001-01-02'));
    expect((await ask(call('rm a'))).answer).toBe('silence');
    expect((await ask(call('mv a'))).answer).toBe('deny');
  });

  it('runs no machine code from the state folder', async () => {
    await policy('deny');
    expect((await ask(call('rm a'))).answer).toBe('deny');
    expect(existsSync(state('code'))).toBe(false);
  });

  it.each(SILENT)('does not pass over a call in silence: %s', async (_what, prepare, expected) => {
    await policy(undefined);
    const options = ((await prepare()) ?? {}) as Prepared;
    const { payload = call('ls'), ...how } = options;
    const { code, answer } = await ask(payload, how);
    expect(code === 2 ? 'stopped' : answer).toBe(expected);
  });

  it.runIf(process.getuid?.() === 0)('denies on a full and on a read-only disk what it denies elsewhere', async () => {
    await policy(undefined);
    const long = `rm a ${'#'.repeat(70_000)}`;
    const onDisk = async (options: string, prepare: string): Promise<readonly string[]> => {
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', state('spool')]);
      if (mounted.status !== 0) return ['deny', 'deny'];
      try {
        spawnSync('sh', ['-c', prepare], { cwd: state('spool') });
        if (options !== '') spawnSync('mount', ['-o', options, state('spool')]);
        return [(await ask(call('rm a'))).answer, (await ask(call(long))).answer];
      } finally {
        spawnSync('umount', [state('spool')]);
      }
    };
    expect(await onDisk('', 'dd if=/dev/zero of=fill bs=1k 2>&-')).toEqual(['deny', 'deny']);
    expect(await onDisk('remount,ro', ':')).toEqual(['deny', 'deny']);
  });
});

describe('with a server', () => {
  beforeEach(() => reset());
  afterEach(stopServer);

  it('leaves the decision to node when the server hangs or was killed', async () => {
    await policy('none');
    await startServer();
    server?.kill('SIGSTOP');
    expect((await ask(call('rm a'))).answer).toBe('deny');
    expect((await ask(call('ls'))).answer).toBe('silence');
    server?.kill('SIGKILL');
    expect((await ask(call('rm a'))).answer).toBe('deny');
  });

  it('answers with on_error when the server hangs and node is gone', async () => {
    await policy('deny');
    await startServer();
    restub({ node: at('bin/none'), hookFile: at('bin/none.cjs') });
    expect((await ask(call('ls'))).answer).toBe('silence');
    server?.kill('SIGSTOP');
    expect((await ask(call('ls'))).answer).toBe('deny');
  });

  it('still answers when the draft is gone before node reads it', async () => {
    await policy('deny');
    // The draft is gone when node comes to it.
    const gone = `rm -f "${state('spool')}"/.new-*; exec '${process.execPath}' "$@"`;
    restub({ node: program(gone) });
    expect(await ask(call('ls'))).toMatchObject({ code: 0, answer: 'deny' });
    expect(existsSync(state('hook-errors.log'))).toBe(true);
  });
});
