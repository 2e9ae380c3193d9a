import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { ADAPTERS } from '../../hosts/testing/all-hosts.ts';
import { runsOf } from '../../lib/testing/seed.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createHooksControl, type HooksControl } from './hooks-control.ts';

let base: string;
let now = 0;
let waitMs = 0;
beforeEach(() => {
  waitMs = 0;
  base = makeTemporaryFolder('hooks');
});

const at = (...parts: string[]): string => path.join(base, ...parts);
const own = (): string => at('home', '.claude', 'settings.json');
const HOST_VERSION = '2.1.325';

function control(version = '0.1.0'): HooksControl {
  mkdirSync(at('project'), { recursive: true });
  const stubs = {
    observe: at('state', 'bin', 'observe'),
    guard: at('state', 'bin', 'guard'),
    statusLine: at('state', 'bin', 'statusline'),
  };
  return createHooksControl({
    adapters: ADAPTERS,
    machine: { env: {}, home: at('home') },
    folder: at('project'),
    state: at('state'),
    version,
    clock: () => Date.UTC(2026, 10, 15) + now++,
    policy: at('config', 'policy.yaml'),
    stubs,
    findEvidence: async () => ({ heard: [], unheard: undefined }),
    longestWaitMs: async () => waitMs,
    writeStubs: async () => {
      mkdirSync(at('state', 'bin'), { recursive: true });
      for (const file of Object.values(stubs)) {
        writeFileSync(file, `#!/bin/sh\n# troupe ${version}: a test.\n`);
        chmodSync(file, 0o700);
      }
      return stubs;
    },
  });
}

async function install(scope: 'user' | 'project' | 'local' = 'user', version?: string): Promise<readonly string[]> {
  return (await control(version).planInstall({ scope, guard: false, hostVersion: HOST_VERSION })).apply();
}

async function uninstall(): Promise<void> {
  await (await control().planUninstall({})).apply();
}

function write(file: string, text: string | Buffer): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

describe('installing', () => {
  it('creates the settings file when there is none, and removes it again', async () => {
    await install();
    expect(JSON.parse(readFileSync(own(), 'utf8')).hooks.SubagentStart).toHaveLength(1);
    await uninstall();
    expect(existsSync(path.dirname(own()))).toBe(false);
  });

  it('keeps a folder that existed before, or that holds other files', async () => {
    await install();
    write(at('home', '.claude', 'history.jsonl'), '');
    await uninstall();
    expect(readdirSync(path.dirname(own()))).toEqual(['history.jsonl']);
    mkdirSync(at('project', '.claude'), { recursive: true });
    await install('project');
    await uninstall();
    expect(readdirSync(at('project', '.claude'))).toEqual([]);
  });

  it('warns when the plan would remove a guard', async () => {
    const plan = (guard: boolean) => control().planInstall({ scope: 'user', guard, hostVersion: HOST_VERSION });
    expect((await plan(false)).dropsGuard).toBe(false);
    await (await plan(true)).apply();
    expect([(await plan(true)).dropsGuard, (await plan(false)).dropsGuard]).toEqual([false, true]);
  });

  it('refuses a version without hooks', async () => {
    const request = { scope: 'user', guard: false, hostVersion: '0.2.9' } as const;
    await expect(control().planInstall(request)).rejects.toMatchObject({ code: 'host-too-old' });
  });

  it('writes nothing before the plan is applied', async () => {
    const plan = await control().planInstall({ scope: 'project', guard: false, hostVersion: HOST_VERSION });
    expect(plan.changes).toMatchObject([{ scope: 'project', before: null }]);
    expect(readdirSync(base)).toEqual(['project']);
    expect(readdirSync(at('project'))).toEqual([]);
  });

  it('changes nothing the second time', async () => {
    await install();
    const text = readFileSync(own(), 'utf8');
    expect(await install()).toEqual([]);
    expect(readFileSync(own(), 'utf8')).toBe(text);
  });

  it('keeps the rest of the text, mode and owner', async () => {
    write(own(), '{"a":1}');
    chmodSync(own(), 0o640);
    const [folder = ''] = await install();
    expect(readFileSync(path.join(folder, 'settings.json'), 'utf8')).toBe('{"a":1}');
    expect(statSync(own()).mode & 0o777).toBe(0o640);
    expect(readdirSync(path.dirname(own()))).toEqual(['settings.json']);
  });

  it('changes the target of a link, and leaves the link', async () => {
    write(at('dotfiles', 'claude.json'), '{}');
    mkdirSync(path.dirname(own()), { recursive: true });
    symlinkSync('../../dotfiles/claude.json', own());
    await install();
    expect(lstatSync(own()).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('dotfiles', 'claude.json'), 'utf8')).toContain('bin/observe');
    await uninstall();
    expect(readFileSync(at('dotfiles', 'claude.json'), 'utf8')).toBe('{}');
  });

  it('follows a link to a file that does not exist yet', async () => {
    mkdirSync(path.dirname(own()), { recursive: true });
    symlinkSync(at('elsewhere', 'settings.json'), own());
    await install();
    expect(existsSync(at('elsewhere', 'settings.json'))).toBe(true);
    expect(lstatSync(own()).isSymbolicLink()).toBe(true);
  });

  it.each([
    ['{"a": ', 'settings-invalid'],
    ['{\n  // mine\n  "a": 1\n}', 'settings-invalid'],
    ['{"hooks": []}', 'settings-invalid'],
    [`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'settings-invalid'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'settings-unreadable'],
    [Buffer.from('\ufeff{}', 'utf16le'), 'settings-unreadable'],
  ])('refuses %j, and leaves it as it is', async (text, code) => {
    write(own(), text);
    const bytes = readFileSync(own());
    await expect(install()).rejects.toMatchObject({ code });
    expect(readFileSync(own()).equals(bytes)).toBe(true);
    expect(existsSync(at('state'))).toBe(false);
  });

  it('refuses a file that is read-only, and a folder in its place', async () => {
    write(own(), '{}');
    chmodSync(own(), 0o444);
    await expect(install()).rejects.toMatchObject({ code: 'settings-read-only' });
    expect(readFileSync(own(), 'utf8')).toBe('{}');
    mkdirSync(at('project', '.claude', 'settings.json'), { recursive: true });
    await expect(install('project')).rejects.toMatchObject({ code: 'settings-unreadable' });
  });

  // A pipe stands for every device: a mistake here must not cost the machine one.
  it('refuses anything but a regular file, also behind a link, without waiting for it', async () => {
    mkdirSync(path.dirname(own()), { recursive: true });
    execFileSync('sh', ['-c', 'mkfifo "$0"', at('pipe')]);
    symlinkSync(at('pipe'), own());
    await expect(install()).rejects.toMatchObject({
      code: 'settings-unreadable',
      message: expect.stringContaining('not a regular file'),
    });
    await expect(control().planUninstall({})).rejects.toMatchObject({ code: 'settings-unreadable' });
    expect((await control().status({})).places[0]?.problem).toContain('not a regular file');
    expect([lstatSync(own()).isSymbolicLink(), lstatSync(at('pipe')).isFIFO()]).toEqual([true, true]);
  });

  it('plans again when the file was changed meanwhile', async () => {
    write(own(), '{"a":1}');
    const plan = await control().planInstall({ scope: 'user', guard: false, hostVersion: HOST_VERSION });
    write(own(), '{"a":1,"b":2}');
    await plan.apply();
    expect(JSON.parse(readFileSync(own(), 'utf8'))).toMatchObject({ b: 2, hooks: {} });
    await uninstall();
    expect(readFileSync(own(), 'utf8')).toBe('{"a":1,"b":2}');
  });
});

describe('uninstalling', () => {
  it('restores the exact bytes, even after several installs', async () => {
    const texts = fc.constantFrom(
      '{}',
      '{ }',
      '{\n}\n',
      '{"hooks":{}}',
      '{\n\t"hooks": {\n\t\t"Stop": [ ]\n\t}\n}',
      '\ufeff{\r\n  "a": 1\r\n}',
      '',
      '  \n',
    );
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.array(fc.constantFrom('0.1.0', '0.2.0', '0.3.0'), { minLength: 1, maxLength: 4 }),
        async (text, versions) => {
          rmSync(at('state'), { recursive: true, force: true });
          write(own(), text);
          for (const version of versions) await install('user', version);
          await uninstall();
          expect(readFileSync(own(), 'utf8')).toBe(text);
        },
      ),
      { numRuns: runsOf(40) },
    );
  });

  it('removes our hooks from a file that was changed since, wherever they are', async () => {
    write(own(), '{"hooks":{"Stop":[]}}');
    await install('user');
    await install('local');
    write(own(), readFileSync(own(), 'utf8').replace('{"hooks"', '{"model":"opus","hooks"'));
    const plan = await control().planUninstall({});
    expect(plan.changes.map(({ scope }) => scope)).toEqual(['user', 'local']);
    await plan.apply();
    expect(readFileSync(own(), 'utf8')).toBe('{"model":"opus","hooks":{"Stop":[]}}');
    expect(existsSync(at('project', '.claude', 'settings.local.json'))).toBe(false);
  });

  it('removes them also when no backup exists, and from a file that the host could not read', async () => {
    write(own(), '{\n  "a": 1\n}\n');
    await install();
    rmSync(at('state'), { recursive: true });
    write(own(), `// mine\n${readFileSync(own(), 'utf8')}`);
    await uninstall();
    expect(readFileSync(own(), 'utf8')).toBe('// mine\n{\n  "a": 1\n}\n');
  });
});

describe('status', () => {
  it('reports complete hooks, and names what is missing or blocking', async () => {
    const status = (version?: string) => control(version).status({});
    expect(await status()).toMatchObject({ isComplete: false, scripts: [], shadows: [] });
    const { events } = await status();
    await (await control().planInstall({ scope: 'user', guard: true, ...(await hostVersion()) })).apply();
    const installed = await status();
    expect(installed.isComplete).toBe(true);
    waitMs = 3_600_000;
    expect(await status()).toMatchObject({ isComplete: true, impatient: [] });
    const text = readFileSync(own(), 'utf8');
    write(own(), text.replace('"timeout": 3660', '"timeout": 310'));
    waitMs = 300_000;
    expect(await status()).toMatchObject({
      isComplete: false,
      impatient: [{ scope: 'user', file: own(), seconds: 310, waitSeconds: 300 }],
    });
    waitMs = 290_000;
    expect((await status()).impatient).toEqual([]);
    write(own(), text);
    waitMs = 0;
    expect(installed.places[0]).toMatchObject({ scope: 'user', events, guard: true, versions: ['0.1.0'] });
    expect(await status('0.2.0')).toMatchObject({ isComplete: false, scripts: [{ state: 'other-version' }, {}] });
    write(at('project', '.claude', 'settings.json'), '{"disableAllHooks":true}');
    expect(await status()).toMatchObject({ isComplete: false, shadows: [{ reason: 'all-off' }] });
    write(at('project', '.claude', 'settings.local.json'), '{"disableAllHooks":false}');
    expect((await status()).shadows).toEqual([]);
    write(at('project', '.claude', 'settings.local.json'), '{"disableAllHooks":false');
    expect((await status()).places[2]?.problem).toContain('not valid JSON');
    rmSync(at('project', '.claude'), { recursive: true });
    const twice = await control().planInstall({ scope: 'local', guard: false, ...(await hostVersion()) });
    expect(twice.doubled).toEqual(['PreToolUse']);
    await twice.apply();
    expect(await status()).toMatchObject({ isComplete: false, doubled: ['PreToolUse'] });
    rmSync(at('project', '.claude'), { recursive: true });
    mkdirSync(at('project', '.claude', 'settings.json'), { recursive: true });
    expect((await status()).places[1]?.problem).toContain('cannot read');
    rmSync(at('state', 'bin', 'guard'));
    expect(await status()).toMatchObject({ isComplete: false, scripts: [{ state: 'ours' }, { state: 'missing' }] });
  });
});

describe('status after changes', () => {
  const status = () => control().status({});
  beforeEach(async () => {
    await (await control().planInstall({ scope: 'user', guard: false, ...(await hostVersion()) })).apply();
    expect((await status()).isComplete).toBe(true);
  });
  const edit = (change: (text: string) => string): void => writeFileSync(own(), change(readFileSync(own(), 'utf8')));
  const mend = async () => {
    await (await control().planInstall({ scope: 'user', guard: false, ...(await hostVersion()) })).apply();
    return (await status()).isComplete;
  };

  it('reports a command that runs something else', async () => {
    edit((text) => text.replaceAll(/exec [^#]* # /g, 'exec /bin/true # '));
    const { isComplete, places, beforeCalls } = await status();
    expect(isComplete).toBe(false);
    expect(places[0]?.changed).toContainEqual({ event: 'PreToolUse', how: 'its command is not what troupe writes' });
    expect(beforeCalls).toMatchObject([{ role: 'observe', command: expect.stringContaining('exec /bin/true # ') }]);
    expect(await mend()).toBe(true);
  });

  it('reports when only some calls run our hook', async () => {
    const narrow = JSON.parse(readFileSync(own(), 'utf8'));
    narrow.hooks.PreToolUse[0].matcher = 'Bash';
    narrow.hooks.PreToolUse[0].hooks.push({ type: 'command', command: 'theirs' });
    narrow.hooks.PostToolUse[0].hooks[0].if = 'Bash(git *)';
    edit(() => JSON.stringify(narrow));
    expect((await status()).places[0]?.changed).toEqual([
      { event: 'PreToolUse', how: 'it is only for "Bash"' },
      { event: 'PostToolUse', how: 'it has the field "if"' },
    ]);
    expect(await mend()).toBe(true);
    const { hooks } = JSON.parse(readFileSync(own(), 'utf8'));
    expect(hooks.PreToolUse[0]).toEqual({ matcher: 'Bash', hooks: [{ type: 'command', command: 'theirs' }] });
    expect(hooks.PreToolUse[1]).not.toHaveProperty('matcher');
  });

  it('reports scripts without execute permission, and those of another state folder', async () => {
    chmodSync(at('state', 'bin', 'observe'), 0o600);
    expect(await status()).toMatchObject({ isComplete: false, scripts: [{ state: 'not-runnable', scope: 'user' }] });
    expect(await mend()).toBe(true);
    mkdirSync(at('other', 'bin'), { recursive: true });
    writeFileSync(at('other', 'bin', 'observe'), '#!/bin/sh\n# troupe 0.1.0: a test.\n', { mode: 0o700 });
    edit((text) => text.replaceAll(at('state'), at('other')));
    expect(await status()).toMatchObject({ isComplete: false, scripts: [{ state: 'elsewhere', scope: 'user' }] });
    // A link to ours is ours.
    rmSync(at('other'), { recursive: true });
    symlinkSync(at('state'), at('other'));
    expect((await status()).isComplete).toBe(true);
  });
});

/** As `status` finds it: whatever is on the PATH of this machine. */
async function hostVersion(): Promise<{ hostVersion?: string }> {
  const { hostVersion } = await control().status({});
  return hostVersion === null ? {} : { hostVersion };
}

describe('the hook commands', () => {
  it('pass input to the script, are silent without an observer and report a missing guard', async () => {
    base = makeTemporaryFolder("it's mine");
    await (await control().planInstall({ scope: 'user', guard: true, hostVersion: HOST_VERSION })).apply();
    const { hooks } = JSON.parse(readFileSync(own(), 'utf8'));
    const run = (command: string): string =>
      execFileSync('sh', ['-c', command], { input: 'told', stdio: ['pipe', 'pipe', 'pipe'] }).toString();
    const observer: string = hooks.Stop[0].hooks[0].command;
    const guard: string = hooks.PreToolUse[0].hooks[0].command;
    writeFileSync(at('state', 'bin', 'observe'), '#!/bin/sh\nprintf "%s %s" "$1" "$(cat)"\n', { mode: 0o700 });
    chmodSync(at('state', 'bin', 'observe'), 0o700);
    expect(run(observer)).toBe('claude-code told');
    rmSync(at('state'), { recursive: true });
    expect(run(observer)).toBe('');
    expect(() => run(guard)).toThrow(/the guard cannot run, so nobody checked this call/);
  });

  it.each(['it is gone', 'the shell it needs is gone'])(
    'stop a call without a guard only where there is a policy: %s',
    async (how) => {
      const plan = await control().planInstall({ scope: 'user', guard: true, hostVersion: HOST_VERSION });
      await plan.apply();
      if (how === 'it is gone') rmSync(at('state'), { recursive: true });
      else writeFileSync(at('state', 'bin', 'guard'), '#!/nowhere/bash -p\n');
      const { command } = JSON.parse(readFileSync(own(), 'utf8')).hooks.PreToolUse[0].hooks[0];
      const codes = (): readonly (number | null)[] =>
        ['dash', 'bash', 'sh']
          .filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0)
          .map((shell) => {
            const { status, stderr } = spawnSync(shell, ['-c', command], { input: 'told', cwd: at('project') });
            expect(stderr.toString()).toContain('To do without it: troupe hooks uninstall');
            return status;
          });
      for (const code of codes()) expect([1, 126, 127]).toContain(code);
      for (const policy of [at('config', 'policy.yaml'), at('project', '.troupe', 'policy.local.yaml')]) {
        mkdirSync(path.dirname(policy), { recursive: true });
        writeFileSync(policy, 'version: 1\n');
        for (const code of codes()) expect(code).toBe(2);
        rmSync(policy);
      }
    },
  );
});
